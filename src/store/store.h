// The store: an ordered key-value space with optimistic transactions and commit-ordered logs, on which all that is
// durable in Tidemill rests. Backends: rocksdb (embedded), sim (in memory, seeded faults); no code outside store/
// knows which one runs, and the interface promises only what every backend can keep.
//
//   const int count = co_await store.transact([&](Transaction& txn) -> Task<int> {
//     const auto old = co_await txn.get(key);
//     txn.put(key, next(old));
//     txn.append(log, record);          // same commit, position given by it
//     co_return parse(old);
//   });
//
// What holds:
// - A body reads from one snapshot, plus what it wrote itself. It commits only if nothing it read has been written
//   since; otherwise the body runs again, so it must not have effects other than through the transaction.
// - transact() returns after the commit is durable. No reader sees a write before it is durable.
// - Commits are totally ordered by Version; the records of a log are in the order of their commits; a reader that has
//   seen a position will never see a smaller one appear.
// - After a failed sync the store refuses all further writes (StoreFailed) and keeps answering reads.
//
// Any thread may call, on an executor; bodies run on the caller's. Destroy the store before the executors on which
// commits were awaited, and after everything that reads or commits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace tidemill::store {

// The order of commits. Also a hybrid clock: a version is never below Version::at(time of the commit), so a point in
// time can be turned into a position. 2^12 versions per microsecond leave room for 142 years from 1970.
struct Version {
  uint64_t value = 0;
  static constexpr int kBitsBelowMicrosecond = 12;

  // The least version that a commit at `time` can have.
  static Version at(base::Time time) {
    return {static_cast<uint64_t>(time.time_since_epoch().count()) << kBitsBelowMicrosecond};
  }
  // The time of the commit, exact unless commits came faster than 4096 in a microsecond or the clock went back.
  [[nodiscard]] base::Time time() const {
    return base::Time(base::Duration(static_cast<int64_t>(value >> kBitsBelowMicrosecond)));
  }
  auto operator<=>(const Version&) const = default;
};

// Where a record stands in its log: the version of its commit, and its place among that commit's appends.
struct Position {
  Version version;
  uint32_t index = 0;

  static constexpr size_t kEncodedSize = 12;  // 8 bytes version, 4 bytes index, big endian
  // Bytes whose order is the order of positions.
  [[nodiscard]] std::string encode() const;
  static std::optional<Position> decode(std::string_view bytes);
  static Position before_all() { return {}; }
  auto operator<=>(const Position&) const = default;
};

// Names a log (one shard of a stream, the history of an execution). No log's id may be a prefix of another's:
// build ids of fixed-size or terminated parts (base/ordered.h).
struct LogId {
  std::string bytes;
  auto operator<=>(const LogId&) const = default;
};

// Half open: begin <= key < end.
struct Range {
  std::string begin;
  std::string end;
  // Every key that starts with `prefix`.
  static Range prefix(std::string_view prefix);
};

enum class Direction { forward, reverse };

inline constexpr size_t kNoLimit = SIZE_MAX;

// Which entries of a range a scan shows: all of them or the first so many, from either end. Who knows how many it needs
// says so here: a backend reads ahead of the visitor, and only the limit tells it how far that makes sense.
//
//   co_await txn.scan(range, Direction::forward, visit);   // all
//   co_await txn.scan(range, first(10), visit);            // the ten with the least keys
//   co_await txn.scan(range, last(1), visit);              // the one with the greatest
struct ScanOptions {
  Direction direction = Direction::forward;
  size_t limit = kNoLimit;  // none is shown with 0

  ScanOptions(Direction from, size_t most = kNoLimit) : direction(from), limit(most) {}  // NOLINT: a direction is one
};
inline ScanOptions first(size_t limit) { return {Direction::forward, limit}; }
inline ScanOptions last(size_t limit) { return {Direction::reverse, limit}; }

// Which records of a log are read, oldest first: those after a position, or the first so many of them.
struct LogStart {
  Position after;
  size_t limit = kNoLimit;

  LogStart(Position position, size_t most = kNoLimit) : after(position), limit(most) {}  // NOLINT: a position is one
};

// Called for each entry in order; the views live until it returns. False stops the scan: for limits that only the
// entries tell, such as their bytes. A remote backend may by then have read a page more than was looked at.
using EntryVisitor = std::function<bool(std::string_view key, std::string_view value)>;
using RecordVisitor = std::function<bool(Position position, std::string_view record)>;

// Reads at one version. A read may suspend, also in the middle of a scan: a remote backend waits for its answer, and an
// embedded one gives way to others every few hundred microseconds (base::give_way). So between two visits anything may
// run on the executor but the coroutine that scans; range, visitor and what that refers to must outlive the wait, which
// they do within one `co_await snapshot.scan(…)`.
class Snapshot {
 public:
  virtual ~Snapshot() = default;

  [[nodiscard]] virtual Version version() const = 0;
  virtual Task<std::optional<std::string>> get(std::string_view key) = 0;
  // Whether get() gives what it gave at `since`, if that can be said for less than a read; for what is kept in memory
  // (remembered.h). False: it may have been written meanwhile, or been written by this transaction, or this is not known.
  // Does not see erase_range(). In a transaction, true counts as having read the key.
  virtual Task<bool> unchanged_since(std::string_view key, Version since) = 0;
  // A visitor must not write to the transaction it is called from.
  virtual Task<void> scan(const Range& range, ScanOptions options, const EntryVisitor& visit) = 0;
  virtual Task<void> read_log(const LogId& log, LogStart start, const RecordVisitor& visit) = 0;
  // The newest position in the log; nothing if it is empty.
  virtual Task<std::optional<Position>> last_position(const LogId& log) = 0;
};

