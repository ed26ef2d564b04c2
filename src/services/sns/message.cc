#include "services/sns/message.h"

#include <stdexcept>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::sns {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint8_t kSealedVersion = 2;  // without texts: at the end come what opens them, and they, sealed
constexpr char kMessagePart = 'm';
constexpr char kCountPart = 'c';
constexpr uint64_t kSequenceBase = 10'000'000'000'000'000'000u;

std::string part_key(char part, std::string_view id) {
  std::string key = {static_cast<char>(store::KeySpace::notification), part};
  base::append_string(key, id);
  return key;
}

void append_map(std::string& out, const std::map<std::string, std::string>& map) {
  base::append_u32(out, static_cast<uint32_t>(map.size()));
  for (const auto& [key, value] : map) {
    base::append_string(out, key);
    base::append_string(out, value);
  }
}

std::map<std::string, std::string> read_map(base::OrderedReader& reader) {
  std::map<std::string, std::string> map;
  const uint32_t size = reader.u32();
  for (uint32_t i = 0; i < size && reader.ok(); ++i) {
    std::string key = reader.string();
    map.emplace(std::move(key), reader.string());
  }
  return map;
}

std::string encode_count(uint32_t count) {
  std::string bytes;
  base::append_u32(bytes, count);
  return bytes;
}

uint32_t decode_count(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint32_t count = reader.u32();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a count of a message's deliveries is damaged");
  return count;
}

}  // namespace

std::string sequence_text(uint64_t sequence) { return std::to_string(kSequenceBase + sequence); }

std::string encode_texts(const Message& message) {
  std::string bytes;
  append_map(bytes, message.texts);
  return bytes;
}

std::map<std::string, std::string> decode_texts(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  auto texts = read_map(reader);
  const bool is_whole = reader.ok() && reader.at_end() && texts.contains(std::string(kDefaultText));
  if (!is_whole) throw std::runtime_error("the texts of a stored message of a topic are damaged");
  return texts;
}

std::string encode_message(const Message& message) {
  std::string bytes;
  base::append_u8(bytes, message.sealing ? kSealedVersion : kVersion);
  base::append_string(bytes, message.id);
  base::append_string(bytes, message.topic.account);
  base::append_string(bytes, message.topic.region);
  base::append_string(bytes, message.topic.name);
  base::append_u8(bytes, message.subject ? 1 : 0);
  base::append_string(bytes, message.subject.value_or(""));
  base::append_i64(bytes, message.timestamp.time_since_epoch().count());
  base::append_string(bytes, message.group);
  base::append_string(bytes, message.deduplication_id);
  base::append_u64(bytes, message.sequence);
  base::append_u8(bytes, static_cast<uint8_t>(message.signature_version));
  base::append_u32(bytes, static_cast<uint32_t>(message.attributes.size()));
  for (const auto& [name, type, value] : message.attributes) {
    base::append_string(bytes, name);
    base::append_string(bytes, type);
    base::append_string(bytes, value);
  }
  if (!message.sealing) append_map(bytes, message.texts);
  append_map(bytes, message.signatures);
  if (message.sealing) {
    engine::append_envelope(bytes, message.sealing->envelope);
    base::append_string(bytes, message.sealing->seal(encode_texts(message)));
  }
  if (!message.trace_header.empty()) base::append_string(bytes, message.trace_header);
  return bytes;
}

Message decode_message(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  Message message;
  const uint8_t version = reader.u8();
  const bool is_sealed = version == kSealedVersion;
  message.id = reader.string();
  message.topic.account = reader.string();
  message.topic.region = reader.string();
  message.topic.name = reader.string();
  const bool has_subject = reader.u8() == 1;
  if (std::string subject = reader.string(); has_subject) message.subject = std::move(subject);
  message.timestamp = base::Time(base::Duration(reader.i64()));
  message.group = reader.string();
  message.deduplication_id = reader.string();
  message.sequence = reader.u64();
  message.signature_version = reader.u8();
  const uint32_t attributes = reader.u32();
  for (uint32_t i = 0; i < attributes && reader.ok(); ++i) {
    std::string name = reader.string();
    std::string type = reader.string();
    message.attributes.push_back({std::move(name), std::move(type), reader.string()});
  }
  if (!is_sealed) message.texts = read_map(reader);
  message.signatures = read_map(reader);
  if (is_sealed) {
    message.envelope = engine::read_envelope(reader);
    message.sealed = reader.string();
  }
  if (!reader.at_end()) message.trace_header = reader.string();
  const bool is_whole = (version == kVersion || is_sealed) && reader.ok() && reader.at_end() &&
                        (is_sealed || message.texts.contains(std::string(kDefaultText)));
  if (!is_whole) throw std::runtime_error("a stored message of a topic is damaged");
  return message;
}

void keep_message(store::Transaction& txn, const Message& message, uint32_t deliveries) {
  txn.put(part_key(kMessagePart, message.id), encode_message(message));
  txn.put(part_key(kCountPart, message.id), encode_count(deliveries));
}

Task<std::optional<Message>> load_message(store::Snapshot& reader, std::string id) {
  const auto bytes = co_await reader.get(part_key(kMessagePart, id));
  if (!bytes) co_return std::nullopt;
  co_return decode_message(*bytes);
}

Task<void> release_message(store::Transaction& txn, std::string id, uint32_t ended, uint32_t added) {
  const std::string key = part_key(kCountPart, id);
  const auto bytes = co_await txn.get(key);
  if (!bytes) co_return;
  const uint32_t count = decode_count(*bytes) + added;
  if (count > ended) {
    txn.put(key, encode_count(count - ended));
    co_return;
  }
  txn.erase(key);
  txn.erase(part_key(kMessagePart, id));
}

}  // namespace tidemill::sns
