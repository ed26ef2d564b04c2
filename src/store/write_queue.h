// Lets the writers of one thing (an item, a topic) go one after the other inside the process, instead of losing commit
// races against each other; and lets those that queued up meanwhile share one commit. So a hot one takes many changes per
// sync of the disk, and a lone writer pays next to nothing.
//
//   const WriteQueue::Turn turn = co_await queue.enter(key, job);
//   if (turn.mine()) …carry out turn.jobs() in this order, tell each but `job` with turn.finish()…
//
// Any thread. Correctness does not depend on it: what comes past it only costs re-runs.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/future.h"
#include "base/task.h"

namespace tidemill::store {

class WriteQueue {
 public:
  // What waits: kept alive until somebody has carried it out, even if its caller has gone.
  struct Job {
    virtual ~Job() = default;
  };
  using JobPtr = std::shared_ptr<Job>;

  static constexpr size_t kJobsPerTurnMax = 128;    // carried out in one commit
  static constexpr size_t kWaitersMax = 10'000;     // for one of them; beyond: Overloaded

  // The right to change it. The next in the queue gets it when this is destroyed.
  class [[nodiscard]] Turn {
   public:
    Turn() = default;
    Turn(Turn&& other) noexcept;
    Turn& operator=(Turn&& other) noexcept;
    ~Turn();

    // False: somebody else has carried the job out.
    [[nodiscard]] bool mine() const { return queue_ != nullptr; }
    // One's own job first. Empty after lock().
    [[nodiscard]] const std::vector<JobPtr>& jobs() const { return jobs_; }
    // Wakes the callers of the jobs that came along, and passes it on.
    void finish();

   private:
    friend class WriteQueue;
    struct Waiter;
    WriteQueue* queue_ = nullptr;
    std::string key_;
    std::vector<JobPtr> jobs_;
    std::vector<std::shared_ptr<Waiter>> companions_;
  };

  // Waits until the job is due or done.
  Task<Turn> enter(std::string key, JobPtr job);
  // Waits for it with nothing that another could carry out.
  Task<Turn> lock(std::string key) { return enter(std::move(key), nullptr); }

 private:
  using Waiter = Turn::Waiter;
  using WaiterPtr = std::shared_ptr<Waiter>;
  struct Slot {
    std::list<WaiterPtr> waiting;  // mostly empty, and then without memory of its own
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, Slot> slots;  // of what somebody is changing
  };
  static constexpr size_t kShards = 64;
  struct Abandon;

  Shard& shard_of(const std::string& key) { return shards_[std::hash<std::string>{}(key) % kShards]; }
  WaiterPtr wait_or_take(const std::string& key, const JobPtr& job);
  void pass_on(const std::string& key);
  void leave(const std::string& key, const WaiterPtr& waiter);

  Shard shards_[kShards];
};

}  // namespace tidemill::store
