#include "engine/mappings/tumbling_window.h"

#include "base/ordered.h"
#include "wire/timestamp.h"

namespace tidemill::engine {

namespace {

constexpr uint8_t kFormat = 1;
constexpr size_t kMembersBytes = 320;  // more than the members take without state, shard and ARN

void append_time(std::string& out, base::Time time) { base::append_i64(out, time.time_since_epoch().count()); }

base::Time read_time(base::OrderedReader& reader) { return base::Time(base::Duration(reader.i64())); }

std::string to_the_second(base::Time time) {
  return wire::format_timestamp(std::chrono::floor<std::chrono::seconds>(time), wire::TimestampFormat::date_time);
}

}  // namespace

void OpenWindow::add(const StreamRecord& record) {
  if (records++ == 0) {
    first_sequence_number = record.sequence_number;
    first_arrival = record.arrival;
  }
  last_sequence_number = record.sequence_number;
  last_arrival = record.arrival;
}

OpenWindow window_at(base::Time arrival, base::Duration size) {
  const base::Duration since_epoch = arrival.time_since_epoch();
  base::Duration into = since_epoch % size;
  if (into < base::Duration(0)) into += size;
  OpenWindow window;
  window.start = arrival - into;
  window.size = size;
  return window;
}

std::string encode_window(const OpenWindow& window) {
  std::string out;
  base::append_u8(out, kFormat);
  append_time(out, window.start);
  base::append_i64(out, window.size.count());
  base::append_u32(out, window.closing.attempts);
  base::append_u8(out, window.closing.reported ? 1 : 0);
  base::append_u64(out, window.records);
  base::append_string(out, window.first_sequence_number);
  base::append_string(out, window.last_sequence_number);
  append_time(out, window.first_arrival);
  append_time(out, window.last_arrival);
  base::append_fixed(out, window.state);
  return out;
}

std::optional<OpenWindow> decode_window(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  if (reader.u8() != kFormat) return std::nullopt;
  OpenWindow window;
  window.start = read_time(reader);
  window.size = base::Duration(reader.i64());
  window.closing.attempts = reader.u32();
  window.closing.reported = reader.u8() != 0;
  window.records = reader.u64();
  window.first_sequence_number = reader.string();
  window.last_sequence_number = reader.string();
  window.first_arrival = read_time(reader);
  window.last_arrival = read_time(reader);
  window.state = reader.rest();
  if (!reader.ok() || window.size <= base::Duration(0)) return std::nullopt;
  return window;
}

std::string window_members(const OpenWindow& window, std::string_view shard_id, std::string_view event_source_arn,
                           WindowCall call) {
  std::string out;
  out.reserve(window_members_size_max(window, shard_id, event_source_arn));
  out += R"(,"window":{"start":")" + to_the_second(window.start) + R"(","end":")" + to_the_second(window.end());
  out += R"("},"state":)";
  out += window.state;
  out += R"(,"shardId":)";
  json::append_string(out, shard_id);
  out += R"(,"eventSourceARN":)";
  json::append_string(out, event_source_arn);
  out += R"(,"isFinalInvokeForWindow":)";
  out += call == WindowCall::final ? "true" : "false";
  out += R"(,"isWindowTerminatedEarly":)";
  out += call == WindowCall::early ? "true" : "false";
  return out;
}

size_t window_members_size_max(const OpenWindow& window, std::string_view shard_id, std::string_view event_source_arn) {
  constexpr size_t kEscapedMax = 6;  // \u0000 for a byte
  return kMembersBytes + window.state.size() + kEscapedMax * (shard_id.size() + event_source_arn.size());
}

std::optional<std::string> state_in(const json::Value& answer) {
  const json::Value* state = answer.find("state");
  if (state == nullptr || state->is_null()) return std::nullopt;
  return json::write(*state);
}

}  // namespace tidemill::engine
