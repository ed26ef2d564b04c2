// Makes a queue. The same queue once more is answered as the first time; one that differs is refused.
#include "base/text.h"
#include "services/sqs/counts.h"
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue_attributes.h"
#include "services/sqs/tags.h"

namespace tidemill::sqs {
namespace {

void check_name(const std::string& name, bool is_fifo) {
  if (is_fifo && (!is_queue_name(name) || !name.ends_with(kFifoSuffix))) {
    throw errors::invalid_parameter_value_exception(
        "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with "
        ".fifo "
        "suffix and be 1 to 80 in length");
  }
  if (!is_fifo && (!is_queue_name(name) || name.ends_with(kFifoSuffix))) {
    throw errors::invalid_parameter_value_exception(
        "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length");
  }
}

// `asked`: the same as they came. A policy may have been kept so, before it was kept with ids.
void check_same(const Queue& queue, const AttributeMap& attributes, const AttributeMap& asked) {
  for (const auto& [name, value] : attributes) {
    const std::string has = effective_attribute(queue, name).value_or("");
    if (has == value || has == asked.at(name)) continue;
    throw errors::queue_name_exists(
        base::cat("A queue already exists with the same name and a different value for attribute ", name));
  }
}

}  // namespace

Task<shapes::CreateQueueOutput> create_queue(Service& service, wire::Context& context,
                                             const shapes::CreateQueueInput& request) {
  const AttributeMap asked = canonical(request.attributes.value_or(AttributeMap{}));
  const bool is_fifo = asked.contains("FifoQueue") && asked.at("FifoQueue") == "true";
  const QueueAddress address{context.account, context.region, required(request.queue_name, "QueueName")};
  check_name(address.name, is_fifo);
  check_attributes(asked, is_fifo);
  const AttributeMap attributes = co_await with_principals(context, asked);

  Queue queue{.address = address, .id = new_queue_id(), .created = context.now(), .modified = context.now()};
  queue.attributes = with_changes({}, attributes);
  queue.settings = settings_of(queue.attributes);
  if (request.tags) change_tags(queue, *request.tags, {});
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (const QueuePtr existing = co_await service.queues().find(txn, address)) {
      check_same(*existing, attributes, asked);
      co_return;
    }
    co_await check_redrive_target(txn, service.queues(), address, queue.settings);
    txn.put(queue_key(address), encode_queue(queue));
    count_from_nothing(txn, queue.id);
    txn.signal(queue_made_topic(address));
  });
  co_return shapes::CreateQueueOutput{.queue_url = address.url(context)};
}

}  // namespace tidemill::sqs
