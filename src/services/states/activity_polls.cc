#include "services/states/activity_polls.h"

#include "store/store.h"

namespace tidemill::states {

ActivityPolls::Poll::Poll(ActivityPolls& polls, const std::string& activity_arn, base::Signal signal)
    : polls_(polls), signal_(std::move(signal)) {
  {
    const std::lock_guard lock(polls_.mutex_);
    if (polls_.waiting_ >= kWaitingMax) throw store::Overloaded("too many workers wait for tasks");
    line_ = polls_.lines_.try_emplace(activity_arn).first;
    place_ = line_->second.insert(line_->second.end(), this);
    ++polls_.waiting_;
    is_over_ = polls_.ended_;
  }
  if (polls_.end_in_real_time_) {
    alarm_ = base::Executor::current().call_after(kActivityPollMax, [this] { polls_.end(*this); });
  }
}

ActivityPolls::Poll::~Poll() {
  const std::lock_guard lock(polls_.mutex_);
  Line& line = line_->second;
  const bool was_first = line.front() == this;
  line.erase(place_);
  --polls_.waiting_;
  if (line.empty())
    polls_.lines_.erase(line_);
  else if (was_first)
    line.front()->signal_.signal();
}

bool ActivityPolls::Poll::is_first() const {
  const std::lock_guard lock(polls_.mutex_);
  return line_->second.front() == this;
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
  for (auto& [arn, line] : lines_) {
    for (Poll* poll : line) {
      poll->is_over_ = true;
      poll->signal_.signal();
    }
  }
}

}  // namespace tidemill::states
