// Where a new mapping begins, decided when it is created: a record that is written after the creation has been
// answered is delivered, whenever the pollers take the mapping up.
#pragma once

#include <string>
#include <vector>

#include "engine/mappings/mapping.h"
#include "engine/mappings/stream_source.h"

namespace tidemill::engine {

struct ShardCheckpoint {
  std::string shard_id;
  Checkpoint checkpoint;
};

// The checkpoints to be written in the transaction that creates the mapping. LATEST and AT_TIMESTAMP: one for each shard
// that there is now; TRIM_HORIZON: none. Shards that appear later are read from their beginning in any case.
Task<std::vector<ShardCheckpoint>> starting_checkpoints(StreamSource& source, const Mapping& mapping);

}  // namespace tidemill::engine
