// Runs one mapping of a stream: keeps one poller per shard, parents before children. Disabling waits for the invocations
// under way, so that nothing is delivered twice; a deletion does not wait.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/mapping_run.h"
#include "engine/shard_poller.h"
#include "engine/state_runner.h"

namespace tidemill::engine {

class MappingRunner final : public StateRunner<MappingRun> {
 public:
  using StateRunner::StateRunner;
  ~MappingRunner() override;

  Task<void> run() override;

 private:
  Task<void> poll() override;
  Task<void> stop() override;
  void reconsider() override;
  Task<void> start_shards();
  Task<void> stop_shards();
  Task<void> load_result();
  Task<void> store_result(std::string_view result);
  Task<std::map<std::string, Checkpoint>> load_checkpoints();
  Task<std::optional<OpenWindow>> load_window(const std::string& shard_id);
  Task<void> forget_shards(const std::vector<StreamShard>& listed, const std::map<std::string, Checkpoint>& known);
  void reap();

  std::optional<store::Subscription> watch_;  // of the list of shards
  std::map<std::string, std::unique_ptr<ShardPoller>> pollers_;
  base::Scope polling_;  // the pollers' tasks; destroyed before the pollers
};

}  // namespace tidemill::engine
