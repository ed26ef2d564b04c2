#include "services/sqs/long_polls.h"

namespace tidemill::sqs {

LongPolls::Poll::Poll(LongPolls& polls, Receive& receive, base::Duration wait)
    : polls_(polls), interrupted_(std::make_shared<std::atomic<bool>>(false)), signal_(receive.signal) {
  receive.interrupted = interrupted_;
  {
    const std::lock_guard lock(polls_.mutex_);
    place_ = polls_.waiting_.insert(polls_.waiting_.end(), this);
    if (polls_.ended_) end();
  }
  if (polls_.end_in_real_time_) alarm_ = base::Executor::current().call_after(wait, [this] { end(); });
}

LongPolls::Poll::~Poll() {
  const std::lock_guard lock(polls_.mutex_);
  polls_.waiting_.erase(place_);
}

void LongPolls::Poll::end() const {
  interrupted_->store(true, std::memory_order_relaxed);
  signal_.signal();
}

void LongPolls::end_all() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (const Poll* poll : waiting_) poll->end();
}

}  // namespace tidemill::sqs
