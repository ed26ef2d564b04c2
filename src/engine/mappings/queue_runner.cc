#include "engine/mappings/queue_runner.h"

namespace tidemill::engine {

QueueRunner::~QueueRunner() { polling_.clear(); }

void QueueRunner::reconsider() {
  if (poller_) poller_->reconsider();
}

Task<void> QueueRunner::poll() {
  hand_on();
  if (poller_) co_return;
  if (!claim_) claim_ = run_.ownership.claim(owned_queue(run_.config->uuid), run_.changed);
  tenure_ = claim_->tenure();
  if (!tenure_) co_return;
  poller_ = std::make_unique<QueuePoller>(run_);
  polling_.spawn(poller_->poll());
}

Task<void> QueueRunner::stop() {
  if (poller_) poller_->stop();
  for (hand_on(); poller_ && poller_->state() == QueuePoller::State::polling; hand_on()) co_await run_.changed;
  poller_.reset();
  claim_.reset();
}

// Drops the poller if this process does not own the queue's messages any more; has it end if another process is to.
void QueueRunner::hand_on() {
  if (!poller_) return;
  if (tenure_->ended()) {
    polling_.clear();
  } else if (poller_->state() == QueuePoller::State::polling) {
    if (tenure_->asked_back()) poller_->stop();
    return;
  } else if (!tenure_->asked_back()) {
    return;  // the store takes no changes: it would not from another poller either
  }
  poller_.reset();
  claim_->let_go();
}

}  // namespace tidemill::engine
