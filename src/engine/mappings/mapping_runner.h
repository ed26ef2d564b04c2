// Runs one mapping of a stream: keeps one poller per shard that this process owns, parents before children. Disabling waits
// for the invocations under way, so that nothing is delivered twice; a deletion does not wait.
//
// A shard that another process is to have is handed on once its poller has ended as for a disabling. One whose tenure has
// ended is dropped where it stands: its invocation may run beside that of the next owner, but writes nothing any more.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/mappings/mapping_run.h"
#include "engine/mappings/shard_poller.h"
#include "engine/mappings/state_runner.h"

namespace tidemill::engine {

class MappingRunner final : public StateRunner<MappingRun> {
 public:
  using StateRunner::StateRunner;
  ~MappingRunner() override;

 private:
  Task<void> poll() override;
  Task<void> stop() override;
  void reconsider() override;
  // A shard whose turn has come.
  struct Shard {
    std::unique_ptr<Claim> claim;
    std::shared_ptr<const Tenure> tenure;  // of the poller
    std::unique_ptr<ShardPoller> poller;   // null: another process has the shard, or has had it
    base::Scope task;                      // the poller's; destroyed before it
  };

  Task<void> start_shards();
  Task<void> start_shard(const StreamShard& listed, Checkpoint checkpoint);
  Task<void> stop_shards();
  Task<void> load_result();
  Task<void> store_result(std::string_view result);
  Task<std::map<std::string, Checkpoint>> load_checkpoints();
  Task<Checkpoint> load_checkpoint(const std::string& shard_id);
  Task<std::optional<OpenWindow>> load_window(const std::string& shard_id);
  Task<void> forget_shards(const std::vector<StreamShard>& listed, const std::map<std::string, Checkpoint>& known);
  void hand_on();
  void reap(bool is_stopping);

  std::optional<store::Subscription> watch_;           // of the list of shards
  std::optional<store::Subscription> watch_finished_;  // of shards that any process has finished
  std::map<std::string, Shard> shards_;
  bool is_result_loaded_ = false;
};

}  // namespace tidemill::engine
