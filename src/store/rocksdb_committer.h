// The one thread that commits. It takes all transactions that wait, drops those whose reads do not hold any more,
// writes the rest as one synced batch, shows it to readers, wakes subscribers, and answers. While it syncs, the next
// batch gathers; so the disk's sync rate bounds latency and not throughput. Behind a slow sync it waits a moment for those
// it has just answered: writers that wait for each answer would otherwise take turns in two halves, and each would wait
// for two syncs instead of one. Inside store/ only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "store/contention.h"
#include "store/recent_writes.h"
#include "store/rocksdb_database.h"
#include "store/tallies.h"
#include "store/topics.h"

namespace tidemill::store {

// Beyond either, commit() throws Overloaded.
inline constexpr size_t kQueuedCommitsMax = 16'384;
inline constexpr size_t kQueuedBytesMax = 256 << 20;

class RocksdbCommitter;

class RocksdbTransaction final : public BufferedTransaction {
 public:
  RocksdbTransaction(std::shared_ptr<const View> view, RocksdbCommitter& committer)
      : BufferedTransaction(std::move(view)), committer_(committer) {}
  ~RocksdbTransaction() override;

 private:
  friend class RocksdbCommitter;
  RocksdbCommitter& committer_;
  bool queued_ = false;
  // Written by the committer before the answer is posted, read by the waiter after.
  CommitResult result_;
  bool failed_ = false;
  // Touched on `executor_` only, once the transaction is queued; null when nobody waits any more.
  std::coroutine_handle<> waiter_;
  base::Executor* executor_ = nullptr;
};

class RocksdbCommitter {
 public:
  using TransactionPtr = std::shared_ptr<RocksdbTransaction>;

  RocksdbCommitter(std::shared_ptr<RocksdbDatabase> database, base::Clock& clock, Topics& topics,
                   std::shared_ptr<Condition> condition);
  // Commits what is queued, then ends.
  ~RocksdbCommitter();
  RocksdbCommitter(const RocksdbCommitter&) = delete;

  // The one that is written to. Any thread.
  [[nodiscard]] std::shared_ptr<RocksdbDatabase> database() const {
    const std::lock_guard lock(view_mutex_);
    return database_;
  }

  // The latest durable state. Any thread.
  [[nodiscard]] std::shared_ptr<const View> view() const {
    const std::lock_guard lock(view_mutex_);
    return view_;
  }

  Task<CommitResult> commit(TransactionPtr txn);

  // A transaction that had lost a race ended without a commit: somebody else may have the turn. Any thread.
  void retry_ended();

  [[nodiscard]] StoreMetrics metrics() const;

 private:
  class Wait;

  // Throws StoreFailed or Overloaded.
  void enqueue(TransactionPtr txn);
  // Why a transaction is not taken, or, if it was under way, not answered.
  [[noreturn]] void throw_failed(bool is_under_way);

  void run();
  [[nodiscard]] bool take_waiting();
  void gather(std::unique_lock<std::mutex>& lock);
  void note_sync(std::chrono::steady_clock::duration took);
  void commit_some(size_t& next);
  [[nodiscard]] bool change_tallies(const RocksdbTransaction& txn, Version version);
  void lose(TransactionPtr txn, const RecentWrites::Conflict& conflict, Version visible);
  void publish();
  void release_lines();
  void fail(const rocksdb::Status& status);
  void latch_failure(const std::string& reason);
  void pause(const std::string& reason);
  void stay_paused(const std::string& reason);
  void refuse(const std::string& failure, bool is_pause);
  void go_on_if_there_is_room();
  void take_over(std::shared_ptr<RocksdbDatabase> database);
  void answer(std::vector<TransactionPtr>& transactions);

  base::Clock& clock_;
  Topics& topics_;
  const std::shared_ptr<RecentWrites> recent_;
  // Not an atomic shared_ptr: libstdc++ 12's load() unlocks it with relaxed order.
  mutable std::mutex view_mutex_;  // guards the next two; the committing thread alone changes them
  std::shared_ptr<RocksdbDatabase> database_;
  std::shared_ptr<const View> view_;

  const std::shared_ptr<Condition> condition_;

  mutable std::mutex mutex_;  // guards the next ten
  std::condition_variable wake_;
  std::vector<TransactionPtr> waiting_;
  size_t waiting_bytes_ = 0;
  size_t wanted_ = 0;  // of waiting_: so many wake this thread
  bool busy_ = false;  // this thread holds the platform's activity
  bool stopping_ = false;
  size_t retries_ended_ = 0;
  std::string failure_;  // set before failed_
  bool is_pause_ = false;
  uint64_t refused_ = 0;  // since it failed
  std::chrono::steady_clock::time_point refused_told_;
  std::atomic<bool> failed_ = false;
  std::atomic<size_t> in_line_ = 0;  // of contention_

  // Of the committing thread.
  bool paused_ = false;
  std::chrono::steady_clock::time_point next_look_;  // for room
  // Of the batch that failed when this was paused. It may be durable all the same; then it is seen from the next opening
  // on, and whoever subscribes to its topics must hear of it.
  std::vector<TransactionPtr> unsure_;
  std::vector<TransactionPtr> taken_;
  std::vector<TransactionPtr> done_now_;      // conflicts with what readers can see already
  std::vector<TransactionPtr> done_visible_;  // answered once the batch is visible
  Contention<RocksdbTransaction> contention_;
  size_t turns_given_up_ = 0;
  size_t writers_ = 0;  // who is to be answered by the last sync, and who came while it ran
  std::chrono::steady_clock::time_point gather_until_;
  Tallies tallies_;
  RocksdbBatch batch_;
  Version last_version_;
  size_t batch_commits_ = 0;

  std::atomic<uint64_t> commits_ = 0;
  std::atomic<uint64_t> conflicts_ = 0;
  std::atomic<uint64_t> syncs_ = 0;
  std::atomic<uint64_t> bytes_written_ = 0;

  std::thread thread_;  // last: starts when all of the above is there
};

}  // namespace tidemill::store
