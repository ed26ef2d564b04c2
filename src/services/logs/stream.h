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
// All of a group whose names begin so, by name.
Task<std::vector<LogStream>> list_streams(store::Snapshot& reader, const LogGroup& group, std::string name_prefix);

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
