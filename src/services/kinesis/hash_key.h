// Hash keys: where in the space of 2^128 a record belongs. Each shard of a stream takes a range of them (developer
// guide, "Kinesis Data Streams terminology"). On the wire they are decimal numbers without leading zeros.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::kinesis {

using HashKey = unsigned __int128;

inline constexpr HashKey kHashKeyMax = ~HashKey{0};

// The MD5 of a partition key, big endian.
[[nodiscard]] HashKey hash_of(std::string_view partition_key);

// Nothing for what is no decimal number, or one beyond the last key.
[[nodiscard]] std::optional<HashKey> parse_hash_key(std::string_view text);
[[nodiscard]] std::string hash_key_text(HashKey key);

// Where the `index`-th of `count` equal ranges begins. The last takes what the division leaves.
[[nodiscard]] inline HashKey uniform_start(uint32_t index, uint32_t count) {
  // floor(2^128 / count): 2^128 itself does not fit.
  const HashKey width = kHashKeyMax / count + (kHashKeyMax % count == count - 1 ? 1 : 0);
  return width * index;
}

}  // namespace tidemill::kinesis
