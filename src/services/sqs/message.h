// What a message is, and how it lies in the store. In two parts, since receiving changes only the second:
//   Message        what was sent; never changes
//   MessageState   when it was sent and received, and when it is available; a few bytes
// The two lie together in a MessageRecord unless the message is large: then its own part is written once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/data_keys.h"

namespace tidemill::sqs {

struct MessageAttribute {
  std::string name;
  std::string type;   // "String", "Number.custom", …
  std::string value;  // raw bytes
  bool is_binary = false;
};

struct Message {
  std::string id;      // UUID
  std::string sender;  // account
  std::string body;
  std::string body_md5;
  std::vector<MessageAttribute> attributes;  // by name
  // Empty: none.
  std::string group;
  std::string deduplication_id;
  std::string sequence_number;
  std::string trace_header;
  std::string source_arn;  // of the queue that it came from when it was given up there
  uint32_t receives_before = 0;  // there, which its count of receives shows as well
  // Not empty: the body is sealed with this (encryption.h), and no digest of it is kept.
  engine::KeyEnvelope envelope;
};

struct MessageState {
  base::Time sent;
  base::Time available;  // from when on it may be received: the end of its delay or visibility timeout
  uint32_t receives = 0;
  base::Time first_received;  // both if receives > 0
  base::Time last_received;
};

// By a delay or a visibility timeout. What has neither is available, also if the machine's clock went back since it was
// sent.
[[nodiscard]] inline bool is_hidden(const MessageState& state, base::Time now) {
  const bool is_plain = state.receives == 0 && state.available == state.sent;
  return state.available > now && !is_plain;
}

struct MessageRecord {
  static constexpr size_t kMessageBytesMax = 2048;
  MessageState state;
  std::string message;  // encoded; empty: it lies elsewhere
};

[[nodiscard]] std::string encode_message(const Message& message);
[[nodiscard]] std::string encode_record(const MessageRecord& record);
// Throw std::runtime_error if `bytes` are damaged.
[[nodiscard]] Message decode_message(std::string_view bytes);
[[nodiscard]] MessageRecord decode_record(std::string_view bytes);
[[nodiscard]] MessageState decode_state(std::string_view record);

}  // namespace tidemill::sqs
