// Places between the records of a log, for those who read one: readers name the position after which they go on.
#pragma once

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::store {

// The position right before `position`, so that reading after it gives `position` itself.
[[nodiscard]] Position before(Position position);

// Where records committed at `time` or later begin: the position right before them.
[[nodiscard]] Position before_time(base::Time time);

// Behind everything that `version` and its predecessors committed.
[[nodiscard]] Position after_version(Version version);

}  // namespace tidemill::store
