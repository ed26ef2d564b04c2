// Sequence numbers as applications see them. Each is a position in the shard's log: 31 decimal digits, "1", the
// commit's version in 20 digits, the place within the commit in 10. All have one length, so that they compare as text
// and as numbers alike (AWS: 21..40 digits, increasing per shard).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/position.h"

namespace tidemill::dynamodb {

[[nodiscard]] std::string sequence_number(store::Position position);

// The exact inverse; nothing for what sequence_number() never gives.
[[nodiscard]] std::optional<store::Position> position_from_sequence(std::string_view sequence);

using store::after_version;
using store::before;
using store::before_time;

}  // namespace tidemill::dynamodb
