// The machine's time of day without its steps back: where that is set back, time goes on from where it was, at the
// speed of the machine's steady clock, until the process ends. Where it is set forward, time follows.
//
//   SteadyTime time;
//   const Time now = time.at(time_of_day(), steady_clock());   // in this order
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/clock.h"

namespace tidemill::base {

// Any thread.
class SteadyTime {
 public:
  // `wall` was read before `steady`: between the two a thread may stand still, which must not count as a step forward.
  Time at(Time wall, Duration steady) {
    const int64_t seen = (wall.time_since_epoch() - steady).count();
    int64_t ahead = ahead_.load(std::memory_order_relaxed);
    while (seen > ahead && !ahead_.compare_exchange_weak(ahead, seen, std::memory_order_relaxed)) {
    }
    return Time(steady + Duration(std::max(seen, ahead)));
  }

 private:
  std::atomic<int64_t> ahead_ = std::numeric_limits<int64_t>::min();  // of the steady clock: the most so far
};

}  // namespace tidemill::base
