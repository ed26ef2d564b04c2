#include "store/tallies.h"

#include <algorithm>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::store {

namespace {

constexpr char kSpace = static_cast<char>(KeySpace::tally);
constexpr std::string_view kSpaceBegin{&kSpace, 1};

std::optional<std::string> sum(const std::optional<std::string>& value, int64_t delta) {
  int64_t number = 0;
  if (value) {
    base::OrderedReader reader(*value);
    number = reader.i64();
    if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a stored number is not readable");
  }
  number += delta;
  if (number == 0) return std::nullopt;
  std::string bytes;
  base::append_i64(bytes, number);
  return bytes;
}

}  // namespace

bool is_tally_key(std::string_view key) { return !key.empty() && key.front() == kSpace; }

void Tallies::apply(const BufferedTransaction& txn, Version version, RecentWrites& recent) {
  follow_writes(txn);
  for (const auto& [key, delta] : txn.adds()) {
    if (delta == 0) continue;
    Known& known = know(key);
    change(key, known, sum(known.value, delta));
  }
  for (const auto& [key, bound] : txn.lowers()) {
    Known& known = know(key);
    if (!known.value || *known.value <= bound) continue;
    change(key, known, bound);
    recent.record_key(version, key);
  }
}

// What a transaction puts and erases here itself goes its own way to the disk, and takes the place of what was to be
// written before.
void Tallies::follow_writes(const BufferedTransaction& txn) {
  for (const Range& range : txn.erased_ranges()) {
    if (!is_tally_key(range.begin)) continue;
    known_.erase(known_.lower_bound(range.begin), known_.lower_bound(range.end));
    erased_.push_back(range);
  }
  const auto& writes = txn.writes();
  for (auto own = writes.lower_bound(kSpaceBegin); own != writes.end() && is_tally_key(own->first); ++own) {
    Known known;
    if (own->second) known.value = *own->second;
    known_.insert_or_assign(std::string(own->first), std::move(known));
  }
}

Tallies::Known& Tallies::know(std::string_view key) {
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const bool is_erased = std::any_of(erased_.begin(), erased_.end(),
                                     [&](const Range& range) { return range.begin <= key && key < range.end; });
  return known_.emplace(key, Known{is_erased ? std::nullopt : load_(key)}).first->second;
}

void Tallies::change(std::string_view key, Known& known, std::optional<std::string> value) {
  known.value = std::move(value);
  if (!std::exchange(known.is_changed, true)) changed_.emplace_back(key);
}

void Tallies::write(WriteSink& sink) {
  for (const std::string& key : changed_) {
    const auto found = known_.find(key);
    if (found == known_.end() || !std::exchange(found->second.is_changed, false)) continue;
    if (found->second.value) {
      sink.put(key, *found->second.value);
    } else {
      sink.erase(key);
    }
  }
  changed_.clear();
}

void Tallies::forget() {
  known_.clear();
  changed_.clear();
  erased_.clear();
}

void Tallies::settle() {
  erased_.clear();
  if (known_.size() > kKnownMax) known_.clear();
}

}  // namespace tidemill::store
