#include "base/blocking_work.h"

#include <system_error>

#include "base/work_activity.h"

namespace tidemill::base {
namespace {

std::atomic<Activity*> counted_in = nullptr;

// Until it is done and what it owned is gone.
Function counted(Function function) {
  Activity* const activity = counted_in.load(std::memory_order_acquire);
  if (activity == nullptr) return function;
  return [hold = activity->hold(), function = std::move(function)]() mutable { function(); };
}

}  // namespace

WorkActivity::WorkActivity(Activity& activity) { counted_in.store(&activity, std::memory_order_release); }
WorkActivity::~WorkActivity() { counted_in.store(nullptr, std::memory_order_release); }

BlockingWork::~BlockingWork() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void BlockingWork::post(Function function) {
  if (threads_max_ == 0) return function();
  function = counted(std::move(function));
  bool is_alone = false;
  {
    const std::lock_guard lock(mutex_);
    // While this ends, only its own threads still give it work, and take it up themselves.
    const bool may_start = !ending_ && threads_.size() < static_cast<size_t>(threads_max_);
    if (may_start && waiting_.size() >= static_cast<size_t>(idle_)) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {  // there are no more for now; those that there are come to it
        is_alone = threads_.empty();
      }
    }
    if (!is_alone) {
      waiting_.push_back(std::move(function));
      changed_.notify_one();
    }
  }
  if (is_alone) function();
}

void BlockingWork::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    Function function = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    function();
    function = {};  // what it owns goes here, not under the lock
    lock.lock();
  }
}

}  // namespace tidemill::base
