#include "engine/mappings/retry_policy.h"

#include <algorithm>

namespace tidemill::engine {

base::Duration backoff(uint32_t failures) {
  base::Duration wait = kBackoffFirst;
  for (uint32_t i = 1; i < failures && wait < kBackoffMax; ++i) wait *= 2;
  return std::min(wait, kBackoffMax);
}

bool attempts_exhausted(uint32_t attempts, const Mapping& mapping) {
  return mapping.retry_attempts_max >= 0 && attempts > static_cast<uint32_t>(mapping.retry_attempts_max);
}

base::Duration record_age_max(const Mapping& mapping, base::Duration retention) {
  if (mapping.record_age_seconds_max < 0) return retention;
  return std::min<base::Duration>(retention, std::chrono::seconds(mapping.record_age_seconds_max));
}

}  // namespace tidemill::engine
