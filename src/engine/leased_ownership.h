// Ownership where several processes share a store, by its leases (store/lease.h).
//
// Every process is a member for as long as its beats go on. A thing falls to one of the members (the highest of a hash of
// both, so that one that joins or leaves moves only what falls to it or did): that one takes the lease as soon as nobody
// has it, and whoever has it lets go as soon as it is done with what is under way.
//
//   join ──> beat ──> bury who stands still ──> give back ──> take what falls here, ask back what does not ──┐
//             ^                                                                                             │
//             └──────────────── after a third of the length, or when leases change ─────────────────────────┘
//
// A member whose beats have stood still for `length`, by the clock of one who has watched them for so long, is buried.
// It has stopped by then: a life ends by itself `margin` before that, counted from before its last beat began. So clocks
// that show different times do no harm. They must run: one that is turned back may let a tenure go on beside another for
// as much, and then what both write is kept apart by the fence alone.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "engine/ownership.h"
#include "store/lease.h"

namespace tidemill::engine {

struct LeaseTimes {
  base::Duration length = std::chrono::seconds(10);  // without a sign of life a member is dead after this
  base::Duration beat = length / 3;                  // between two signs of life
  base::Duration margin = std::chrono::seconds(1);   // for clocks that run at different speeds, over `length`
};

// Of the claims that are free, so many are taken in one transaction.
inline constexpr size_t kLeasesPerTransactionMax = 64;

class LeasedOwnership final : public Ownership {
 public:
  // `process` is unique per run of a process. What is passed by reference outlives this.
  LeasedOwnership(store::Store& store, base::Clock& clock, std::string process, LeaseTimes times = {});
  // Leaves without a word: the others wait for as long as after a crash, unless leave() has come to its end.
  ~LeasedOwnership() override;
  LeasedOwnership(const LeasedOwnership&) = delete;

  // Tells of each life that begins, before anything is owned in it: what else a process does under its name (Blobs::live_as).
  // Before start().
  void on_life(std::function<void(const store::Member&)> tell);

  // Joins, and from now on keeps what it owns, on the calling executor.
  void start();
  // Ends every tenure and tells the others, so that they need not wait. Nothing is owned here any more.
  Task<void> leave();

  std::unique_ptr<Claim> claim(std::string name, base::Signal changed) override;
  [[nodiscard]] bool is_shared() const override { return true; }
  Task<bool> is_owned(store::Transaction& txn, std::string_view prefix) override;
  store::Subscription watch(std::function<void()> callback) override;

  struct Impl;  // internal

 private:
  const std::shared_ptr<Impl> impl_;
};

}  // namespace tidemill::engine
