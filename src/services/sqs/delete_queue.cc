// Deletes a queue and all that it holds. Its name is free at once.
#include "services/sqs/counts.h"
#include "services/sqs/operations.h"
#include "services/sqs/retention.h"

namespace tidemill::sqs {

Task<shapes::DeleteQueueOutput> delete_queue(Service& service, wire::Context& context,
                                             const shapes::DeleteQueueInput& request) {
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const QueuePtr queue = co_await service.queues().get(txn, address);
    txn.erase(queue_key(address));
    txn.erase_range(store::Range::prefix(queue_prefix(queue->id)));
    txn.erase_range(store::Queue::floors(queue_prefix(queue->id)));
    txn.erase_range(counts_range(queue->id));
    txn.erase(is_counted_key(queue->id));
    co_await store::cancel_timer(txn, kExpiryTimer, queue->id);
    // Those who wait for messages learn of it.
    txn.signal(queue_topic(queue->id));
  });
  co_return shapes::DeleteQueueOutput{};
}

}  // namespace tidemill::sqs
