// Workers that wait for a task of an activity: by the platform's clock, on one that stands in real time as well, and no
// longer than the server runs.
#pragma once

#include <list>
#include <mutex>

#include "base/executor.h"
#include "base/future.h"

namespace tidemill::states {

inline constexpr std::chrono::seconds kActivityPollMax{60};  // GetActivityTask, as on AWS

// Any thread.
class ActivityPolls {
 public:
  static constexpr size_t kWaitingMax = 10'000;  // beyond: store::Overloaded

  explicit ActivityPolls(bool end_in_real_time) : end_in_real_time_(end_in_real_time) {}
  ActivityPolls(const ActivityPolls&) = delete;

  // While it lives `signal` is raised when the poll is to end. On the executor that waits.
  class [[nodiscard]] Poll {
   public:
    Poll(ActivityPolls& polls, base::Signal signal);  // throws store::Overloaded
    ~Poll();
    Poll(const Poll&) = delete;
    [[nodiscard]] bool is_over() const;

   private:
    friend class ActivityPolls;
    ActivityPolls& polls_;
    const base::Signal signal_;
    bool is_over_ = false;  // under the mutex
    std::list<Poll*>::iterator place_;
    base::Alarm alarm_;
  };

  // All that wait are answered, and none waits from now on.
  void end_all();

 private:
  void end(Poll& poll);

  const bool end_in_real_time_;
  std::mutex mutex_;
  std::list<Poll*> waiting_;
  bool ended_ = false;
};

}  // namespace tidemill::states
