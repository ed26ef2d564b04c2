// Makes a message of what a request says, with all checks that need no more than the topic.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "services/sns/message.h"
#include "services/sns/topic.h"
#include "wire/shapes/sns.h"

namespace tidemill::sns {

using AttributeValues = std::map<std::string, wire::sns::MessageAttributeValue>;

struct PublishFields {
  const std::string& message;
  const std::optional<std::string>& subject;
  const std::optional<std::string>& structure;
  const std::optional<AttributeValues>& attributes;
  const std::optional<std::string>& deduplication_id;
  const std::optional<std::string>& group_id;
};

// Of a request or an entry of a batch.
template <class Input>
PublishFields fields_of(const Input& input) {
  return {input.message,           input.subject,
          input.message_structure, input.message_attributes,
          input.message_deduplication_id, input.message_group_id};
}

// What AWS refuses a whole batch for, be it in one of its entries alone.
struct BatchError : wire::Error {
  explicit BatchError(wire::Error error) : wire::Error(std::move(error)) {}
};

// Without its sequence number and signatures. Throws InvalidParameter, ParameterValueInvalid; as BatchError what is wrong
// with attributes, ids of FIFO topics, and messages with a text for each protocol.
[[nodiscard]] Message new_message(const Topic& topic, const PublishFields& fields, base::Time now);

// What counts towards limits.
[[nodiscard]] size_t size_of(const PublishFields& fields);

}  // namespace tidemill::sns
