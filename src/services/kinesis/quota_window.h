// Operations that AWS allows a number of times in 24 hours, for each stream.
#pragma once

#include <vector>

#include "base/clock.h"

namespace tidemill::kinesis {

inline constexpr std::chrono::hours kQuotaWindow{24};

// Notes one more at `now`. False: `times` holds as many within the window as there may be.
[[nodiscard]] inline bool take_from_quota(std::vector<base::Time>& times, size_t max, base::Time now) {
  std::erase_if(times, [&](base::Time time) { return time + kQuotaWindow <= now; });
  if (times.size() >= max) return false;
  times.push_back(now);
  return true;
}

}  // namespace tidemill::kinesis
