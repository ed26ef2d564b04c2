#include "engine/queue_runner.h"

namespace tidemill::engine {

QueueRunner::~QueueRunner() { polling_.clear(); }

void QueueRunner::reconsider() {
  if (poller_) poller_->reconsider();
}

Task<void> QueueRunner::poll() {
  if (poller_) co_return;
  poller_ = std::make_unique<QueuePoller>(run_);
  polling_.spawn(poller_->poll());
}

Task<void> QueueRunner::stop() {
  if (!poller_) co_return;
  poller_->stop();
  while (poller_->state() == QueuePoller::State::polling) co_await run_.changed;
  poller_.reset();
}

}  // namespace tidemill::engine
