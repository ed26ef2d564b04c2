// Shard iterators: opaque to callers, who get them from GetShardIterator and GetRecords. Each carries the place to read
// from and the time of its making, and a checksum, since what callers hand in may be anything. An iterator gives its
// holder nothing that the stream's name would not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/kinesis/stream.h"

namespace tidemill::kinesis {

inline constexpr std::chrono::minutes kIteratorLifetime{5};

struct ShardIterator {
  StreamAddress stream;
  std::string stream_id;
  uint32_t shard = 0;
  store::Position after;  // records behind this
  base::Time made;
};

[[nodiscard]] std::string encode_iterator(const ShardIterator& iterator);
// Nothing for what encode_iterator() never gave, or gave to another account or region. Some clients hand it on in quotes,
// as they read it from JSON; AWS takes that.
[[nodiscard]] std::optional<ShardIterator> decode_iterator(const wire::Context& context, std::string_view token);

// Where in the shard to begin, as requests say it: with a type of iterator, and a sequence number or a time if the type
// needs one.
struct Start {
  std::string type;
  std::optional<std::string> sequence_number;
  std::optional<base::Time> time;
};

// Throws InvalidArgumentException. `latest`: of the snapshot that the stream was read from.
[[nodiscard]] store::Position start_position(const Start& start, const Stream& stream, const Shard& shard,
                                             store::Version latest, base::Time now);

}  // namespace tidemill::kinesis
