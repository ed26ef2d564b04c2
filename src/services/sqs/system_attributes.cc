#include "services/sqs/system_attributes.h"

namespace tidemill::sqs {
namespace {

std::string milliseconds(base::Time time) {
  return std::to_string(std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count());
}

}  // namespace

std::vector<std::pair<std::string_view, std::string>> system_attributes(const Queue& queue, const Taken& taken) {
  std::vector<std::pair<std::string_view, std::string>> result;
  const auto add = [&](std::string_view name, std::string value) {
    if (!value.empty()) result.emplace_back(name, std::move(value));
  };
  const Message& message = taken.message;
  const MessageState& state = taken.record.state;
  add("ApproximateReceiveCount", std::to_string(message.receives_before + state.receives));
  add("AWSTraceHeader", message.trace_header);
  add("SentTimestamp", milliseconds(state.sent));
  if (queue.is_fifo()) add("SequenceNumber", message.sequence_number);
  add("MessageGroupId", message.group);
  add("SenderId", message.sender);
  if (queue.is_fifo()) add("MessageDeduplicationId", message.deduplication_id);
  add("ApproximateFirstReceiveTimestamp", milliseconds(state.first_received));
  add("DeadLetterQueueSourceArn", message.source_arn);
  return result;
}

}  // namespace tidemill::sqs
