// Receives up to ten messages, and waits for the first of them if asked to.
#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "services/sqs/encryption.h"
#include "services/sqs/errors.h"
#include "services/sqs/message_attributes.h"
#include "services/sqs/new_message.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue_metrics.h"
#include "services/sqs/receipt.h"
#include "services/sqs/system_attributes.h"

namespace tidemill::sqs {
namespace {

constexpr int kCountMax = 10;
constexpr int kWaitSecondsMax = 20;
constexpr int kVisibilitySecondsMax = 43'200;

constexpr std::array<std::string_view, 10> kSystemAttributes{"All",
                                                             "SenderId",
                                                             "SentTimestamp",
                                                             "ApproximateReceiveCount",
                                                             "ApproximateFirstReceiveTimestamp",
                                                             "SequenceNumber",
                                                             "MessageDeduplicationId",
                                                             "MessageGroupId",
                                                             "AWSTraceHeader",
                                                             "DeadLetterQueueSourceArn"};

std::string read_attempt_id(const shapes::ReceiveMessageInput& request, const Queue& queue) {
  constexpr std::string_view kName = "ReceiveRequestAttemptId";
  if (!request.receive_request_attempt_id) return {};
  const std::string& id = *request.receive_request_attempt_id;
  if (!queue.is_fifo()) {
    throw invalid_parameter(id, kName, "The request include parameter that is not valid for this queue type.");
  }
  check_fifo_id(id, kName);
  return id;
}

Receive read_request(const shapes::ReceiveMessageInput& request, const Queue& queue, base::Time now) {
  const int count = request.max_number_of_messages.value_or(1);
  if (count < 1 || count > kCountMax) {
    throw invalid_parameter(std::to_string(count), "MaxNumberOfMessages", "Must be between 1 and 10, if provided.");
  }
  Receive result{.wanted = {static_cast<size_t>(count), queue.settings.visibility},
                 .deadline = now + queue.settings.wait};
  if (request.wait_time_seconds) {
    const int wait = *request.wait_time_seconds;
    if (wait < 0 || wait > kWaitSecondsMax) {
      throw invalid_parameter(std::to_string(wait), "WaitTimeSeconds", "Must be >= 0 and <= 20, if provided.");
    }
    result.deadline = now + std::chrono::seconds(wait);
  }
  if (request.visibility_timeout) {
    const int timeout = *request.visibility_timeout;
    if (timeout < 0 || timeout > kVisibilitySecondsMax) {
      throw invalid_parameter(std::to_string(timeout), "VisibilityTimeout",
                              "Must be between 0 and 43200, if provided.");
    }
    result.wanted.visibility = std::chrono::seconds(timeout);
  }
  result.wanted.attempt = read_attempt_id(request, queue);
  return result;
}

std::vector<std::string> read_system_attributes(const shapes::ReceiveMessageInput& request) {
  std::vector<std::string> names = request.attribute_names.value_or(std::vector<std::string>{});
  const auto& more = request.message_system_attribute_names;
  if (more) names.insert(names.end(), more->begin(), more->end());
  for (const std::string& name : names) {
    if (std::ranges::find(kSystemAttributes, name) == kSystemAttributes.end()) throw unknown_attribute(name);
  }
  return names;
}

std::map<std::string, std::string> select_system_attributes(const Queue& queue, const Taken& taken,
                                                            const std::vector<std::string>& wanted) {
  std::map<std::string, std::string> result;
  for (auto& [name, value] : system_attributes(queue, taken)) {
    const bool is_wanted = std::ranges::any_of(wanted, [&](const auto& want) { return want == "All" || want == name; });
    if (is_wanted) result.emplace(name, std::move(value));
  }
  return result;
}

shapes::Message describe(const Queue& queue, Taken taken, const std::vector<std::string>& wanted_system,
                         const std::vector<std::string>& wanted) {
  shapes::Message out;
  out.receipt_handle = make_receipt_handle(queue, taken.position, taken.record.state.receives, taken.message.group);
  if (auto attributes = select_system_attributes(queue, taken, wanted_system); !attributes.empty()) {
    out.attributes = std::move(attributes);
  }
  if (const auto selected = select_attributes(taken.message.attributes, wanted); !selected.empty()) {
    out.md5_of_message_attributes = md5_of(selected);
    out.message_attributes = describe_attributes(selected);
  }
  out.message_id = std::move(taken.message.id);
  out.md5_of_body = std::move(taken.message.body_md5);
  out.body = std::move(taken.message.body);
  return out;
}

// If one of them cannot be opened nobody gets any, and none counts as received.
Task<void> open_or_give_back(Service& service, const wire::Context& context, const Queue& queue,
                             std::vector<Taken>& taken) {
  std::exception_ptr refusal;
  try {
    for (Taken& one : taken) co_await open_body(service, context, queue, one.message);
    co_return;
  } catch (const wire::Error&) {
    refusal = std::current_exception();
  }
  co_await service.change(
      queue.address, [&](store::Transaction& txn, const Queue& now_queue, base::Time now) -> Task<void> {
        for (const Taken& one : taken) {
          const Receipt receipt{.position = one.position,
                                .receive = one.record.state.receives,
                                .group = queue.is_fifo() ? encode_group_name(one.message.group) : std::string()};
          co_await service.messages().give_back(txn, now_queue, receipt, now);
        }
      });
  std::rethrow_exception(refusal);
}

}  // namespace

Task<shapes::ReceiveMessageOutput> receive_message(Service& service, wire::Context& context,
                                                   const shapes::ReceiveMessageInput& request) {
  const QueuePtr queue = co_await service.find_queue(parse_queue_url(context, request.queue_url));
  const base::Time now = context.now();
  Receive receive = read_request(request, *queue, now);
  const std::vector<std::string> wanted_system = read_system_attributes(request);
  const auto receiver = service.receivers().of(*queue);
  std::optional<LongPolls::Poll> poll;
  if (receive.deadline > now) poll.emplace(service.long_polls(), receive, receive.deadline - now);
  std::vector<Taken> taken = co_await receiver->receive(receive);
  co_await open_or_give_back(service, context, *queue, taken);
  shapes::ReceiveMessageOutput out;
  if (taken.empty()) measure(context, kEmptyReceives, queue->address.name);
  else measure(context, kMessagesReceived, queue->address.name, 1, static_cast<double>(taken.size()));
  if (taken.empty()) co_return out;
  const std::vector<std::string> wanted = request.message_attribute_names.value_or(std::vector<std::string>{});
  auto& messages = out.messages.emplace();
  messages.reserve(taken.size());
  for (Taken& one : taken) messages.push_back(describe(*queue, std::move(one), wanted_system, wanted));
  co_return out;
}

}  // namespace tidemill::sqs
