// A published message, and how it is kept until its last delivery has ended: once, however many take it.
//
//   N m string(id)   the message; never changes
//   N c string(id)   u32: deliveries that still need it
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/data_keys.h"
#include "services/sns/address.h"
#include "store/store.h"

namespace tidemill::sns {

inline constexpr size_t kMessageBytesMax = 256 << 10;  // text and attributes
inline constexpr std::string_view kDefaultText = "default";

struct MessageAttribute {
  std::string name;
  std::string type;   // "String", "String.Array", "Number", "Binary"
  std::string value;  // raw bytes if the type is Binary
  [[nodiscard]] bool is_binary() const { return type.starts_with("Binary"); }
};

struct Message {
  std::string id;
  TopicAddress topic;
  std::optional<std::string> subject;
  base::Time timestamp;
  std::vector<MessageAttribute> attributes;
  std::string group;             // empty: none
  std::string deduplication_id;  // of a FIFO topic
  uint64_t sequence = 0;         // of a FIFO topic
  int signature_version = 1;
  std::string trace_header;  // to hand on (wire/trace_header.h)
  std::map<std::string, std::string> texts;       // by protocol; kDefaultText for the others
  std::map<std::string, std::string> signatures;  // of those texts that somebody gets signed, base64

  // Not empty: `sealed` holds the texts (encryption.h), and there are none yet.
  engine::KeyEnvelope envelope;
  std::string sealed;
  // What seals the texts where the message is kept; nothing: they are not.
  std::optional<engine::Sealing> sealing;

  // Which of the texts the protocol gets.
  [[nodiscard]] std::string text_name(const std::string& protocol) const {
    return texts.contains(protocol) ? protocol : std::string(kDefaultText);
  }
  [[nodiscard]] const std::string& text_for(const std::string& protocol) const { return texts.at(text_name(protocol)); }
};

// 20 digits.
[[nodiscard]] std::string sequence_text(uint64_t sequence);

// The texts alone, as what is sealed.
[[nodiscard]] std::string encode_texts(const Message& message);
[[nodiscard]] std::map<std::string, std::string> decode_texts(std::string_view bytes);

[[nodiscard]] std::string encode_message(const Message& message);
// Throws std::runtime_error.
[[nodiscard]] Message decode_message(std::string_view bytes);

// Keeps the message for `deliveries` of them.
void keep_message(store::Transaction& txn, const Message& message, uint32_t deliveries);
Task<std::optional<Message>> load_message(store::Snapshot& reader, std::string id);
// `ended` deliveries need it no more, and `added` do. Forgets it with the last.
Task<void> release_message(store::Transaction& txn, std::string id, uint32_t ended, uint32_t added = 0);

}  // namespace tidemill::sns
