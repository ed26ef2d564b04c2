#include "services/states/activity_polls.h"

#include "store/store.h"

namespace tidemill::states {

ActivityPolls::Poll::Poll(ActivityPolls& polls, base::Signal signal) : polls_(polls), signal_(std::move(signal)) {
  {
    const std::lock_guard lock(polls_.mutex_);
    if (polls_.waiting_.size() >= kWaitingMax) throw store::Overloaded("too many workers wait for tasks");
    place_ = polls_.waiting_.insert(polls_.waiting_.end(), this);
    is_over_ = polls_.ended_;
  }
  if (polls_.end_in_real_time_) {
    alarm_ = base::Executor::current().call_after(kActivityPollMax, [this] { polls_.end(*this); });
  }
}

ActivityPolls::Poll::~Poll() {
  const std::lock_guard lock(polls_.mutex_);
  polls_.waiting_.erase(place_);
}

bool ActivityPolls::Poll::is_over() const {
  const std::lock_guard lock(polls_.mutex_);
  return is_over_;
}

void ActivityPolls::end(Poll& poll) {
  const std::lock_guard lock(mutex_);
  poll.is_over_ = true;
  poll.signal_.signal();
}

void ActivityPolls::end_all() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Poll* poll : waiting_) {
    poll->is_over_ = true;
    poll->signal_.signal();
  }
}

}  // namespace tidemill::states
