#include "services/logs/stream.h"

#include <stdexcept>

#include "base/ordered.h"
#include "services/logs/errors.h"

namespace tidemill::logs {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

std::string encode_stream(const LogStream& stream) {
  std::string out;
  base::append_u8(out, kVersion);
  base::append_fixed(out, stream.id);
  base::append_i64(out, stream.created.time_since_epoch().count());
  return out;
}

LogStream decode_stream(std::string name, std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  LogStream stream;
  stream.name = std::move(name);
  stream.id = reader.fixed(kIdSize);
  stream.created = base::Time(base::Duration(reader.i64()));
  if (!reader.ok() || !reader.at_end() || version != kVersion) throw std::runtime_error("a stored log stream is damaged");
  return stream;
}

Task<LogStream> get_stream(store::Snapshot& reader, const LogGroup& group, std::string name) {
  const auto bytes = co_await reader.get(stream_key(group.id, name));
  if (!bytes) throw stream_not_found();
  co_return decode_stream(std::move(name), *bytes);
}

Task<std::vector<LogStream>> list_streams(store::Snapshot& reader, store::Range range, store::ScanOptions options) {
  std::vector<LogStream> streams;
  co_await reader.scan(range, options, [&](std::string_view key, std::string_view value) {
    streams.push_back(decode_stream(stream_name_of_key(key), value));
    return true;
  });
  co_return streams;
}

Task<const LogStream*> StreamPages::next() {
  if (at_ == page_.size() && !is_last_) {
    page_ = co_await list_streams(reader_, rest_, store::first(kStreamsAtOnce));
    at_ = 0;
    is_last_ = page_.size() < kStreamsAtOnce;
    if (!is_last_) rest_.begin = stream_key(group_id_, page_.back().name) + '\0';
  }
  co_return at_ == page_.size() ? nullptr : &page_[at_++];
}

std::string encode_event(Milliseconds ingested, std::string_view message) {
  std::string out;
  out.reserve(9 + message.size());
  base::append_u8(out, kVersion);
  base::append_i64(out, ingested);
  base::append_fixed(out, message);
  return out;
}

Event decode_event(EventPlace place, std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  Event event{.place = place};
  event.ingested = reader.i64();
  event.message = reader.rest();
  if (!reader.ok() || version != kVersion) throw std::runtime_error("a stored log event is damaged");
  return event;
}

}  // namespace tidemill::logs
