// Workers that wait for a task of an activity: by the platform's clock, on one that stands in real time as well, and no
// longer than the server runs. They stand in line, and only the first of an activity looks for a task: so an offer
// wakes one, and they do not all lose a race for it.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <string>

#include "base/executor.h"
#include "base/future.h"

namespace tidemill::states {

inline constexpr std::chrono::seconds kActivityPollMax{60};  // GetActivityTask, as on AWS

// Any thread.
class ActivityPolls {
 public:
  class Poll;

 private:
  using Line = std::list<Poll*>;
  using Lines = std::map<std::string, Line>;  // by the activity's ARN

 public:
  static constexpr size_t kWaitingMax = 10'000;  // beyond: store::Overloaded

  explicit ActivityPolls(bool end_in_real_time) : end_in_real_time_(end_in_real_time) {}
  ActivityPolls(const ActivityPolls&) = delete;

  // While it lives `signal` is raised when the poll becomes the first of its line, and when it is to end. On the
  // executor that waits.
  class [[nodiscard]] Poll {
   public:
    Poll(ActivityPolls& polls, const std::string& activity_arn, base::Signal signal);  // throws store::Overloaded
    ~Poll();
    Poll(const Poll&) = delete;
    [[nodiscard]] bool is_first() const;
    [[nodiscard]] bool is_over() const;

   private:
    friend class ActivityPolls;
    ActivityPolls& polls_;
    const base::Signal signal_;
    bool is_over_ = false;  // under the mutex
    Lines::iterator line_;
    Line::iterator place_;
    base::Alarm alarm_;
  };

  // All that wait are answered, and none waits from now on.
  void end_all();

 private:
  void end(Poll& poll);

  const bool end_in_real_time_;
  std::mutex mutex_;
  Lines lines_;
  size_t waiting_ = 0;  // in all lines
  bool ended_ = false;
};

}  // namespace tidemill::states
