// An event loop: one thread, one epoll, one base::Executor. Production runs one per core. Slices of long work run one at
// a time; before each the loop looks at its sockets and runs what is ready.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/metrics.h"

namespace tidemill::net {

class Loop final : public base::Executor {
 public:
  // How long what is short may put off a slice of long work: a loop that has no end of it spends a third of its time on
  // the long.
  static constexpr std::chrono::microseconds kShortWorkMax{500};

  // Posted functions count in `activity`, which must outlive the loop.
  explicit Loop(base::Activity& activity, std::chrono::nanoseconds short_work_max = kShortWorkMax);
  ~Loop() override;

  void post(base::Function function) override;
  void post_slice(base::Function function) override;
  base::Alarm call_after(std::chrono::nanoseconds delay, base::Function function) override;

  // Every turn that the loop takes is observed from now on: who is called meanwhile waits for its end. Before run().
  void measure_with(base::Histogram& turns);

  // Runs until stop(). On the thread that is to be the loop's.
  void run();
  // From any thread.
  void stop();

  struct Impl;
  Impl& impl() { return *impl_; }  // for net/ only

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill::net
