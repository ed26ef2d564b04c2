// Sequence numbers as applications see them: 56 decimal digits that begin with "49", as AWS's do. Each holds the shard
// and the position in its log, so that they grow strictly within a shard and tell whose they are. Written in
// hexadecimal, 47 digits:
//
//   2   when the shard was made, seconds, later than its parents (9)   its number's last digit (1)
//   version of the commit (16)   place within the commit (8)   000   the shard's number (8)   2
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::kinesis {

struct SequenceNumber {
  uint32_t shard = 0;
  base::Time shard_created;  // to the second
  store::Position position;
};

// Behind every record of a shard: where one that is closed ends.
inline constexpr store::Position kShardEnd{{0x7fff'ffff'ffff'ffff}, 0};

[[nodiscard]] std::string sequence_number_text(const SequenceNumber& number);
// The exact inverse; nothing for what sequence_number_text() never gives.
[[nodiscard]] std::optional<SequenceNumber> parse_sequence_number(std::string_view text);

}  // namespace tidemill::kinesis
