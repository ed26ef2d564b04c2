// Sets anew how long messages in flight stay hidden. 0: they are available at once.
#include "services/sqs/batch.h"
#include "services/sqs/operations.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kEntryName = "ChangeMessageVisibilityBatchRequestEntry";
constexpr int kTimeoutSecondsMax = 43'200;

struct Outcome {
  std::string id;
  std::optional<wire::Error> error;
};

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

Task<Outcome> try_to_change(Service& service, store::Transaction& txn, const Queue& queue,
                            const shapes::ChangeMessageVisibilityBatchRequestEntry& entry, base::Time now) {
  Outcome outcome{*entry.id};
  try {
    co_await change(service, txn, queue, entry, now);
  } catch (const wire::Error& error) {
    outcome.error = error;
  }
  co_return outcome;
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
  const QueueAddress address = parse_queue_url(context, request.queue_url);
  const auto& entries = checked_batch(request.entries, kEntryName);
  const auto outcomes = co_await service.change(
      address, [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<std::vector<Outcome>> {
        std::vector<Outcome> result;
        for (const auto& entry : entries) result.push_back(co_await try_to_change(service, txn, queue, entry, now));
        co_return result;
      });
  shapes::ChangeMessageVisibilityBatchOutput out;
  for (const Outcome& outcome : outcomes) {
    if (outcome.error)
      add_failure(out, outcome.id, *outcome.error);
    else
      add_success(out, shapes::BatchResultEntry{.id = outcome.id});
  }
  co_return out;
}

}  // namespace tidemill::sqs
