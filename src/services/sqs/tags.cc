// ListQueueTags, TagQueue and UntagQueue.
#include "services/sqs/tags.h"

#include "base/text.h"
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "wire/tags.h"

namespace tidemill::sqs {
namespace {

// Of a tag that comes or goes.
void check_key(std::string_view key) {
  if (!wire::is_tag_key_size(key)) {
    throw errors::invalid_parameter_value_exception(
        base::cat("Tag keys must be between 1 and ", wire::kTagKeyMax, " characters in length."));
  }
}

wire::Error reserved_key() { return errors::invalid_parameter_value_exception(wire::kReservedTagKey); }

void check_tag(std::string_view key, std::string_view value) {
  check_key(key);
  if (wire::is_reserved_tag_key(key)) throw reserved_key();
  if (!wire::is_tag_value_size(value)) {
    throw errors::invalid_parameter_value_exception(
        base::cat("Tag values must be between 0 and ", wire::kTagValueMax, " characters in length."));
  }
  if (!wire::is_tag_text(key) || !wire::is_tag_text(value)) {
    throw errors::invalid_parameter_value_exception(
        "Tag keys and values can only include letters, digits, white space, and _ . : / = + - @");
  }
}

}  // namespace

void change_tags(Queue& queue, const std::map<std::string, std::string>& added,
                 const std::vector<std::string>& removed) {
  for (const auto& [key, value] : added) {
    check_tag(key, value);
    queue.tags.insert_or_assign(key, value);
  }
  for (const std::string& key : removed) {
    check_key(key);
    if (!wire::may_remove_tag(queue.tags, key)) throw reserved_key();
    queue.tags.erase(key);
  }
  if (queue.tags.size() > kTagsMax) {
    throw errors::invalid_parameter_value_exception(
        base::cat("Too many tags added for queue ", queue.address.name, "."));
  }
}

Task<shapes::ListQueueTagsOutput> list_queue_tags(Service& service, wire::Context& context,
                                                  const shapes::ListQueueTagsInput& request) {
  const QueuePtr queue = co_await service.find_queue(parse_queue_url(context, request.queue_url));
  shapes::ListQueueTagsOutput out;
  if (!queue->tags.empty()) out.tags = queue->tags;
  co_return out;
}

Task<shapes::TagQueueOutput> tag_queue(Service& service, wire::Context& context, const shapes::TagQueueInput& request) {
  if (!request.tags || request.tags->empty()) throw missing_parameter("Tags");
  co_await service.change_record(parse_queue_url(context, request.queue_url),
                                 [&](store::Transaction&, Queue& queue) -> Task<void> {
                                   change_tags(queue, *request.tags, {});
                                   co_return;
                                 });
  co_return shapes::TagQueueOutput{};
}

Task<shapes::UntagQueueOutput> untag_queue(Service& service, wire::Context& context,
                                           const shapes::UntagQueueInput& request) {
  if (!request.tag_keys || request.tag_keys->empty()) throw missing_parameter("TagKeys");
  co_await service.change_record(parse_queue_url(context, request.queue_url),
                                 [&](store::Transaction&, Queue& queue) -> Task<void> {
                                   change_tags(queue, {}, *request.tag_keys);
                                   co_return;
                                 });
  co_return shapes::UntagQueueOutput{};
}

}  // namespace tidemill::sqs
