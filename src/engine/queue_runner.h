// Runs one mapping of a queue: keeps its poller. Disabling and deleting wait for the invocations under way, so that what
// they finish is removed and delivered once.
#pragma once

#include <memory>

#include "engine/queue_poller.h"
#include "engine/state_runner.h"

namespace tidemill::engine {

class QueueRunner final : public StateRunner<QueueRun> {
 public:
  using StateRunner::StateRunner;
  ~QueueRunner() override;

 private:
  Task<void> poll() override;
  Task<void> stop() override;
  void reconsider() override;

  std::unique_ptr<QueuePoller> poller_;
  base::Scope polling_;  // the poller's task; destroyed before the poller
};

}  // namespace tidemill::engine
