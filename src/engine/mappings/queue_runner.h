// Runs one mapping of a queue: keeps its poller, if this process owns it. Disabling, deleting and handing on wait for the
// invocations under way, so that what they finish is removed and delivered once.
//
// What a former owner removes or hides it names by receipts, which the queue has changed if it has given the messages to
// the next owner since and that matters (FIFO). So receipts are the fence here.
#pragma once

#include <memory>

#include "engine/mappings/queue_poller.h"
#include "engine/mappings/state_runner.h"
#include "engine/ownership.h"

namespace tidemill::engine {

class QueueRunner final : public StateRunner<QueueRun> {
 public:
  using StateRunner::StateRunner;
  ~QueueRunner() override;

 private:
  Task<void> poll() override;
  Task<void> stop() override;
  void reconsider() override;

  void hand_on();

  std::unique_ptr<Claim> claim_;
  std::shared_ptr<const Tenure> tenure_;  // of the poller
  std::unique_ptr<QueuePoller> poller_;
  base::Scope polling_;  // the poller's task; destroyed before the poller
};

}  // namespace tidemill::engine
