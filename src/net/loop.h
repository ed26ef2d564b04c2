// An event loop: one thread, one epoll, one base::Executor. Production runs one per core.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"

namespace tidemill::net {

class Loop final : public base::Executor {
 public:
  // Posted functions count in `activity`, which must outlive the loop.
  explicit Loop(base::Activity& activity);
  ~Loop() override;

  void post(base::Function function) override;
  base::Alarm call_after(std::chrono::nanoseconds delay, base::Function function) override;

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
