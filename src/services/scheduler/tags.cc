// TagResource, UntagResource and ListTagsForResource.
#include "services/scheduler/tags.h"

#include "services/scheduler/errors.h"
#include "services/scheduler/group.h"
#include "services/scheduler/operations.h"
#include "wire/arn.h"
#include "wire/tags.h"

namespace tidemill::scheduler {
namespace {

// The model has checked its form. Another partition's is another group, as it is for policies.
GroupAddress group_of(std::string_view text) {
  const auto arn = wire::parse_arn_of("scheduler", text);
  if (!arn) throw no_group(text.substr(text.find('/') + 1));
  return {std::string(arn->account), std::string(arn->region),
          std::string(arn->resource.substr(arn->resource.find('/') + 1))};
}

template <class Change>
Task<void> change_tags(Service& service, wire::Context& context, std::string_view arn, Change change) {
  const GroupAddress address = group_of(arn);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Group group = co_await load_group(txn, address);
    change(group);
    group.modified = now;
    txn.put(group_key(address), encode_group(group));
  });
}

wire::Error reserved_key() { return invalid(wire::kReservedTagKey); }

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<shapes::Tag>& added) {
  if (std::ranges::any_of(added, wire::is_reserved_tag_key, &shapes::Tag::key)) throw reserved_key();
  for (const shapes::Tag& tag : added) {
    if (wire::is_tag_text(tag.key) && wire::is_tag_text(tag.value)) continue;
    throw invalid("Tags can only include letters, digits, spaces, and _ . : / = + - @");
  }
  if (!wire::add_tags(tags, added)) throw invalid("Duplicate tag keys are not allowed.");
  check_tags(tags);
  return tags;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await change_tags(service, context, request.resource_arn,
                       [&](Group& group) { group.tags = with_tags(std::move(group.tags), request.tags); });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_tags(service, context, request.resource_arn, [&](Group& group) {
    if (!wire::may_remove_tags(group.tags, request.tag_keys)) throw reserved_key();
    wire::erase_tags(group.tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context&,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const Group group = co_await load_group(*snapshot, group_of(request.resource_arn));
  co_return shapes::ListTagsForResourceOutput{.tags = wire::tag_list<shapes::Tag>(group.tags)};
}

}  // namespace tidemill::scheduler
