// For simulations: one of several processes that share a SimExecutor. It may stall, as under a debugger or on a machine
// without memory: then nothing of it runs, whatever has come for it meanwhile, while the others go on. And its clock may
// show another time than theirs.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/sim_executor.h"

namespace tidemill::base {

class SimProcess final : public Executor {
 public:
  // All outlive this, which outlives whatever was posted to it. `offset` is how far its clock is ahead of `time`.
  SimProcess(SimExecutor& machine, Clock& time, Duration offset)
      : Executor(kEachStep), machine_(machine), clock_(time, offset) {}

  [[nodiscard]] Clock& clock() { return clock_; }

  void post(Function function) override {
    machine_.post([this, body = std::move(function)]() mutable { run(std::move(body)); });
  }

  Alarm call_after(std::chrono::nanoseconds delay, Function function) override {
    auto entry = std::make_shared<Delayed>();
    entry->function = std::move(function);
    entry->inner = machine_.call_after(delay, [this, entry] {
      run([entry] {
        if (!entry->cancelled) entry->function();
      });
    });
    return Alarm(entry);
  }

  void stall() { stalled_ = true; }
  void wake_up() {
    stalled_ = false;
    for (Function& body : std::exchange(waiting_, {})) post(std::move(body));
  }
  [[nodiscard]] bool is_stalled() const { return stalled_; }

  // Nothing of it runs any more.
  void kill() {
    killed_ = true;
    waiting_.clear();
  }

 private:
  static constexpr size_t kEachStep = 1;

  // By the machine's seed, not by the time that a run happens to take.
  bool is_slice_over() override { return machine_.count_steps(kEachStep); }

  struct Delayed : Alarm::State {
    Function function;
    Alarm inner;
    void on_cancel() override { inner.cancel(); }
  };

  // What counts as activity is what the machine has to run: time goes on while a process stalls, and also while
  // something in it is busy with nothing to run.
  class OffsetClock final : public Clock {
   public:
    OffsetClock(Clock& time, Duration offset) : time_(time), offset_(offset) {}
    [[nodiscard]] Time now() const override { return time_.now() + offset_; }
    Alarm call_at(Executor& executor, Time time, Function function, Purpose purpose) override {
      return time_.call_at(executor, time - offset_, std::move(function), purpose);
    }

   private:
    Clock& time_;
    const Duration offset_;
  };

  void run(Function body) {
    if (killed_) return;
    if (stalled_) {
      waiting_.push_back(std::move(body));
      return;
    }
    const Enter enter(*this);
    body();
  }

  SimExecutor& machine_;
  OffsetClock clock_;
  bool stalled_ = false;
  bool killed_ = false;
  std::vector<Function> waiting_;
};

}  // namespace tidemill::base
