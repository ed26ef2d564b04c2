// What is on its way into the queues. Entries that make messages available are made at the time that a request began,
// and are there only once it has committed; so whoever wants to know from where on a queue must be looked through asks
// what may still come. Any thread.
#pragma once

#include <algorithm>
#include <mutex>
#include <set>

#include "base/clock.h"

namespace tidemill::sqs {

class Arrivals {
 public:
  // While it lives, entries at `time` or later may come.
  class [[nodiscard]] Arrival {
   public:
    Arrival(Arrivals& arrivals, base::Time time) : arrivals_(arrivals), time_(time) {
      const std::lock_guard lock(arrivals_.mutex_);
      place_ = arrivals_.times_.insert(time);
      arrivals_.latest_ = std::max(arrivals_.latest_, time);
    }
    ~Arrival() {
      const std::lock_guard lock(arrivals_.mutex_);
      arrivals_.times_.erase(place_);
    }
    Arrival(const Arrival&) = delete;

    [[nodiscard]] base::Time time() const { return time_; }

   private:
    Arrivals& arrivals_;
    base::Time time_;
    std::multiset<base::Time>::iterator place_;
  };

  // Whatever a snapshot that is taken from now on does not show will be at this time or later.
  [[nodiscard]] base::Time horizon(base::Time now) const {
    const std::lock_guard lock(mutex_);
    return times_.empty() ? now : std::min(now, *times_.begin());
  }

  // The latest time of any so far: beyond now only if the clock went back.
  [[nodiscard]] base::Time latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }

 private:
  mutable std::mutex mutex_;
  std::multiset<base::Time> times_;
  base::Time latest_{base::Time::min()};
};

}  // namespace tidemill::sqs
