// Makes a message of what a request says, with all checks that need no more than the queue's settings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/sqs/message_attributes.h"
#include "services/sqs/message_store.h"
#include "wire/context.h"

namespace tidemill::sqs {

struct SendFields {
  const std::optional<std::string>& body;
  const std::optional<int32_t>& delay_seconds;
  const std::optional<AttributeValues>& attributes;
  const std::optional<AttributeValues>& system_attributes;
  const std::optional<std::string>& deduplication_id;
  const std::optional<std::string>& group_id;
};

// Of a request or an entry of a batch.
template <class Input>
SendFields fields_of(const Input& input) {
  return {input.message_body,
          input.delay_seconds,
          input.message_attributes,
          input.message_system_attributes,
          input.message_deduplication_id,
          input.message_group_id};
}

// Throws MissingParameter, InvalidParameterValue, InvalidMessageContents.
[[nodiscard]] NewMessage read_message(const wire::Context& context, const Queue& queue, const SendFields& fields);

// A deduplication id, a group id or the id of an attempt to receive. Throws InvalidParameterValue.
void check_fifo_id(const std::string& id, std::string_view name);

// A FIFO queue's message has none, and the queue makes none of its content.
[[nodiscard]] wire::Error no_deduplication_id();

// What counts towards limits.
[[nodiscard]] size_t size_of(const Message& message);

// The digests in the answer.
template <class Output>
void describe_sent(const NewMessage& one, const Sent& sent, Output& out) {
  const Message& message = one.message;
  out.message_id = sent.message_id;
  if (!sent.sequence_number.empty()) out.sequence_number = sent.sequence_number;
  out.md5_of_message_body = message.body_md5;
  out.md5_of_message_attributes = md5_of(message.attributes);
  if (one.has_trace_attribute) {
    out.md5_of_message_system_attributes = md5_of(
        std::vector{MessageAttribute{.name = "AWSTraceHeader", .type = "String", .value = message.trace_header}});
  }
}

}  // namespace tidemill::sqs
