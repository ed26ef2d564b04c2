#include "services/sqs/message.h"

#include <stdexcept>
#include <tuple>

#include "base/ordered.h"

namespace tidemill::sqs {
namespace {

constexpr uint8_t kMessageVersion = 1;
constexpr uint8_t kGivenUpVersion = 2;  // with receives_before
constexpr uint8_t kSealedVersion = 3;   // with receives_before, the envelope, and no digest
// Of a record without its message, and with it.
constexpr uint8_t kStateVersion = 1;
constexpr uint8_t kRecordVersion = 2;
constexpr size_t kStateSize = 1 + 8 + 8 + 4 + 8 + 8;

void append_part(std::string& out, std::string_view part) {
  base::append_u32(out, static_cast<uint32_t>(part.size()));
  base::append_fixed(out, part);
}

std::string read_part(base::OrderedReader& reader) { return std::string(reader.fixed(reader.u32())); }

void append_time(std::string& out, base::Time time) { base::append_i64(out, time.time_since_epoch().count()); }

base::Time read_time(base::OrderedReader& reader) { return base::Time(base::Duration(reader.i64())); }

// The order in which they are stored.
auto texts_of(auto& message, auto& body_md5) {
  return std::tie(message.id, message.sender, body_md5, message.group, message.deduplication_id,
                  message.sequence_number, message.trace_header, message.source_arn);
}

}  // namespace

std::string encode_message(const Message& message) {
  std::string out;
  out.reserve(message.body.size() + 256);
  const bool is_sealed = !message.envelope.empty();
  const uint8_t version = is_sealed ? kSealedVersion : message.receives_before == 0 ? kMessageVersion : kGivenUpVersion;
  base::append_u8(out, version);
  if (version != kMessageVersion) base::append_u32(out, message.receives_before);
  if (is_sealed) engine::append_envelope(out, message.envelope);
  const std::string no_digest;
  std::apply([&](const auto&... text) { (append_part(out, text), ...); },
             texts_of(message, is_sealed ? no_digest : message.body_md5));
  base::append_u32(out, static_cast<uint32_t>(message.attributes.size()));
  for (const MessageAttribute& attribute : message.attributes) {
    append_part(out, attribute.name);
    append_part(out, attribute.type);
    base::append_u8(out, attribute.is_binary ? 1 : 0);
    append_part(out, attribute.value);
  }
  base::append_fixed(out, message.body);
  return out;
}

Message decode_message(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  Message message;
  if (version == kGivenUpVersion || version == kSealedVersion) message.receives_before = reader.u32();
  if (version == kSealedVersion) message.envelope = engine::read_envelope(reader);
  std::apply([&](auto&... text) { ((text = read_part(reader)), ...); }, texts_of(message, message.body_md5));
  const uint32_t count = reader.u32();
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    MessageAttribute& attribute = message.attributes.emplace_back();
    attribute.name = read_part(reader);
    attribute.type = read_part(reader);
    attribute.is_binary = reader.u8() != 0;
    attribute.value = read_part(reader);
  }
  message.body = reader.rest();
  const bool is_known = version == kMessageVersion || version == kGivenUpVersion || version == kSealedVersion;
  if (!reader.ok() || !is_known) throw std::runtime_error("a stored message is damaged");
  return message;
}

std::string encode_record(const MessageRecord& record) {
  const MessageState& state = record.state;
  std::string out;
  out.reserve(kStateSize + record.message.size());
  base::append_u8(out, record.message.empty() ? kStateVersion : kRecordVersion);
  append_time(out, state.sent);
  append_time(out, state.available);
  base::append_u32(out, state.receives);
  append_time(out, state.first_received);
  append_time(out, state.last_received);
  base::append_fixed(out, record.message);
  return out;
}

MessageState decode_state(std::string_view record) {
  base::OrderedReader reader(record.substr(0, kStateSize));
  const uint8_t version = reader.u8();
  MessageState state;
  state.sent = read_time(reader);
  state.available = read_time(reader);
  state.receives = reader.u32();
  state.first_received = read_time(reader);
  state.last_received = read_time(reader);
  const bool is_alone = record.size() == kStateSize;
  if (!reader.ok() || version != (is_alone ? kStateVersion : kRecordVersion)) {
    throw std::runtime_error("the state of a stored message is damaged");
  }
  return state;
}

MessageRecord decode_record(std::string_view bytes) {
  return {decode_state(bytes), std::string(bytes.substr(kStateSize))};
}

}  // namespace tidemill::sqs
