#include "services/dynamodb/stream_retention.h"

#include <atomic>
#include <memory>

#include "base/log.h"
#include "services/dynamodb/sequence_number.h"

namespace tidemill::dynamodb {

namespace {

// A trim waits until at least this much can be dropped at once.
constexpr std::chrono::minutes kTrimInterval{10};

// Raises a flag for the first who asks, so that of many writers one sets the timer; lowers it again unless it was kept.
class Claim {
 public:
  explicit Claim(std::shared_ptr<std::atomic<bool>> flag) : flag_(std::move(flag)), is_mine_(!flag_->exchange(true)) {}
  ~Claim() {
    if (is_mine_ && !kept_) flag_->store(false);
  }
  Claim(const Claim&) = delete;

  [[nodiscard]] bool is_mine() const { return is_mine_; }
  void keep() { kept_ = true; }

 private:
  const std::shared_ptr<std::atomic<bool>> flag_;
  const bool is_mine_;
  bool kept_ = false;
};

// When the oldest record after `after` was written; nothing if there is none.
Task<std::optional<base::Time>> oldest_record(store::Snapshot& snapshot, const Stream& stream, store::Position after) {
  std::optional<base::Time> oldest;
  const std::string arn = stream.address.arn();
  for (const Shard& shard : stream.shards) {
    const store::RecordVisitor visit = [&](store::Position position, std::string_view) {
      const base::Time time = position.version.time();
      if (!oldest || time < *oldest) oldest = time;
      return true;
    };
    const store::LogId log = shard_log(arn, shard.id);
    co_await snapshot.read_log(log, {after, 1}, visit);
  }
  co_return oldest;
}

}  // namespace

store::Position oldest_readable(base::Time now) { return before_time(now - kStreamRetention); }

Task<void> end_stream(store::Transaction& txn, Table& table, base::Time now) {
  const StreamAddress address{table.address, table.stream->label};
  table.stream.reset();
  std::optional<Stream> stream = co_await load_stream(txn, address);
  if (!stream) co_return;
  disable(*stream, now);
  save_stream(txn, *stream);
  const std::string arn = address.arn();
  co_await store::cancel_timer(txn, kTrimTimer, arn);
  const store::Timer timer{.kind = std::string(kRemovalTimer.name), .id = arn, .due = now + kStreamRetention};
  co_await store::set_timer(txn, timer);
}

Task<void> StreamRetention::set_trim_timer(const Table& table) {
  Claim claim(table.stream->retention_set);
  if (!claim.is_mine()) co_return;
  const std::string arn = StreamAddress{table.address, table.stream->label}.arn();
  const store::Timer timer{.kind = std::string(kTrimTimer.name),
                           .id = arn,
                           .due = clock_.now() + kStreamRetention + kTrimInterval};
  try {
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      if (!co_await store::timer_due(txn, kTrimTimer, arn)) co_await store::set_timer(txn, timer);
    });
    claim.keep();
  } catch (const std::runtime_error& error) {
    // The write that asked for it is done and acknowledged; the next one tries again.
    base::log_warning("stream trim not scheduled", {{"stream", arn}, {"reason", error.what()}});
  }
}

Task<void> StreamRetention::trim(const store::Timer& timer) {
  const auto address = parse_stream_arn(timer.id);
  const base::Time now = clock_.now();
  const store::Position upto = oldest_readable(now);
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !address) co_return;
    const std::optional<Stream> stream = co_await load_stream(txn, *address);
    if (!stream || stream->disabled) co_return;
    for (const Shard& shard : stream->shards) txn.trim_log(shard_log(timer.id, shard.id), upto);
    const auto oldest = co_await oldest_record(txn, *stream, upto);
    if (!oldest) {
      // The next write finds no timer and sets one: writers look again once the table's description is another.
      std::optional<Table> table = co_await load_table(txn, address->table);
      if (!table || !table->stream) co_return;
      table->stream->emptied = now;
      save_table(txn, *table);
      co_return;
    }
    store::Timer next = timer;
    next.due = std::max(*oldest + kStreamRetention, now) + kTrimInterval;
    co_await store::set_timer(txn, next);
  });
}

Task<void> StreamRetention::remove(const store::Timer& timer) {
  const auto address = parse_stream_arn(timer.id);
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !address) co_return;
    if (const std::optional<Stream> stream = co_await load_stream(txn, *address)) erase_stream(txn, *stream);
  });
}

}  // namespace tidemill::dynamodb
