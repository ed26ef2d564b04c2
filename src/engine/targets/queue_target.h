// Sends a message to an SQS queue by its ARN, as the queue's own account does it.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "engine/targets/message_attributes.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::engine {

struct QueueMessage {
  std::string body;
  MessageAttributes attributes;
  std::string group_id;          // empty: none
  std::string deduplication_id;  // empty: none
  std::string trace_header = {};  // what it belongs to (wire/trace_header.h); not among what is encoded
};

// For the payload of a delivery of kind kQueueMessageTarget.
[[nodiscard]] std::string encode_queue_message(const QueueMessage& message);
// Throws std::runtime_error.
[[nodiscard]] QueueMessage decode_queue_message(std::string_view bytes);

// The same with who sends it, for deliveries of kind kQueueLetterTarget: a dead letter of a rule or a schedule.
struct QueueLetter {
  wire::Standing by;
  QueueMessage message;
};
[[nodiscard]] std::string encode_queue_letter(const QueueLetter& letter);
// Throws std::runtime_error.
[[nodiscard]] QueueLetter decode_queue_letter(std::string_view bytes);
// A session of the role, or the service for its source.
[[nodiscard]] wire::Principal sender_of(wire::Standing by);

// rejected: there is no such queue, or it does not take such a message. unavailable: the store has too much to do.
Task<store::SendOutcome> send_to_queue(wire::Platform& platform, std::string_view queue_arn,
                                       const QueueMessage& message, wire::Principal by = wire::Principal::platform());

}  // namespace tidemill::engine
