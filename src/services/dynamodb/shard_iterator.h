// Shard iterators: opaque to callers, who get them from GetShardIterator and GetRecords. Each carries the place to read
// from and the time of its making, and a checksum, since what callers hand in may be anything. An iterator gives its
// holder nothing that the stream's ARN would not.
//
//   <stream ARN>|1|<base64>
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/dynamodb/arn.h"
#include "store/store.h"

namespace tidemill::dynamodb {

inline constexpr std::chrono::minutes kIteratorLifetime{15};

struct ShardIterator {
  StreamAddress stream;
  std::string shard_id;
  store::Position after;      // records behind this
  // There was no record between `after` and the oldest one kept when this was made: should `after` itself be trimmed,
  // nothing has been missed.
  bool complete = false;
  base::Time made;

  [[nodiscard]] bool is_expired(base::Time now) const { return made + kIteratorLifetime <= now; }
};

[[nodiscard]] std::string encode_iterator(const ShardIterator& iterator);
// Nothing for what encode_iterator() never gave.
[[nodiscard]] std::optional<ShardIterator> decode_iterator(std::string_view token);

}  // namespace tidemill::dynamodb
