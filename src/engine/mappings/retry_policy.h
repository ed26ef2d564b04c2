// When a failed batch is tried again, and when no more (facts 1.7).
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "engine/mappings/mapping.h"

namespace tidemill::engine {

// The wait doubles from the first to the greatest. AWS publishes no schedule; what it does is consistent with this.
inline constexpr base::Duration kBackoffFirst = std::chrono::milliseconds(500);
inline constexpr base::Duration kBackoffMax = std::chrono::seconds(60);

// How long to wait after the `failures`th failure in a row (1, 2, ...).
base::Duration backoff(uint32_t failures);

// Whether a batch that failed `attempts` times has had its first attempt and all its retries.
bool attempts_exhausted(uint32_t attempts, const Mapping& mapping);

// From this age on a record is discarded: the mapping's own limit or the stream's retention, whichever is less.
base::Duration record_age_max(const Mapping& mapping, base::Duration retention);

}  // namespace tidemill::engine
