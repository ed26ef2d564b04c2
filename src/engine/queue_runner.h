// Runs one mapping of a queue: takes its states up (Creating, Enabling, Updating become Enabled; Disabling becomes
// Disabled; Deleting ends in its erasure), and keeps its poller. Disabling and deleting wait for the invocations under
// way, so that what they finish is removed and delivered once.
#pragma once

#include <memory>

#include "engine/queue_poller.h"
#include "engine/running_mapping.h"

namespace tidemill::engine {

class QueueRunner final : public RunningMapping {
 public:
  // `gone` is raised when the mapping has been erased and this may be destroyed. References outlive this.
  QueueRunner(QueueRun run, base::Signal gone);
  ~QueueRunner() override;
  QueueRunner(const QueueRunner&) = delete;

  Task<void> run() override;
  void update(const Mapping& mapping) override;
  [[nodiscard]] bool erased() const override { return erased_; }

 private:
  Task<void> follow();
  Task<void> stop_polling();
  Task<void> confirm(MappingState from, MappingState to);
  [[nodiscard]] MappingState state() const { return run_.config->state; }

  QueueRun run_;
  base::Signal gone_;
  bool erased_ = false;
  bool updated_ = false;  // the record changed while follow() was at work
  std::unique_ptr<QueuePoller> poller_;
  base::Scope polling_;  // the poller's task; destroyed before the poller
};

}  // namespace tidemill::engine
