// TagResource, UntagResource and ListResourceTags.
#include "services/kms/tags.h"

#include <set>

#include "services/kms/changing.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"
#include "wire/tags.h"

namespace tidemill::kms {
namespace {

namespace errors = shapes::errors;

constexpr size_t kTagsMax = 50;
constexpr int32_t kPageUsual = 50;

wire::Error reserved_key() { return errors::tag_exception("Tags beginning with aws: are reserved"); }

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<shapes::Tag>& added) {
  std::set<std::string_view> seen;
  for (const shapes::Tag& tag : added) {
    if (!seen.insert(tag.tag_key).second) throw errors::tag_exception("Duplicate tag keys");
    if (wire::is_reserved_tag_key(tag.tag_key)) throw reserved_key();
    tags.insert_or_assign(tag.tag_key, tag.tag_value);
  }
  if (tags.size() > kTagsMax) throw errors::tag_exception("Too many tags");
  return tags;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await change_key(service, context, request.key_id, "TagResource", [&](Key& key) {
    require_kept(key);
    key.tags = with_tags(std::move(key.tags), request.tags);
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_key(service, context, request.key_id, "UntagResource", [&](Key& key) {
    require_kept(key);
    if (!wire::may_remove_tags(key.tags, request.tag_keys)) throw reserved_key();
    wire::erase_tags(key.tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListResourceTagsOutput> list_resource_tags(Service& service, wire::Context& context,
                                                        const shapes::ListResourceTagsInput& request) {
  const auto snapshot = service.store().snapshot();
  const Key key = co_await load_key(*snapshot, parse_key_id(context, request.key_id));
  const auto most = static_cast<size_t>(request.limit.value_or(kPageUsual));
  shapes::ListResourceTagsOutput out;
  out.tags.emplace();
  out.truncated = false;
  for (const auto& [name, value] : key.tags) {
    if (request.marker && name <= *request.marker) continue;
    if (out.tags->size() == most) {
      out.truncated = true;
      out.next_marker = out.tags->back().tag_key;
      break;
    }
    out.tags->push_back({.tag_key = name, .tag_value = value});
  }
  co_return out;
}

}  // namespace tidemill::kms
