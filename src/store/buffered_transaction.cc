#include "store/buffered_transaction.h"

#include <cassert>
#include <cstring>

#include "store/log_keys.h"
#include "store/tallies.h"

namespace tidemill::store {

namespace {

// What one entry takes beyond its own bytes in RocksDB's batch and memtable.
constexpr size_t kEntryOverheadBytes = 32;

}  // namespace

Task<std::optional<std::string>> BufferedTransaction::get(std::string_view key) { return read(key, true); }

Task<std::optional<std::string>> BufferedTransaction::get_untracked(std::string_view key) { return read(key, false); }

Task<std::optional<std::string>> BufferedTransaction::read(std::string_view key, bool tracked) {
  using Value = Task<std::optional<std::string>>;
  if (!writes_.empty()) {
    if (const auto own = writes_.find(key); own != writes_.end()) {
      return Value::ready(own->second ? std::optional<std::string>(*own->second) : std::nullopt);
    }
  }
  if (contains(erased_ranges_, key)) return Value::ready(std::nullopt);
  if (tracked) track(key);
  return store::read(view_, key);
}

Task<bool> BufferedTransaction::unchanged_since(std::string_view key, Version since) {
  const bool is_own = writes_.contains(key) || contains(erased_ranges_, key);
  if (is_own || !view_->unchanged_since(key, since)) return Task<bool>::ready(false);
  track(key);
  return Task<bool>::ready(true);
}

Task<void> BufferedTransaction::scan(const Range& range, ScanOptions options, const EntryVisitor& visit) {
  return scan(range, options, visit, true);
}

Task<void> BufferedTransaction::scan_untracked(const Range& range, ScanOptions options, const EntryVisitor& visit) {
  return scan(range, options, visit, false);
}

Task<void> BufferedTransaction::scan(const Range& range, ScanOptions options, const EntryVisitor& visit, bool tracked) {
  if (range.begin >= range.end || options.limit == 0) return Task<void>::ready();
  ScanRun run(open(range, options.direction), options.limit);
  if (!run.advance(visit)) return scan_on(std::move(run), range, options.direction, visit, tracked);
  if (tracked) track_seen(run, range, options.direction);
  return Task<void>::ready();
}

Task<void> BufferedTransaction::scan_on(ScanRun run, Range range, Direction direction, const EntryVisitor& visit,
                                        bool tracked) {
  do {
    co_await base::give_way();
  } while (!run.advance(visit));
  if (tracked) track_seen(run, std::move(range), direction);
}

std::unique_ptr<Cursor> BufferedTransaction::open(const Range& range, Direction direction) const {
  auto theirs = view_->open(range, direction);
  if (writes_.empty() && erased_ranges_.empty()) return theirs;
  return std::make_unique<MergedCursor>(std::move(theirs), writes_, erased_ranges_, range, direction);
}

void BufferedTransaction::track_seen(const ScanRun& run, Range range, Direction direction) {
  if (const auto last = run.stopped_at()) {
    if (direction == Direction::forward) {
      range.end = std::string(*last) + '\0';
    } else {
      range.begin = *last;
    }
  }
  if (range.begin < range.end) reads_.ranges.push_back(std::move(range));
}

Task<void> BufferedTransaction::read_log(const LogId& log, LogStart start, const RecordVisitor& visit) {
  return store::read_log(view_, log, start, visit);
}

Task<std::optional<Position>> BufferedTransaction::last_position(const LogId& log) {
  return store::last_position(view_, log);
}

void BufferedTransaction::track(std::string_view key) { reads_.point_hashes.push_back(key_hash(key)); }

std::string_view BufferedTransaction::keep(std::string_view bytes) {
  if (bytes.empty()) return "";
  void* const place = memory_.allocate(bytes.size(), alignof(char));
  std::memcpy(place, bytes.data(), bytes.size());
  return {static_cast<const char*>(place), bytes.size()};
}

std::optional<std::string_view>& BufferedTransaction::written(std::string_view key) {
  auto place = writes_.lower_bound(key);
  if (place == writes_.end() || place->first != key) place = writes_.emplace_hint(place, keep(key), std::nullopt);
  return place->second;
}

void BufferedTransaction::put(std::string_view key, std::string_view value) {
  assert(!key.empty() && !is_log_key(key));
  written(key) = keep(value);
  bytes_ += key.size() + value.size() + kEntryOverheadBytes;
}

void BufferedTransaction::erase(std::string_view key) {
  assert(!key.empty() && !is_log_key(key));
  written(key) = std::nullopt;
  bytes_ += key.size() + kEntryOverheadBytes;
}

void BufferedTransaction::erase_range(const Range& range) {
  if (range.begin >= range.end) return;
  assert(!is_log_key(range.begin));
  writes_.erase(writes_.lower_bound(range.begin), writes_.lower_bound(range.end));
  erased_ranges_.push_back(range);
  bytes_ += range.begin.size() + range.end.size() + kEntryOverheadBytes;
}

void BufferedTransaction::add(std::string_view key, int64_t delta) {
  assert(is_tally_key(key));
  if (const auto found = adds_.find(key); found != adds_.end()) {
    found->second += delta;
    return;
  }
  adds_.emplace(key, delta);
  bytes_ += key.size() + sizeof(delta) + kEntryOverheadBytes;
}

void BufferedTransaction::lower(std::string_view key, std::string_view bound) {
  assert(is_tally_key(key));
  if (const auto found = lowers_.find(key); found != lowers_.end()) {
    if (bound < found->second) found->second = bound;
    return;
  }
  lowers_.emplace(key, bound);
  bytes_ += key.size() + bound.size() + kEntryOverheadBytes;
}

uint32_t BufferedTransaction::append(const LogId& log, std::string_view record) {
  const uint32_t index = next_append_index_++;
  appends_.push_back({log, keep(record), index});
  bytes_ += log.bytes.size() + Position::kEncodedSize + record.size() + kEntryOverheadBytes;
  return index;
}

void BufferedTransaction::trim_log(const LogId& log, Position upto) {
  dropped_log_ranges_.push_back({log_prefix(log), log_key_after(log, upto)});
  bytes_ += dropped_log_ranges_.back().end.size() * 2 + kEntryOverheadBytes;
}

void BufferedTransaction::erase_log(const LogId& log) {
  std::erase_if(appends_, [&](const Append& append) { return append.log == log; });
  dropped_log_ranges_.push_back(Range::prefix(log_prefix(log)));
  bytes_ += dropped_log_ranges_.back().end.size() * 2 + kEntryOverheadBytes;
}

void BufferedTransaction::signal(std::string_view topic) {
  if (topics_.empty() || topics_.back() != topic) topics_.emplace_back(topic);
}

bool BufferedTransaction::is_read_only() const {
  return writes_.empty() && erased_ranges_.empty() && adds_.empty() && lowers_.empty() && appends_.empty() &&
         dropped_log_ranges_.empty() && topics_.empty();
}

void BufferedTransaction::apply(Version version, WriteSink& sink) const {
  for (const Range& range : dropped_log_ranges_) sink.erase_range(range.begin, range.end);
  for (const Range& range : erased_ranges_) sink.erase_range(range.begin, range.end);
  for (const auto& [key, value] : writes_) {
    if (value) {
      sink.put(key, *value);
    } else {
      sink.erase(key);
    }
  }
  for (const Append& append : appends_) sink.put(log_key(append.log, {version, append.index}), append.record);
}

}  // namespace tidemill::store
