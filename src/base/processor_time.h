// For tests of how much work something is: what this thread has had of the processor, whatever else the machine does.
#pragma once

#include <chrono>
#include <ctime>

namespace tidemill::base {

inline std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace tidemill::base
