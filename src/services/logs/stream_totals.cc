#include "services/logs/stream_totals.h"

#include <algorithm>
#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::logs {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

void StreamTotals::add(const StreamTotals& more) {
  if (more.events == 0) return;
  first_event = events == 0 ? more.first_event : std::min(first_event, more.first_event);
  last_event = events == 0 ? more.last_event : std::max(last_event, more.last_event);
  last_ingestion = std::max(last_ingestion, more.last_ingestion);
  stored_bytes += more.stored_bytes;
  events += more.events;
}

void StreamTotals::remove(uint64_t bytes, uint64_t count, Milliseconds new_first) {
  stored_bytes -= std::min(bytes, stored_bytes);
  events -= std::min(count, events);
  first_event = new_first;
}

std::string encode_totals(const StreamTotals& totals) {
  std::string out;
  base::append_u8(out, kVersion);
  base::append_i64(out, totals.first_event);
  base::append_i64(out, totals.last_event);
  base::append_i64(out, totals.last_ingestion);
  base::append_u64(out, totals.stored_bytes);
  base::append_u64(out, totals.events);
  return out;
}

StreamTotals decode_totals(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  StreamTotals totals;
  totals.first_event = reader.i64();
  totals.last_event = reader.i64();
  totals.last_ingestion = reader.i64();
  totals.stored_bytes = reader.u64();
  totals.events = reader.u64();
  if (!reader.ok() || version != kVersion) throw std::runtime_error("the stored totals of a log stream are damaged");
  return totals;
}

StreamTotals& TotalsCache::find(const std::string& stream_id, const std::optional<std::string>& stored) {
  const auto found = streams_.find(stream_id);
  if (found != streams_.end()) return found->second;
  if (streams_.size() >= kStreamsMax) streams_.clear();
  return streams_.emplace(stream_id, stored ? decode_totals(*stored) : StreamTotals{}).first->second;
}

StreamTotals TotalsCache::add(const std::string& stream_id, const std::optional<std::string>& stored,
                              const StreamTotals& batch) {
  const std::lock_guard lock(mutex_);
  StreamTotals& totals = find(stream_id, stored);
  totals.add(batch);
  return totals;
}

StreamTotals TotalsCache::remove(const std::string& stream_id, const std::optional<std::string>& stored, uint64_t bytes,
                                 uint64_t count, Milliseconds new_first) {
  const std::lock_guard lock(mutex_);
  StreamTotals& totals = find(stream_id, stored);
  totals.remove(bytes, count, new_first);
  return totals;
}

}  // namespace tidemill::logs
