// Sequence numbers as applications see them. Each is a position in the shard's log: 31 decimal digits, "1", the
// commit's version in 20 digits, the place within the commit in 10. All have one length, so that they compare as text
// and as numbers alike (AWS: 21..40 digits, increasing per shard).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::dynamodb {

[[nodiscard]] std::string sequence_number(store::Position position);

// The exact inverse; nothing for what sequence_number() never gives.
[[nodiscard]] std::optional<store::Position> position_from_sequence(std::string_view sequence);

// The position right before `position`, so that reading after it gives `position` itself.
[[nodiscard]] store::Position before(store::Position position);

// Where records committed at `time` or later begin: the position right before them.
[[nodiscard]] store::Position before_time(base::Time time);

// Behind everything that `version` and its predecessors committed.
[[nodiscard]] store::Position after_version(store::Version version);

}  // namespace tidemill::dynamodb
