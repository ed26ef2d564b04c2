#include "store/buffered_transaction.h"

#include <cassert>

#include "store/log_keys.h"
#include "store/tallies.h"

namespace tidemill::store {

namespace {

// What one entry takes beyond its own bytes in RocksDB's batch and memtable.
constexpr size_t kEntryOverheadBytes = 32;

bool contains(const Range& range, std::string_view key) { return range.begin <= key && key < range.end; }

}  // namespace

Task<std::optional<std::string>> BufferedTransaction::get(std::string_view key) {
  return Task<std::optional<std::string>>::ready(read(key, true));
}

Task<std::optional<std::string>> BufferedTransaction::get_untracked(std::string_view key) {
  return Task<std::optional<std::string>>::ready(read(key, false));
}

std::optional<std::string> BufferedTransaction::read(std::string_view key, bool tracked) {
  if (!writes_.empty()) {
    if (const auto own = writes_.find(key); own != writes_.end()) return own->second;
  }
  if (is_range_erased(key)) return std::nullopt;
  if (tracked) track(key);
  return view_->get(key);
}

bool BufferedTransaction::is_range_erased(std::string_view key) const {
  for (const Range& range : erased_ranges_) {
    if (contains(range, key)) return true;
  }
  return false;
}

Task<void> BufferedTransaction::scan(const Range& range, Direction direction, const EntryVisitor& visit) {
  std::string last;
  const bool stopped = merge_scan(range, direction, visit, last);
  Range seen = range;
  if (stopped && direction == Direction::forward) {
    seen.end = last + '\0';
  } else if (stopped) {
    seen.begin = last;
  }
  if (seen.begin < seen.end) reads_.ranges.push_back(std::move(seen));
  return Task<void>::ready();
}

Task<void> BufferedTransaction::scan_untracked(const Range& range, Direction direction, const EntryVisitor& visit) {
  std::string last;
  merge_scan(range, direction, visit, last);
  return Task<void>::ready();
}

bool BufferedTransaction::merge_scan(const Range& range, Direction direction, const EntryVisitor& visit,
                                     std::string& last) const {
  if (range.begin >= range.end) return false;
  bool stopped = false;
  const auto show = [&](std::string_view key, std::string_view value) {
    if (visit(key, value)) return true;
    stopped = true;
    last = key;
    return false;
  };

  // Own writes and the view's entries, merged in the direction of the scan; an own write hides the view's entry.
  const auto first = writes_.lower_bound(range.begin);
  const auto beyond = writes_.lower_bound(range.end);
  const auto merge = [&](auto own, const auto own_end, const auto comes_before) {
    const auto show_own_before = [&](const std::string_view* key) {
      for (; own != own_end && (key == nullptr || comes_before(own->first, *key)); ++own) {
        if (own->second && !show(own->first, *own->second)) return false;
      }
      return true;
    };
    view_->scan(range.begin, range.end, direction, [&](std::string_view key, std::string_view value) {
      if (!show_own_before(&key)) return false;
      if (own != own_end && own->first == key) {
        const auto& mine = (own++)->second;
        return !mine || show(key, *mine);
      }
      return is_range_erased(key) || show(key, value);
    });
    if (!stopped) show_own_before(nullptr);
  };
  if (direction == Direction::forward) {
    merge(first, beyond, std::less<std::string_view>());
  } else {
    merge(std::make_reverse_iterator(beyond), std::make_reverse_iterator(first), std::greater<std::string_view>());
  }
  return stopped;
}

Task<void> BufferedTransaction::read_log(const LogId& log, Position after, const RecordVisitor& visit) {
  view_->read_log(log, after, visit);
  return Task<void>::ready();
}

Task<std::optional<Position>> BufferedTransaction::last_position(const LogId& log) {
  return Task<std::optional<Position>>::ready(view_->last_position(log));
}

void BufferedTransaction::track(std::string_view key) { reads_.point_hashes.push_back(key_hash(key)); }

void BufferedTransaction::put(std::string_view key, std::string_view value) {
  assert(!key.empty() && !is_log_key(key));
  writes_.insert_or_assign(std::string(key), std::optional<std::string>(std::in_place, value));
  bytes_ += key.size() + value.size() + kEntryOverheadBytes;
}

void BufferedTransaction::erase(std::string_view key) {
  assert(!key.empty() && !is_log_key(key));
  writes_.insert_or_assign(std::string(key), std::nullopt);
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
  appends_.push_back({log, std::string(record), index});
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
