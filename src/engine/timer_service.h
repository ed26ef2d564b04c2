// Runs the store's timers: each kind's handler is called once a timer of that kind is due, at least once, also for
// timers left over from before a restart, and never early. There is no polling: it sleeps until the next due time and
// wakes when a timer is set.
//
// Of several processes that share the store one owns a kind (ownership.h), with its partitions, and runs its timers. A handler that finishes its
// timer in the transaction that does the work is fenced by that: of two that have begun, one finds the timer gone. What a
// handler writes on the way it fences by tenure().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/ownership.h"
#include "store/queue.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::engine {

// Handlers of one kind that run at the same time, unless its registration says otherwise.
inline constexpr size_t kConcurrentTimerHandlersMax = 64;

// A handler that throws is called again after this, doubled each time up to the longest wait. Kept in memory: after a
// restart it starts anew. While the clock stands these waits pass in the executor's time, but not for ever (most of an
// hour): then only a later time has it called again.
inline constexpr base::Duration kTimerBackOffFirst = std::chrono::milliseconds(100);
inline constexpr base::Duration kTimerBackOffMax = std::chrono::minutes(1);
inline constexpr int kTimerTriesMeanwhileMax = 60;
// When so many timers of a kind fail, no others of it start before one of these is tried again.
inline constexpr size_t kTimersBackingOffMax = 1000;

// When another process is to run a kind's timers: how long handlers may still take. Then they are ended where they wait.
inline constexpr base::Duration kTimerHandOnMax = std::chrono::seconds(10);

class TimerService {
 public:
  // Does the timer's work. It should call store::finish_timer() in the transaction that does it, or set the timer
  // anew, be it for the same time; one that still stands as it was when the handler returns is removed then. A handler
  // that throws keeps it. Once one has thrown store::StoreFailed, no more of its kind start: they could finish nothing.
  using Handler = std::function<Task<void>(const store::Timer& timer)>;

  struct KindOptions {
    // Housekeeping kinds do not make the automatic clock jump.
    base::Purpose purpose = base::Purpose::work;
    size_t concurrent_max = kConcurrentTimerHandlersMax;
    // Its timers stand in the kind's partitions (store::timer_partition_of), so that no owner's keep those of another
    // waiting: a partition may always run its part of `concurrent_max`, if need be beyond that (so up to twice as many run
    // at the same time), and what becomes free goes to who runs the fewest. One whose timers alone are due has all.
    bool is_shared_out = false;
    store::FloorPace floor_pace = store::FloorPace();  // more often only in tests
  };

  // All must outlive this. Construct, use and destroy on one executor, and not from within a handler.
  TimerService(store::Store& store, base::Clock& clock, Ownership& ownership);
  // For a process that has its store to itself.
  TimerService(store::Store& store, base::Clock& clock);
  ~TimerService();
  TimerService(const TimerService&) = delete;

  // One handler per kind, before start(). Timers of kinds without a handler wait in the store.
  void handle(store::TimerKind kind, Handler handler, KindOptions options);
  void handle(store::TimerKind kind, Handler handler) { handle(kind, std::move(handler), KindOptions()); }

  // From now on due timers run, on the calling executor.
  void start();

  // Of a kind whose handler is running, from within it; whichever partition its timer stands in.
  [[nodiscard]] std::shared_ptr<const Tenure> tenure(store::TimerKind kind) const;

  // How often handlers were called since start(), by kind. Any thread, until stop().
  [[nodiscard]] std::map<std::string, uint64_t> ran() const;

  // Ends the handlers where they wait, and calls none any more. For those that use what is destroyed before this.
  void stop();

 private:
  class Runner;

  SoleOwnership sole_;
  store::Store& store_;
  base::Clock& clock_;
  Ownership& ownership_;
  std::vector<std::unique_ptr<Runner>> runners_;
};

}  // namespace tidemill::engine
