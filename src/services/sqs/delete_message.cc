// Removes messages by their receipt handles. Deleting twice succeeds, as on AWS.
#include "services/sqs/batch.h"
#include "services/sqs/operations.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kEntryName = "DeleteMessageBatchRequestEntry";

// What became of one of a batch's entries.
struct Outcome {
  std::string id;
  std::optional<wire::Error> error;
};

Task<Outcome> remove(Service& service, store::Transaction& txn, const Queue& queue,
                     const shapes::DeleteMessageBatchRequestEntry& entry, base::Time now) {
  Outcome outcome{*entry.id};
  try {
    const std::string& handle = required(entry.receipt_handle, "ReceiptHandle");
    co_await service.messages().remove(txn, queue, parse_receipt_handle(queue, handle), now);
  } catch (const wire::Error& error) {
    outcome.error = error;
  }
  co_return outcome;
}

}  // namespace

Task<shapes::DeleteMessageOutput> delete_message(Service& service, wire::Context& context,
                                                 const shapes::DeleteMessageInput& request) {
  const std::string& handle = required(request.receipt_handle, "ReceiptHandle");
  co_await service.change(parse_queue_url(context, request.queue_url),
                          [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<void> {
                            co_await service.messages().remove(txn, queue, parse_receipt_handle(queue, handle), now);
                          });
  co_return shapes::DeleteMessageOutput{};
}

Task<shapes::DeleteMessageBatchOutput> delete_message_batch(Service& service, wire::Context& context,
                                                            const shapes::DeleteMessageBatchInput& request) {
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  const auto& entries = checked_batch(request.entries, kEntryName);
  const auto outcomes = co_await service.change(
      address, [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<std::vector<Outcome>> {
        std::vector<Outcome> result;
        for (const auto& entry : entries) result.push_back(co_await remove(service, txn, queue, entry, now));
        co_return result;
      });
  shapes::DeleteMessageBatchOutput out;
  for (const Outcome& outcome : outcomes) {
    if (outcome.error)
      add_failure(out, outcome.id, *outcome.error);
    else
      add_success(out, shapes::BatchResultEntry{.id = outcome.id});
  }
  co_return out;
}

}  // namespace tidemill::sqs
