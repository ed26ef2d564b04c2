// Keeps transactions that fight over one key from wasting work. Of those that lost a race only one can win the next,
// so only one is sent to try again; the others wait in line and go one by one, each after a commit to that key.
// Inside store/ only; one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

#include "store/store.h"

namespace tidemill::store {

template <class Txn>
class Contention {
 public:
  using TxnPtr = std::shared_ptr<Txn>;
  using Steady = std::chrono::steady_clock;

  // Whoever was sent to try again and does not come back within this holds up the line no longer.
  static constexpr std::chrono::milliseconds kTurnMax{5};

  // `txn` lost a race at `slot`. True: answer it now. False: it was put in line (and moved from).
  bool may_retry_now(uint64_t slot, TxnPtr& txn) {
    const auto [found, is_new] = lines_.try_emplace(slot);
    Line& line = found->second;
    if (is_new) {
      line.turn_began = Steady::now();
      return true;
    }
    // Whoever has lost most stands first.
    const auto place = std::find_if(line.waiting.begin(), line.waiting.end(),
                                    [&](const TxnPtr& other) { return other->attempt < txn->attempt; });
    line.waiting.insert(place, std::move(txn));
    ++waiting_;
    return false;
  }

  // A commit to `slot` is visible: appends whose turn it is now to `released`.
  void written(uint64_t slot, std::vector<TxnPtr>& released) {
    if (lines_.empty()) return;
    if (const auto line = lines_.find(slot); line != lines_.end()) next_turn(line, released);
  }

  // One that was sent to try again has ended without a commit, at a slot unknown.
  void turn_given_up(std::vector<TxnPtr>& released) {
    for (auto line = lines_.begin(); line != lines_.end();) line = next_turn(line, released);
  }

  void end_long_turns(std::vector<TxnPtr>& released) {
    if (lines_.empty()) return;
    const auto latest = Steady::now() - kTurnMax;
    for (auto line = lines_.begin(); line != lines_.end();) {
      line = line->second.turn_began <= latest ? next_turn(line, released) : std::next(line);
    }
  }

  void release_all(std::vector<TxnPtr>& released) {
    for (auto& [slot, line] : lines_) {
      std::move(line.waiting.begin(), line.waiting.end(), std::back_inserter(released));
    }
    lines_.clear();
    waiting_ = 0;
  }

  // Transactions in line.
  [[nodiscard]] size_t waiting() const { return waiting_; }
  [[nodiscard]] bool empty() const { return lines_.empty(); }

 private:
  struct Line {
    std::vector<TxnPtr> waiting;
    Steady::time_point turn_began;
  };
  using Lines = std::unordered_map<uint64_t, Line>;

  typename Lines::iterator next_turn(typename Lines::iterator line, std::vector<TxnPtr>& released) {
    auto& waiting = line->second.waiting;
    if (waiting.empty()) return lines_.erase(line);
    released.push_back(std::move(waiting.front()));
    waiting.erase(waiting.begin());
    --waiting_;
    line->second.turn_began = Steady::now();
    return std::next(line);
  }

  Lines lines_;
  size_t waiting_ = 0;
};

}  // namespace tidemill::store
