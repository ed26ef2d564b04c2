#include "engine/mappings/starting_position.h"

#include "store/position.h"

namespace tidemill::engine {

Task<std::vector<ShardCheckpoint>> starting_checkpoints(StreamSource& source, const Mapping& mapping) {
  std::vector<ShardCheckpoint> checkpoints;
  if (mapping.starting_position == StartingPosition::trim_horizon) co_return checkpoints;
  const std::string& arn = mapping.event_source_arn;
  for (const StreamShard& shard : co_await source.shards(arn)) {
    const store::Position done = mapping.starting_position == StartingPosition::latest
                                     ? co_await source.latest(arn, shard.shard_id)
                                     : store::before_time(mapping.starting_timestamp.value());
    checkpoints.push_back({shard.shard_id, Checkpoint{.done = done}});
  }
  co_return checkpoints;
}

}  // namespace tidemill::engine
