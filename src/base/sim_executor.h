// One thread that stands for all: posted functions run in an order drawn from a seed, so that a run can be replayed
// exactly and different seeds explore different interleavings. Where long work asks whether to give way, the seed answers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <random>

#include "base/clock.h"
#include "base/executor.h"

namespace tidemill::base {

class SimExecutor final : public Executor {
 public:
  // `activity` counts posted functions; it must outlive the executor.
  SimExecutor(uint64_t seed, Activity& activity);
  ~SimExecutor() override;

  void post(Function function) override;
  // Steady time in a simulation passes only when nothing else can run.
  Alarm call_after(std::chrono::nanoseconds delay, Function function) override;

  // Runs one posted function, or else the earliest delayed one. False: nothing is left.
  bool run_one();
  void run_until_idle() {
    while (run_one()) {
    }
  }
  // Drops everything that is still posted: part of a simulated crash.
  void drop_all();

  std::mt19937_64& random() { return random_; }

 private:
  bool is_slice_over() override;
  // One of those that are posted, drawn; none: null.
  Function take_posted();

  std::mt19937_64 random_;
  Activity& activity_;
  std::mutex mutex_;
  std::deque<Function> posted_;  // under mutex_: tests of what blocks have threads that post here
  std::chrono::nanoseconds steady_now_{0};
  uint64_t next_id_ = 0;
  struct Delayed;
  std::map<std::pair<std::chrono::nanoseconds, uint64_t>, std::shared_ptr<Delayed>> delayed_;
};

}  // namespace tidemill::base
