// What has come of timers' work that reaches beyond the store, while the store does not take the record of it, for want
// of room say: kept in memory until the timer's handler is called again, which records it then instead of doing the
// work anew. Bounded: beyond that the oldest is forgotten, and its work done again, as after a crash.
//
//   std::optional<Outcome> outcome = unrecorded.take(timer);
//   if (!outcome) outcome = co_await work();
//   try { …record it in the transaction that finishes the timer… }
//   catch (const std::exception&) { unrecorded.keep(timer, *std::move(outcome), size); throw; }
//
// That holds too for a commit of which it is not known whether it was made: if it was, the timer does not stand as it
// did.
// On one executor.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "store/timer.h"

namespace tidemill::engine {

inline constexpr size_t kUnrecordedBytesMax = size_t{64} << 20;

template <class Outcome>
class Unrecorded {
 public:
  explicit Unrecorded(size_t bytes_max = kUnrecordedBytesMax) : bytes_max_(bytes_max) {}

  // `bytes`: what the outcome takes, about. Of all timers whose outcomes are kept in one, ids are unique.
  void keep(const store::Timer& timer, Outcome outcome, size_t bytes) {
    constexpr size_t kEntryBytes = 200;
    bytes += kEntryBytes + timer.id.size();
    if (const auto former = by_id_.find(timer.id); former != by_id_.end()) forget(former);
    if (bytes > bytes_max_) return;
    while (bytes_ + bytes > bytes_max_) forget(by_id_.find(oldest_first_.front().id));
    const Entry& entry = oldest_first_.emplace_back(timer.id, timer.set_at, std::move(outcome), bytes);
    by_id_.emplace(entry.id, std::prev(oldest_first_.end()));
    bytes_ += bytes;
  }

  // What came of this setting of the timer. It is kept no longer, nor is that of another setting.
  std::optional<Outcome> take(const store::Timer& timer) {
    const auto found = by_id_.find(timer.id);
    if (found == by_id_.end()) return std::nullopt;
    std::optional<Outcome> outcome;
    if (found->second->set_at == timer.set_at) outcome = std::move(found->second->outcome);
    forget(found);
    return outcome;
  }

 private:
  struct Entry {
    std::string id;
    store::Version set_at;
    Outcome outcome;
    size_t bytes;
  };

  using ById = std::unordered_map<std::string_view, typename std::list<Entry>::iterator>;  // of the entries' ids

  void forget(typename ById::iterator at) {
    const auto entry = at->second;
    by_id_.erase(at);
    bytes_ -= entry->bytes;
    oldest_first_.erase(entry);
  }

  const size_t bytes_max_;
  size_t bytes_ = 0;
  std::list<Entry> oldest_first_;
  ById by_id_;
};

}  // namespace tidemill::engine
