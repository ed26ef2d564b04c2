#include "store/rocksdb_committer.h"

#include <pthread.h>

#include <algorithm>

#include "base/log.h"

namespace tidemill::store {

namespace {

constexpr size_t kBatchBytesMax = 4 << 20;  // what the heap keeps and gives again; larger pieces it gives back
constexpr size_t kConflictSlots = size_t{1} << 17;  // 3 MiB, paged in as they are used
constexpr size_t kConflictRangeBytesMax = 4 << 20;
constexpr std::chrono::microseconds kSlowSync{500};  // a faster one is over before its writers are back
constexpr int kGatherShare = 8;                      // an eighth of a slow sync, at most, until the next begins
constexpr size_t kLateShare = 8;                     // an eighth of the writers is not waited for
constexpr size_t kGatheredMax = 128;                 // more writers fill both halves, and the processors
constexpr std::chrono::milliseconds kLookForRoom{500};  // while there was none
constexpr std::chrono::minutes kTellRefused{1};         // how many commits were, so often at most

// Whoever has lost races before goes first, most losses foremost; the others stay in the order they came.
void put_losers_first(std::vector<std::shared_ptr<RocksdbTransaction>>& transactions) {
  const auto is_new = [](const auto& txn) { return txn->attempt == 0; };
  if (std::all_of(transactions.begin(), transactions.end(), is_new)) return;
  std::vector<std::shared_ptr<RocksdbTransaction>> sorted;
  sorted.reserve(transactions.size());
  std::copy_if(transactions.begin(), transactions.end(), std::back_inserter(sorted), std::not_fn(is_new));
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a->attempt > b->attempt; });
  std::copy_if(transactions.begin(), transactions.end(), std::back_inserter(sorted), is_new);
  transactions.swap(sorted);
}

std::string paused_for(const std::string& reason) { return reason + ": nothing can be written until there is room"; }

}  // namespace

// Queues the transaction and waits for its answer. May be abandoned: the commit then goes on without its waiter.
class RocksdbCommitter::Wait {
 public:
  Wait(RocksdbCommitter& committer, TransactionPtr txn) : committer_(committer), txn_(std::move(txn)) {}
  Wait(const Wait&) = delete;
  ~Wait() { txn_->waiter_ = nullptr; }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> self) {
    txn_->waiter_ = self;
    txn_->executor_ = &base::Executor::current();
    committer_.enqueue(txn_);
  }
  CommitResult await_resume() const {
    if (txn_->failed_) committer_.throw_failed(true);
    return txn_->result_;
  }

 private:
  RocksdbCommitter& committer_;
  const TransactionPtr txn_;
};

RocksdbTransaction::~RocksdbTransaction() {
  if (attempt > 0 && !queued_) committer_.retry_ended();
}

RocksdbCommitter::RocksdbCommitter(std::shared_ptr<RocksdbDatabase> database, base::Clock& clock, Topics& topics,
                                   std::shared_ptr<Condition> condition)
    : clock_(clock),
      topics_(topics),
      recent_(std::make_shared<RecentWrites>(kConflictSlots, kConflictRangeBytesMax, database->last_version())),
      database_(std::move(database)),
      view_(make_rocksdb_view(database_, database_->last_version(), recent_)),
      condition_(std::move(condition)),
      tallies_([this](std::string_view key) { return database_->get_latest(key); }),
      batch_(*database_),
      last_version_(database_->last_version()),
      thread_([this] { run(); }) {}

RocksdbCommitter::~RocksdbCommitter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Task<CommitResult> RocksdbCommitter::commit(TransactionPtr txn) {
  const CommitResult result = co_await Wait(*this, std::move(txn));
  co_return result;
}

