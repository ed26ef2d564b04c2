#include "base/sim_executor.h"

namespace tidemill::base {

namespace {

// Slices are over at random: what relies on long work being done at once shows, also where ranges are small.
constexpr size_t kEachStep = 1;
constexpr uint64_t kLooksPerSlice = 8;  // on average

}  // namespace

struct SimExecutor::Delayed : Alarm::State {
  Function function;
};

SimExecutor::SimExecutor(uint64_t seed, Activity& activity)
    : Executor(kEachStep), random_(seed), activity_(activity) {}

SimExecutor::~SimExecutor() { drop_all(); }

void SimExecutor::post(Function function) {
  activity_.begin();
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(function));
}

Function SimExecutor::take_posted() {
  const std::lock_guard lock(mutex_);
  if (posted_.empty()) return nullptr;
  const size_t pick = random_() % posted_.size();
  std::swap(posted_[pick], posted_.front());
  Function function = std::move(posted_.front());
  posted_.pop_front();
  return function;
}

Alarm SimExecutor::call_after(std::chrono::nanoseconds delay, Function function) {
  auto entry = std::make_shared<Delayed>();
  entry->function = std::move(function);
  delayed_.emplace(std::pair(steady_now_ + delay, next_id_++), entry);
  return Alarm(entry);
}

bool SimExecutor::is_slice_over() { return random_() % kLooksPerSlice == 0; }

bool SimExecutor::run_one() {
  const Enter enter(*this);
  if (Function function = take_posted()) {
    function();
    function = nullptr;
    activity_.end();
    return true;
  }
  while (!delayed_.empty()) {
    const auto first = delayed_.begin();
    steady_now_ = std::max(steady_now_, first->first.first);
    const auto entry = first->second;
    delayed_.erase(first);
    if (entry->cancelled) continue;
    entry->function();
    return true;
  }
  return false;
}

void SimExecutor::drop_all() {
  delayed_.clear();
  for (;;) {
    std::deque<Function> dropped;  // outside of the lock: what it held may post
    {
      const std::lock_guard lock(mutex_);
      dropped.swap(posted_);
    }
    if (dropped.empty()) return;
    for (; !dropped.empty(); dropped.pop_front()) activity_.end();
  }
}

}  // namespace tidemill::base
