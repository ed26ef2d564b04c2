#include "engine/starting_position.h"

namespace tidemill::engine {

Task<std::vector<ShardCheckpoint>> starting_checkpoints(StreamSource& source, std::string_view event_source_arn,
                                                        StartingPosition position) {
  std::vector<ShardCheckpoint> checkpoints;
  if (position == StartingPosition::trim_horizon) co_return checkpoints;
  for (const StreamShard& shard : co_await source.shards(event_source_arn)) {
    const store::Position latest = co_await source.latest(event_source_arn, shard.shard_id);
    checkpoints.push_back({shard.shard_id, Checkpoint{.done = latest}});
  }
  co_return checkpoints;
}

}  // namespace tidemill::engine
