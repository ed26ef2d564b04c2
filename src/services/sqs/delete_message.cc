// Removes messages by their receipt handles. Deleting twice succeeds, as on AWS.
#include "services/sqs/batch.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue_metrics.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kEntryName = "DeleteMessageBatchRequestEntry";

}  // namespace

Task<shapes::DeleteMessageOutput> delete_message(Service& service, wire::Context& context,
                                                 const shapes::DeleteMessageInput& request) {
  const std::string& handle = required(request.receipt_handle, "ReceiptHandle");
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  co_await service.change(address,
                          [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<void> {
                            co_await service.messages().remove(txn, queue, parse_receipt_handle(queue, handle), now);
                          });
  measure(context, kMessagesDeleted, address.name);
  co_return shapes::DeleteMessageOutput{};
}

Task<shapes::DeleteMessageBatchOutput> delete_message_batch(Service& service, wire::Context& context,
                                                            const shapes::DeleteMessageBatchInput& request) {
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  const auto& entries = checked_batch(request.entries, kEntryName);
  const auto out = co_await change_each<shapes::DeleteMessageBatchOutput>(
      service, address, entries, wire::EntryFaults(context, "sqs", "DeleteMessageBatch"),
      [&service](store::Transaction& txn, const Queue& queue, const auto& entry, base::Time now) -> Task<void> {
        const std::string& handle = required(entry.receipt_handle, "ReceiptHandle");
        co_await service.messages().remove(txn, queue, parse_receipt_handle(queue, handle), now);
      });
  if (out.successful) measure(context, kMessagesDeleted, address.name, 1, static_cast<double>(out.successful->size()));
  co_return out;
}

}  // namespace tidemill::sqs
