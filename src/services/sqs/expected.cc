#include "services/sqs/expected.h"

#include <iterator>

namespace tidemill::sqs {

void Expected::add(base::Time time) {
  {
    const std::lock_guard lock(mutex_);
    times_.insert(time);
    if (times_.size() > kKeptMax) times_.erase(std::prev(times_.end()));
  }
  std::call_once(started_, [this] { scope_.spawn(keep_alarm()); });
  changed_.signal();
}

Task<void> Expected::keep_alarm() {
  for (;;) {
    if (const auto time = next()) {
      (void)co_await clock_.wait(changed_, *time);
    } else {
      co_await changed_;
    }
  }
}

std::optional<base::Time> Expected::next() {
  const std::lock_guard lock(mutex_);
  times_.erase(times_.begin(), times_.upper_bound(clock_.now()));
  if (times_.empty()) return std::nullopt;
  return *times_.begin();
}

}  // namespace tidemill::sqs
