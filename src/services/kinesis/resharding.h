// How the shards of a stream are split and merged: parents are closed, and children take their ranges (developer guide,
// "Resharding a stream"). Changes of the description alone; whoever saves it makes them real at once.
#pragma once

#include "services/kinesis/stream.h"

namespace tidemill::kinesis {

// Splits the open shard `number`: the second child begins at `at`, which lies within its range and is not its
// beginning.
void split_open_shard(Stream& stream, uint32_t number, HashKey at, base::Time now);

// Merges two open shards whose ranges touch. The child's parent is `number`, its adjacent parent the other.
void merge_open_shards(Stream& stream, uint32_t number, uint32_t adjacent, base::Time now);

// Whether the second's range begins where the first's ends.
[[nodiscard]] bool are_adjacent(const Shard& first, const Shard& second);

// Gives the stream `count` open shards of equal ranges, by splits and merges. As on AWS that may take shards which are
// closed as soon as they are made.
void reshard_uniformly(Stream& stream, uint32_t count, base::Time now);

}  // namespace tidemill::kinesis
