// What a log stream and an event are, and how they are kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/logs/log_keys.h"

namespace tidemill::logs {

struct LogStream {
  std::string name;
  std::string id;  // kIdSize random bytes
  base::Time created;
};

[[nodiscard]] std::string encode_stream(const LogStream& stream);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] LogStream decode_stream(std::string name, std::string_view bytes);

// Throws ResourceNotFoundException. The read is tracked if `reader` is a transaction.
Task<LogStream> get_stream(store::Snapshot& reader, const LogGroup& group, std::string name);
// Those of a part of streams_range().
Task<std::vector<LogStream>> list_streams(store::Snapshot& reader, store::Range range, store::ScanOptions options);

// The same one after the other, by name. A group may have millions: only some are in memory at a time.
//
//   StreamPages streams(snapshot, group, streams_range(group.id));
//   while (const LogStream* stream = co_await streams.next()) …
class StreamPages {
 public:
  static constexpr size_t kStreamsAtOnce = 1000;

  // The reader outlives this.
  StreamPages(store::Snapshot& reader, const LogGroup& group, store::Range range)
      : reader_(reader), group_id_(group.id), rest_(std::move(range)) {}

  // Good until the next call; null at the end.
  Task<const LogStream*> next();

 private:
  store::Snapshot& reader_;
  const std::string group_id_;
  store::Range rest_;
  std::vector<LogStream> page_;
  size_t at_ = 0;  // of the page
  bool is_last_ = false;
};

struct Event {
  EventPlace place;
  Milliseconds ingested = 0;
  std::string message;
};

// What each event counts in the limits of requests and answers beside its message.
inline constexpr size_t kEventOverheadBytes = 26;

[[nodiscard]] std::string encode_event(Milliseconds ingested, std::string_view message);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Event decode_event(EventPlace place, std::string_view bytes);

}  // namespace tidemill::logs
