// Changes what a queue is set to; it holds for what happens after the answer.
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue_attributes.h"
#include "services/sqs/retention.h"

namespace tidemill::sqs {

Task<shapes::SetQueueAttributesOutput> set_queue_attributes(Service& service, wire::Context& context,
                                                            const shapes::SetQueueAttributesInput& request) {
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  if (!request.attributes || request.attributes->empty()) throw missing_parameter("Attributes");
  const AttributeMap changes = co_await with_principals(context, canonical(*request.attributes));
  co_await service.change_record(address, [&](store::Transaction& txn, Queue& queue) -> Task<void> {
    check_attributes(changes, queue.is_fifo());
    queue.attributes = with_changes(queue.attributes, changes);
    queue.settings = settings_of(queue.attributes);
    queue.modified = context.now();
    if (changes.contains("RedrivePolicy")) {
      co_await check_redrive_target(txn, service.queues(), queue.address, queue.settings);
    }
    // The timer looks at what there is with the new period.
    if (changes.contains("MessageRetentionPeriod")) co_await hurry_expiry_timer(txn, queue, context.now());
  });
  co_return shapes::SetQueueAttributesOutput{};
}

}  // namespace tidemill::sqs
