// The platform's clock: all time that an application can see comes from here. Three kinds (docs/architecture.md):
//   real       the machine's clock
//   virtual    stands still until advanced; advancing runs every due alarm in order
//   automatic  virtual, and whenever the platform is quiet it jumps to the next alarm
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/executor.h"
#include "base/future.h"

namespace tidemill::base {

using Duration = std::chrono::microseconds;
using Time = std::chrono::sys_time<Duration>;

// Counts what is under way: posted functions, requests, commits, invocations. Zero means quiet: nothing will happen
// any more unless time passes or somebody outside asks for something. Any thread.
class Activity {
 public:
  class [[nodiscard]] Hold {
   public:
    Hold() = default;
    explicit Hold(Activity* activity) : activity_(activity) {
      if (activity_) activity_->begin();
    }
    Hold(Hold&& other) noexcept : activity_(std::exchange(other.activity_, nullptr)) {}
    Hold& operator=(Hold&& other) noexcept {
      std::swap(activity_, other.activity_);
      return *this;
    }
    ~Hold() {
      if (activity_) activity_->end();
    }

   private:
    Activity* activity_ = nullptr;
  };

  Hold hold() { return Hold(this); }
  void begin() { count_.fetch_add(1, std::memory_order_acq_rel); }
  void end() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1 && listening_.load(std::memory_order_acquire)) quiet();
  }
  [[nodiscard]] bool is_quiet() const { return count_.load(std::memory_order_acquire) == 0; }

  // `listener` is called, on whatever thread ends the last activity, each time the platform falls quiet.
  void on_quiet(std::function<void()> listener);

 private:
  void quiet();

  std::atomic<int64_t> count_ = 0;
  std::atomic<bool> listening_ = false;
  std::mutex mutex_;
  std::function<void()> listener_;
};

// What the automatic clock may jump to. Housekeeping (trimming what has outlived its retention, say) happens when
// its time comes but is no reason to hurry time along.
enum class Purpose { work, housekeeping };

class Clock {
 public:
  virtual ~Clock() = default;

  // Microseconds since 1970, UTC. Any thread.
  [[nodiscard]] virtual Time now() const = 0;

  // Runs `function` on `executor` once now() >= time. Call on `executor`.
  virtual Alarm call_at(Executor& executor, Time time, Function function, Purpose purpose = Purpose::work) = 0;

  [[nodiscard]] Activity& activity() { return activity_; }

  Task<void> sleep_until(Time time, Purpose purpose = Purpose::work);

  // Waits for `signal` until `deadline`; false: the deadline came first.
  Task<bool> wait(Signal signal, Time deadline, Purpose purpose = Purpose::work);

  // Waits for `signal`, but no longer than `time`, by this clock or by the executor's own: for what has failed, and is to be
  // tried again also while this clock stands.
  Task<void> pause(Signal signal, Duration time);

 private:
  Activity activity_;
};

class RealClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override;
  Alarm call_at(Executor& executor, Time time, Function function, Purpose purpose) override;
};

// Stands still until advanced. Any thread may advance it; one advance at a time, others wait their turn.
class VirtualClock final : public Clock {
 public:
  enum class Mode { manual, automatic };

  VirtualClock(Time start, Mode mode);
  ~VirtualClock() override;

  [[nodiscard]] Time now() const override;
  Alarm call_at(Executor& executor, Time time, Function function, Purpose purpose) override;

  // Turns the clock to `target` (never back), running every alarm due by then in order of time, each once the
  // platform is quiet. `done` is called when the platform is quiet again at `target`, on some thread.
  void advance_to(Time target, std::function<void()> done);

 private:
  struct Entry;
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace tidemill::base
