#include "store/write_queue.h"

#include <algorithm>

#include "store/store.h"

namespace tidemill::store {

struct WriteQueue::Turn::Waiter {
  enum class Wake { mine, done };

  JobPtr job;
  base::Future<Wake> wake;
  // Both under the shard's mutex:
  bool granted = false;    // has been given the turn
  bool abandoned = false;  // nobody waits any more, and so nobody would pass the turn on
  std::vector<WaiterPtr> companions;
};

// What becomes of the place in the queue when the coroutine that waits is destroyed.
struct WriteQueue::Abandon {
  WriteQueue& queue;
  const std::string& key;
  WaiterPtr waiter;
  ~Abandon() {
    if (waiter) queue.leave(key, waiter);
  }
};

WriteQueue::Turn::Turn(Turn&& other) noexcept
    : queue_(std::exchange(other.queue_, nullptr)),
      key_(std::move(other.key_)),
      jobs_(std::move(other.jobs_)),
      companions_(std::move(other.companions_)) {}

WriteQueue::Turn& WriteQueue::Turn::operator=(Turn&& other) noexcept {
  if (this != &other) {
    finish();
    queue_ = std::exchange(other.queue_, nullptr);
    key_ = std::move(other.key_);
    jobs_ = std::move(other.jobs_);
    companions_ = std::move(other.companions_);
  }
  return *this;
}

WriteQueue::Turn::~Turn() { finish(); }

void WriteQueue::Turn::finish() {
  WriteQueue* queue = std::exchange(queue_, nullptr);
  if (!queue) return;
  queue->pass_on(key_);
  for (const auto& companion : companions_) companion->wake.set(Waiter::Wake::done);
}

Task<WriteQueue::Turn> WriteQueue::enter(std::string key, JobPtr job) {
  Turn turn;
  if (job) turn.jobs_.push_back(job);
  if (const WaiterPtr waiter = wait_or_take(key, job)) {
    Abandon abandon{*this, key, waiter};
    const Waiter::Wake wake = co_await waiter->wake;
    abandon.waiter = nullptr;
    if (wake == Waiter::Wake::done) co_return turn;
    turn.companions_ = std::move(waiter->companions);
    for (const auto& companion : turn.companions_) turn.jobs_.push_back(companion->job);
  }
  turn.queue_ = this;
  turn.key_ = std::move(key);
  co_return turn;
}

// nullptr: it is free, and now the caller's.
WriteQueue::WaiterPtr WriteQueue::wait_or_take(const std::string& key, const JobPtr& job) {
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  const auto [slot, is_free] = shard.slots.try_emplace(key);
  if (is_free) return nullptr;
  auto& waiting = slot->second.waiting;
  if (waiting.size() >= kWaitersMax) throw Overloaded("too many writers wait for the same");
  waiting.push_back(std::make_shared<Waiter>());
  waiting.back()->job = job;
  return waiting.back();
}

// Gives the turn to the first who waits, together with the jobs right behind it.
void WriteQueue::pass_on(const std::string& key) {
  Shard& shard = shard_of(key);
  WaiterPtr next;
  {
    const std::lock_guard lock(shard.mutex);
    const auto slot = shard.slots.find(key);
    auto& waiting = slot->second.waiting;
    if (waiting.empty()) {
      shard.slots.erase(slot);
      return;
    }
    next = std::move(waiting.front());
    waiting.pop_front();
    next->granted = true;
    while (next->job && !waiting.empty() && waiting.front()->job && next->companions.size() + 1 < kJobsPerTurnMax) {
      next->companions.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
  }
  next->wake.set(Waiter::Wake::mine);
}

// Takes a waiter that nobody resumes any more out of the queue; if the turn is already its own, passes it on.
void WriteQueue::leave(const std::string& key, const WaiterPtr& waiter) {
  Shard& shard = shard_of(key);
  {
    const std::lock_guard lock(shard.mutex);
    const auto slot = shard.slots.find(key);
    if (slot == shard.slots.end()) return;
    auto& waiting = slot->second.waiting;
    waiter->abandoned = true;
    if (!waiter->granted) {
      // It may also be a companion of one that is carrying it out; then there is nothing to take back.
      std::erase(waiting, waiter);
      return;
    }
    std::erase_if(waiter->companions, [](const WaiterPtr& companion) { return companion->abandoned; });
    waiting.insert(waiting.begin(), waiter->companions.begin(), waiter->companions.end());
    waiter->companions.clear();
  }
  pass_on(key);
}

}  // namespace tidemill::store
