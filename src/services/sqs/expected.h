// When queues will have something for those who asked, found nothing and went away. A clock that jumps whenever all is
// quiet jumps there as well: who asks again and again without waiting would otherwise do so forever.
#pragma once

#include <mutex>
#include <optional>
#include <set>

#include "base/clock.h"
#include "base/executor.h"
#include "base/future.h"

namespace tidemill::sqs {

// Any thread.
class Expected {
 public:
  // Beyond, the latest are forgotten: who asks again says so again.
  static constexpr size_t kKeptMax = 1'000;

  explicit Expected(base::Clock& clock) : clock_(clock) {}
  Expected(const Expected&) = delete;

  // From now on there is a reason for the clock to come to `time`. On an executor; destroy this once the first that
  // called does not run any more, or on it.
  void add(base::Time time);

 private:
  Task<void> keep_alarm();
  [[nodiscard]] std::optional<base::Time> next();

  base::Clock& clock_;
  const base::Signal changed_;
  std::mutex mutex_;
  std::set<base::Time> times_;
  std::once_flag started_;
  base::Scope scope_;  // last: what runs in it uses the rest
};

}  // namespace tidemill::sqs
