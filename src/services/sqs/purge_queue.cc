// Erases all messages of a queue, those in flight too, and what a FIFO queue remembers of those it had.
#include "base/text.h"
#include "services/sqs/counts.h"
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "services/sqs/retention.h"

namespace tidemill::sqs {
namespace {

constexpr std::chrono::seconds kPurgeInterval{60};

}  // namespace

Task<shapes::PurgeQueueOutput> purge_queue(Service& service, wire::Context& context,
                                           const shapes::PurgeQueueInput& request) {
  const base::Time now = context.now();
  co_await service.change_record(
      parse_queue_url(context, request.queue_url), [&](store::Transaction& txn, Queue& queue) -> Task<void> {
        if (queue.purged && now < *queue.purged + kPurgeInterval) {
          throw errors::purge_queue_in_progress(
              base::cat("Only one PurgeQueue operation on ", queue.address.name, " is allowed every 60 seconds."));
        }
        queue.purged = now;
        for (const store::Range& range : contents_ranges(queue.id)) txn.erase_range(range);
        txn.erase_range(counts_range(queue.id));
        count_from_nothing(txn, queue.id);
        co_await store::cancel_timer(txn, kExpiryTimer, queue.id);
      });
  co_return shapes::PurgeQueueOutput{};
}

}  // namespace tidemill::sqs