void RocksdbCommitter::enqueue(TransactionPtr txn) {
  if (failed_.load(std::memory_order_acquire)) throw_failed(false);
  bool wakes;
  bool begins;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + in_line_.load(std::memory_order_relaxed) >= kQueuedCommitsMax ||
        waiting_bytes_ + txn->bytes() > kQueuedBytesMax) {
      throw Overloaded("too many commits wait for the disk");
    }
    begins = !std::exchange(busy_, true);
    waiting_bytes_ += txn->bytes();
    txn->queued_ = true;
    waiting_.push_back(std::move(txn));
    wakes = waiting_.size() == 1 || waiting_.size() == wanted_;
    if (begins) clock_.activity().begin();
  }
  if (wakes) wake_.notify_one();
}

void RocksdbCommitter::retry_ended() {
  if (in_line_.load(std::memory_order_acquire) == 0) return;
  {
    const std::lock_guard lock(mutex_);
    ++retries_ended_;
  }
  wake_.notify_one();
}

void RocksdbCommitter::throw_failed(bool is_under_way) {
  const std::lock_guard lock(mutex_);
  ++refused_;
  if (const auto now = std::chrono::steady_clock::now(); now - refused_told_ >= kTellRefused) {
    refused_told_ = now;
    base::log_warning("store: writes are refused", {{"refused", std::to_string(refused_)}});
  }
  if (is_pause_ && is_under_way) throw CommitUnsure(failure_);
  if (is_pause_) throw StorePaused(failure_);
  throw StoreFailed(failure_);
}

void RocksdbCommitter::run() {
  pthread_setname_np(pthread_self(), "committer");
  while (take_waiting()) {
    for (size_t next = 0; next < taken_.size();) commit_some(next);
    taken_.clear();
    release_lines();
    if (paused_) go_on_if_there_is_room();
  }
  contention_.release_all(done_now_);
  answer(done_now_);
  if (std::exchange(busy_, false)) clock_.activity().end();  // nobody else is left to touch it
}

// Waits for work. False: there is none and this is to end.
bool RocksdbCommitter::take_waiting() {
  const bool in_line = contention_.waiting() > 0;
  std::unique_lock lock(mutex_);
  while (waiting_.empty() && retries_ended_ == 0) {
    if (stopping_) break;
    if (in_line) {
      if (wake_.wait_for(lock, contention_.kTurnMax) == std::cv_status::timeout) break;
      continue;
    }
    if (std::exchange(busy_, false)) {
      // Everything is answered; what falls quiet now may call back, so not under the lock.
      lock.unlock();
      clock_.activity().end();
      lock.lock();
      continue;
    }
    if (paused_) {
      if (wake_.wait_until(lock, next_look_) == std::cv_status::timeout) break;
      continue;
    }
    wake_.wait(lock);
  }
  if (waiting_.empty() && stopping_) return false;
  gather(lock);
  taken_.swap(waiting_);
  waiting_bytes_ = 0;
  turns_given_up_ = std::exchange(retries_ended_, 0);
  lock.unlock();

  put_losers_first(taken_);
  return true;
}

// Gives most of those who were answered last the time to come back.
void RocksdbCommitter::gather(std::unique_lock<std::mutex>& lock) {
  if (stopping_ || waiting_.empty() || std::chrono::steady_clock::now() >= gather_until_) return;
  if (writers_ > kGatheredMax) return;
  wanted_ = writers_ - writers_ / kLateShare;
  wake_.wait_until(lock, gather_until_, [this] { return waiting_.size() >= wanted_ || stopping_; });
  wanted_ = 0;
}

void RocksdbCommitter::note_sync(std::chrono::steady_clock::duration took) {
  gather_until_ = {};
  if (took < kSlowSync) return;
  gather_until_ = std::chrono::steady_clock::now() + took / kGatherShare;
  const std::lock_guard lock(mutex_);
  writers_ = batch_commits_ + waiting_.size();
}

