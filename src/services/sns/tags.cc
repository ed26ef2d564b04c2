// TagResource, UntagResource and ListTagsForResource.
#include "services/sns/tags.h"

#include <set>

#include "base/text.h"
#include "services/sns/errors.h"
#include "services/sns/operations.h"
#include "wire/tags.h"

namespace tidemill::sns {
namespace {

wire::Error reserved_key() { return invalid_parameter(base::cat("Tags Reason: ", wire::kReservedTagKey)); }

// Here a topic that is not there is another error than elsewhere.
Task<Topic> load_resource(store::Snapshot& reader, TopicAddress address) {
  auto topic = co_await find_topic(reader, std::move(address));
  if (!topic) throw errors::resource_not_found_exception("Resource does not exist");
  co_return *std::move(topic);
}

template <class Change>
Task<void> change_tags(Service& service, TopicAddress address, Change change) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Topic topic = co_await load_resource(txn, address);
    change(topic);
    txn.put(topic_key(address), encode_topic(topic));
  });
}

}  // namespace

std::map<std::string, std::string> with_tags(std::map<std::string, std::string> tags,
                                             const std::vector<wire::sns::Tag>& added) {
  std::set<std::string_view> keys;
  for (const auto& [key, value, missing] : added) {
    if (!wire::is_tag_key_size(key) || !wire::is_tag_value_size(value)) throw invalid_parameter("Tags");
    if (!wire::is_tag_text(key) || !wire::is_tag_text(value)) throw invalid_parameter("Tags");
    if (wire::is_reserved_tag_key(key)) throw reserved_key();
    if (!keys.insert(key).second) throw invalid_parameter("Duplicated keys are not allowed.");
    tags.insert_or_assign(key, value);
  }
  if (tags.size() > kTagsMax) {
    throw errors::tag_limit_exceeded_exception("Could not complete request: tag quota of per resource exceeded");
  }
  return tags;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await change_tags(service, topic_of(context, request.resource_arn),
                       [&](Topic& topic) { topic.tags = with_tags(std::move(topic.tags), request.tags); });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_tags(service, topic_of(context, request.resource_arn), [&](Topic& topic) {
    if (!wire::may_remove_tags(topic.tags, request.tag_keys)) throw reserved_key();
    wire::erase_tags(topic.tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context& context,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const Topic topic = co_await load_resource(*snapshot, topic_of(context, request.resource_arn));
  shapes::ListTagsForResourceOutput out;
  out.tags.emplace();
  for (const auto& [key, value] : topic.tags) out.tags->push_back({.key = key, .value = value});
  co_return out;
}

}  // namespace tidemill::sns
