// What the events of a stream come to: the times that DescribeLogStreams shows and orders by, and their bytes.
//
// They are written with the events, but not read in the same way: tracking them would make writers of one stream
// conflict. Each process keeps those of the streams that it writes and puts them as they are then, so a total lacks at
// most what another process, or a crash between two commits, left out, until the stream is written again. AWS promises
// no more ("eventual consistency"). Nothing else rests on them.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "services/logs/group.h"

namespace tidemill::logs {

struct StreamTotals {
  Milliseconds first_event = 0;
  Milliseconds last_event = 0;
  Milliseconds last_ingestion = 0;
  uint64_t stored_bytes = 0;  // of the messages, each with kEventOverheadBytes
  uint64_t events = 0;        // none: the times mean nothing

  void add(const StreamTotals& more);
  // Bytes and events that were deleted, and the time of the first that remains.
  void remove(uint64_t bytes, uint64_t count, Milliseconds new_first);
};

[[nodiscard]] std::string encode_totals(const StreamTotals& totals);
[[nodiscard]] StreamTotals decode_totals(std::string_view bytes);

// Any thread.
class TotalsCache {
 public:
  static constexpr size_t kStreamsMax = 100'000;  // kept; beyond, it starts anew from the store

  // The totals of a stream with `batch`, given what the store says of it (encoded; nullopt: nothing).
  StreamTotals add(const std::string& stream_id, const std::optional<std::string>& stored, const StreamTotals& batch);
  StreamTotals remove(const std::string& stream_id, const std::optional<std::string>& stored, uint64_t bytes,
                      uint64_t count, Milliseconds new_first);

 private:
  StreamTotals& find(const std::string& stream_id, const std::optional<std::string>& stored);

  std::mutex mutex_;
  std::unordered_map<std::string, StreamTotals> streams_;
};

}  // namespace tidemill::logs