// Commits from taken_[next] on as much as fits one batch.
void RocksdbCommitter::commit_some(size_t& next) {
  const Version visible = last_version_;
  Version version = std::max(Version{visible.value + 1}, Version::at(clock_.now()));
  batch_commits_ = 0;
  for (; next < taken_.size() && batch_.bytes() < kBatchBytesMax; ++next) {
    const TransactionPtr& txn = taken_[next];
    if (failed_) {
      txn->failed_ = true;
      done_now_.push_back(txn);
    } else if (const auto conflict = recent_->find_conflict(txn->reads(), txn->version())) {
      lose(txn, *conflict, visible);
    } else if (!change_tallies(*txn, version)) {
      txn->failed_ = true;
      done_now_.push_back(txn);
    } else {
      recent_->record(version, *txn);
      txn->apply(version, batch_);
      txn->result_ = {CommitStatus::committed, version};
      last_version_ = version;
      ++version.value;
      ++batch_commits_;
      done_visible_.push_back(txn);
    }
  }
  answer(done_now_);
  if (batch_commits_ > 0) {
    tallies_.write(batch_);
    const size_t bytes = batch_.bytes();
    const auto begun = std::chrono::steady_clock::now();
    const auto status = batch_.write_synced(last_version_);
    note_sync(std::chrono::steady_clock::now() - begun);
    tallies_.settle();
    syncs_.fetch_add(1, std::memory_order_relaxed);
    if (status.ok()) {
      commits_.fetch_add(batch_commits_, std::memory_order_relaxed);
      bytes_written_.fetch_add(bytes, std::memory_order_relaxed);
      publish();
    } else {
      fail(status);
    }
  }
  answer(done_visible_);
}

// False: what stands there could not be read. Then nothing of this batch is written: what its other transactions made
// of the same keys is not to be trusted any more.
bool RocksdbCommitter::change_tallies(const RocksdbTransaction& txn, Version version) {
  try {
    tallies_.apply(txn, version, *recent_);
    return true;
  } catch (const Unreadable& error) {
    fail(error.status());
  } catch (const std::exception& error) {
    latch_failure(error.what());
  }
  batch_commits_ = 0;
  return false;
}

void RocksdbCommitter::lose(TransactionPtr txn, const RecentWrites::Conflict& conflict, Version visible) {
  txn->result_ = {CommitStatus::conflict, conflict.version};
  conflicts_.fetch_add(1, std::memory_order_relaxed);
  if (conflict.slot && !contention_.may_retry_now(*conflict.slot, txn)) {
    in_line_.store(contention_.waiting(), std::memory_order_release);
    return;
  }
  // Whoever lost to a commit of this batch would only lose again before that is visible.
  (conflict.version > visible ? done_visible_ : done_now_).push_back(std::move(txn));
}

// Lets the next in line try again where somebody gave up its turn or takes too long.
void RocksdbCommitter::release_lines() {
  for (; turns_given_up_ > 0; --turns_given_up_) contention_.turn_given_up(done_now_);
  contention_.end_long_turns(done_now_);
  if (failed_) contention_.release_all(done_now_);
  in_line_.store(contention_.waiting(), std::memory_order_release);
  answer(done_now_);
}

void RocksdbCommitter::publish() {
  auto view = make_rocksdb_view(database_, last_version_, recent_);
  {
    const std::lock_guard lock(view_mutex_);
    view_.swap(view);
  }
  view.reset();
  for (const TransactionPtr& txn : done_visible_) {
    if (txn->result_.status == CommitStatus::committed) topics_.add(*txn);
  }
  topics_.notify();
  if (contention_.empty()) return;
  std::vector<TransactionPtr> released;
  for (const TransactionPtr& txn : done_visible_) {
    if (txn->result_.status != CommitStatus::committed) continue;
    txn->for_each_written_key([&](std::string_view key) { contention_.written(recent_->slot_of(key), released); });
  }
  std::move(released.begin(), released.end(), std::back_inserter(done_visible_));
}

void RocksdbCommitter::fail(const rocksdb::Status& status) {
  const std::string lacking = database_->sync_failed() ? "" : what_is_lacking(status);
  if (lacking.empty()) latch_failure(status.ToString());
  else pause(lacking);
}

void RocksdbCommitter::latch_failure(const std::string& reason) {
  base::log_error("store: a write failed, no more are accepted until a restart", {{"reason", reason}});
  refuse("the store does not accept writes since one failed (" + reason +
             "); what was acknowledged is safe: repair the disk and restart",
         false);
}

