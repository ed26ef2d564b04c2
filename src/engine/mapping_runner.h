// Runs one mapping: takes its states up (Creating, Enabling, Updating become Enabled; Disabling becomes Disabled;
// Deleting ends in its erasure), and keeps one poller per shard of its stream, parents before children.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/mapping_run.h"
#include "engine/running_mapping.h"
#include "engine/shard_poller.h"

namespace tidemill::engine {

class MappingRunner final : public RunningMapping {
 public:
  // `gone` is raised when the mapping has been erased and this may be destroyed. References outlive this.
  MappingRunner(MappingRun run, base::Signal gone);
  ~MappingRunner() override;
  MappingRunner(const MappingRunner&) = delete;

  Task<void> run() override;
  void update(const Mapping& mapping) override;
  [[nodiscard]] bool erased() const override { return erased_; }

 private:
  Task<void> follow();
  Task<void> start_shards();
  Task<void> stop_shards();
  Task<void> load_result();
  Task<void> store_result(std::string_view result);
  Task<void> confirm(MappingState from, MappingState to);
  Task<std::map<std::string, Checkpoint>> load_checkpoints();
  Task<std::optional<OpenWindow>> load_window(const std::string& shard_id);
  Task<void> forget_shards(const std::vector<StreamShard>& listed, const std::map<std::string, Checkpoint>& known);
  void reap();
  [[nodiscard]] MappingState state() const { return run_.config->state; }

  MappingRun run_;
  base::Signal gone_;
  bool erased_ = false;
  bool updated_ = false;  // the record changed while follow() was at work
  std::optional<store::Subscription> watch_;  // of the list of shards
  std::map<std::string, std::unique_ptr<ShardPoller>> pollers_;
  base::Scope polling_;  // the pollers' tasks; destroyed before the pollers
};

}  // namespace tidemill::engine
