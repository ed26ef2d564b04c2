// Sets anew how long messages in flight stay hidden. 0: they are available at once.
#include "services/sqs/batch.h"
#include "services/sqs/operations.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kEntryName = "ChangeMessageVisibilityBatchRequestEntry";
constexpr int kTimeoutSecondsMax = 43'200;

// `input` is a request or an entry of a batch.
template <class Input>
Task<void> change(Service& service, store::Transaction& txn, const Queue& queue, const Input& input, base::Time now) {
  const std::string& handle = required(input.receipt_handle, "ReceiptHandle");
  if (!input.visibility_timeout) throw missing_parameter("VisibilityTimeout");
  const int timeout = *input.visibility_timeout;
  if (timeout < 0 || timeout > kTimeoutSecondsMax) {
    throw invalid_parameter(std::to_string(timeout), "VisibilityTimeout", "Must be between 0 and 43200, if provided.");
  }
  co_await service.messages().change_visibility(txn, queue, parse_receipt_handle(queue, handle),
                                                std::chrono::seconds(timeout), now);
}

}  // namespace

Task<shapes::ChangeMessageVisibilityOutput> change_message_visibility(
    Service& service, wire::Context& context, const shapes::ChangeMessageVisibilityInput& request) {
  co_await service.change(parse_queue_url(context, request.queue_url),
                          [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<void> {
                            co_await change(service, txn, queue, request, now);
                          });
  co_return shapes::ChangeMessageVisibilityOutput{};
}

Task<shapes::ChangeMessageVisibilityBatchOutput> change_message_visibility_batch(
    Service& service, wire::Context& context, const shapes::ChangeMessageVisibilityBatchInput& request) {
  QueueAddress address = parse_queue_url(context, request.queue_url);
  const auto& entries = checked_batch(request.entries, kEntryName);
  co_return co_await change_each<shapes::ChangeMessageVisibilityBatchOutput>(
      service, std::move(address), entries, wire::EntryFaults(context, "sqs", "ChangeMessageVisibilityBatch"),
      [&service](store::Transaction& txn, const Queue& queue, const auto& entry, base::Time now) {
        return change(service, txn, queue, entry, now);
      });
}

}  // namespace tidemill::sqs