void RocksdbCommitter::pause(const std::string& reason) {
  base::log_error("store: no writes are accepted until there is room again", {{"reason", reason}});
  condition_->pause(reason);
  paused_ = true;
  next_look_ = std::chrono::steady_clock::now() + kLookForRoom;
  refuse(paused_for(reason), true);
  unsure_ = done_visible_;
}

// What kept the last write from its end need not be what keeps the next.
void RocksdbCommitter::stay_paused(const std::string& reason) {
  if (reason == condition_->pause_reason()) return;
  base::log_error("store: still no writes are accepted", {{"reason", reason}});
  condition_->pause(reason);
  const std::lock_guard lock(mutex_);
  failure_ = paused_for(reason);
}

void RocksdbCommitter::go_on_if_there_is_room() {
  if (std::chrono::steady_clock::now() < next_look_) return;
  next_look_ = std::chrono::steady_clock::now() + kLookForRoom;
  if (const std::string lacking = database_->lacks(); !lacking.empty()) return stay_paused(lacking);
  try {
    take_over(RocksdbDatabase::open_anew(*database_));
  } catch (const NoRoom&) {
    return;
  } catch (const OpenError& error) {
    paused_ = false;
    condition_->give_up();
    latch_failure(error.what());
  }
}

void RocksdbCommitter::take_over(std::shared_ptr<RocksdbDatabase> database) {
  last_version_ = std::max(last_version_, database->last_version());
  auto view = make_rocksdb_view(database, last_version_, recent_);
  {
    const std::lock_guard lock(view_mutex_);
    database_.swap(database);
    view_.swap(view);
  }
  batch_ = RocksdbBatch(*database_);
  tallies_.forget();
  paused_ = false;
  failed_.store(false, std::memory_order_release);
  condition_->go_on();  // whoever hears of it may write
  base::log_info("store: writes are accepted again, it was opened anew");
  for (const TransactionPtr& txn : std::exchange(unsure_, {})) topics_.add(*txn);
  topics_.notify();
}

void RocksdbCommitter::refuse(const std::string& failure, bool is_pause) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    is_pause_ = is_pause;
    refused_ = 0;
    refused_told_ = std::chrono::steady_clock::now();
  }
  failed_.store(true, std::memory_order_release);
  for (const TransactionPtr& txn : done_visible_) {
    if (txn->result_.status == CommitStatus::committed) txn->failed_ = true;
  }
}

// Resumes the waiters, with one posted function for each executor.
void RocksdbCommitter::answer(std::vector<TransactionPtr>& transactions) {
  while (!transactions.empty()) {
    base::Executor* const executor = transactions.front()->executor_;
    std::vector<TransactionPtr> mine;
    std::vector<TransactionPtr> others;
    mine.reserve(transactions.size());
    for (TransactionPtr& txn : transactions) (txn->executor_ == executor ? mine : others).push_back(std::move(txn));
    transactions.swap(others);
    executor->post([answered = std::move(mine)] {
      for (const TransactionPtr& txn : answered) {
        if (const auto waiter = std::exchange(txn->waiter_, nullptr)) waiter.resume();
      }
    });
  }
}

StoreMetrics RocksdbCommitter::metrics() const {
  StoreMetrics metrics;
  metrics.commits = commits_.load(std::memory_order_relaxed);
  metrics.conflicts = conflicts_.load(std::memory_order_relaxed);
  metrics.syncs = syncs_.load(std::memory_order_relaxed);
  metrics.bytes_written = bytes_written_.load(std::memory_order_relaxed);
  metrics.failed = failed_.load(std::memory_order_relaxed);
  const std::shared_ptr<RocksdbDatabase> open = database();
  const BlockCache& cache = open->cache();
  metrics.cache_hits = cache.hits();
  metrics.cache_misses = cache.misses();
  metrics.cache_bytes = cache.bytes_used();
  metrics.cache_bytes_max = cache.bytes_max();
  const std::lock_guard lock(mutex_);
  metrics.queued_commits = waiting_.size();
  return metrics;
}

}  // namespace tidemill::store
