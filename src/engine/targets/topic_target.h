// Publishes a message to an SNS topic by its ARN, as the topic's own account does it.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "engine/targets/message_attributes.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::engine {

struct TopicMessage {
  std::string body;
  std::string subject;  // empty: none
  MessageAttributes attributes;
  std::string group_id;          // empty: none
  std::string deduplication_id;  // empty: none
  std::string trace_header = {};  // what it belongs to (wire/trace_header.h); not among what is encoded
};

// For the payload of a delivery of kind kTopicMessageTarget.
[[nodiscard]] std::string encode_topic_message(const TopicMessage& message);
// Throws std::runtime_error.
[[nodiscard]] TopicMessage decode_topic_message(std::string_view bytes);

// rejected: there is no such topic, or it does not take such a message. unavailable: the store has too much to do.
Task<store::SendOutcome> publish_to_topic(wire::Platform& platform, std::string_view topic_arn,
                                          const TopicMessage& message, wire::Principal by = wire::Principal::platform());

}  // namespace tidemill::engine