// Reads and buffered writes. get() and scan() are tracked: a later commit to what they saw makes this one conflict.
// A scan that its limit or its visitor stops is tracked as far as it went. They see this transaction's own puts and erases;
// read_log() and last_position() are not tracked and see the snapshot only, since what is appended here has no
// position before it commits. Used on one executor, by one coroutine at a time.
class Transaction : public Snapshot {
 public:
  // How often this body has lost a race before. Among transactions that wait for the same commit, those that have
  // lost most come first, so that nobody loses forever. Set by transact().
  int attempt = 0;

  // Reads without tracking; for data where a stale answer does no harm, or that another tracked key guards.
  virtual Task<std::optional<std::string>> get_untracked(std::string_view key) = 0;
  virtual Task<void> scan_untracked(const Range& range, ScanOptions options, const EntryVisitor& visit) = 0;
  // Makes this transaction conflict with a later write to `key`, as if it had been read. For values kept in a cache.
  virtual void track(std::string_view key) = 0;

  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual void erase(std::string_view key) = 0;
  // Erases what the range holds when this commits. Others' reads inside the range do not conflict with it: guard the
  // range by a key that all its users read and the eraser writes.
  virtual void erase_range(const Range& range) = 0;

  // Two writes that need not know what stands there, of keys in KeySpace::tally: they are carried out in the order of
  // the commits, so that any number of transactions may change one key at once and none of them conflicts with another.
  // What this transaction reads does not show its own; they come after its puts and erases.
  //
  // Adds to a number, encoded as base::append_i64 does; none counts as 0, and what becomes 0 is erased. Conflicts with
  // nobody: who reads a number reads it as of its snapshot.
  virtual void add(std::string_view key, int64_t delta) = 0;
  // Replaces the value by `bound` if that is less, as bytes; does nothing if there is none. Conflicts with those who
  // have read `key` only if it does replace it.
  virtual void lower(std::string_view key, std::string_view bound) = 0;

  // Appends to a log. Returns the record's index within this commit; its position is {version of commit, index}.
  virtual uint32_t append(const LogId& log, std::string_view record) = 0;
  // Drops the log's records up to and including `upto`. To drop a whole log: erase_log().
  virtual void trim_log(const LogId& log, Position upto) = 0;
  virtual void erase_log(const LogId& log) = 0;

  // Wakes the subscribers of `topic` once this has committed. Appending signals the topic that is the log's id.
  virtual void signal(std::string_view topic) = 0;
};

// The store cannot take writes any more: a sync failed, or the disk is full. The reason is in what().
class StoreFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Too many commits wait, or the same transaction lost too many races. The caller answers with its service's
// throttling error.
class Overloaded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The data directory cannot be used; what() is one line that says what to do.
class OpenError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class CommitStatus { committed, conflict };
struct CommitResult {
  CommitStatus status = CommitStatus::committed;
  Version version;
};

// Ends the subscription when destroyed. After that the callback is neither running nor will it run.
class [[nodiscard]] Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::shared_ptr<void> token) : token_(std::move(token)) {}
  void reset() { token_.reset(); }

 private:
  std::shared_ptr<void> token_;
};

struct StoreMetrics {
  uint64_t commits = 0;
  uint64_t conflicts = 0;
  uint64_t syncs = 0;
  uint64_t bytes_written = 0;
  uint64_t queued_commits = 0;
  // Of blocks read from files, since the start; zero where there is no such cache.
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t cache_bytes = 0;
  uint64_t cache_bytes_max = 0;
  bool failed = false;
};

class Store {
 public:
  virtual ~Store() = default;

  // The latest durable state.
  virtual std::shared_ptr<Snapshot> snapshot() = 0;

  // How often a body is run before its transaction gives up with Overloaded.
  static constexpr int kAttemptsMax = 1000;

  template <class Body>
  auto transact(Body body) -> Task<typename std::invoke_result_t<Body&, Transaction&>::value_type> {
    using Value = typename std::invoke_result_t<Body&, Transaction&>::value_type;
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
      const std::shared_ptr<Transaction> txn = begin();
      txn->attempt = attempt;
      if constexpr (std::is_void_v<Value>) {
        co_await body(*txn);
        if ((co_await commit(txn)).status == CommitStatus::committed) co_return;
      } else {
        Value value = co_await body(*txn);
        if ((co_await commit(txn)).status == CommitStatus::committed) co_return value;
      }
    }
    throw Overloaded("a transaction lost too many races");
  }

  // The same, and the version of the commit: for callers that need the positions of what they appended. A transaction
  // without writes has the version of its snapshot.
  template <class Body>
  auto transact_versioned(Body body)
      -> Task<std::pair<typename std::invoke_result_t<Body&, Transaction&>::value_type, Version>> {
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
      const std::shared_ptr<Transaction> txn = begin();
      txn->attempt = attempt;
      auto value = co_await body(*txn);
      const CommitResult result = co_await commit(txn);
      if (result.status == CommitStatus::committed) co_return std::pair(std::move(value), result.version);
    }
    throw Overloaded("a transaction lost too many races");
  }

  // The pieces of transact(). commit() throws StoreFailed and Overloaded; a transaction is committed once.
  virtual std::shared_ptr<Transaction> begin() = 0;
  virtual Task<CommitResult> commit(std::shared_ptr<Transaction> txn) = 0;

  // Calls `callback` after each commit that signalled `topic`, once that commit is visible to new snapshots and before
  // its transact() returns. The callback runs on the committing thread: it must only hand on (Signal::signal, a
  // cache's invalidation). Several commits may come as one call.
  virtual Subscription subscribe(std::string_view topic, std::function<void()> callback) = 0;

  [[nodiscard]] virtual StoreMetrics metrics() const = 0;
};

}  // namespace tidemill::store
