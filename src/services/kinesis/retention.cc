#include "services/kinesis/retention.h"

#include <algorithm>

#include "base/log.h"
#include "store/position.h"

namespace tidemill::kinesis {
namespace {

// A trim waits until at least this much can be dropped at once.
constexpr std::chrono::minutes kTrimInterval{10};

// When something of the stream comes past its retention; nothing if there is nothing to trim.
Task<std::optional<base::Time>> next_expiry(store::Snapshot& snapshot, const Stream& stream, store::Position trimmed) {
  std::optional<base::Time> oldest;
  const auto note = [&](base::Time time) { oldest = oldest ? std::min(*oldest, time) : time; };
  for (const Shard& shard : stream.shards) {
    if (shard.closed) note(*shard.closed);
    const store::LogId log = shard_log(stream.id, shard.number);
    const store::RecordVisitor visit = [&](store::Position position, std::string_view) {
      note(position.version.time());
      return true;
    };
    co_await snapshot.read_log(log, {trimmed, 1}, visit);
  }
  if (!oldest) co_return std::nullopt;
  co_return *oldest + stream.retention;
}

// Trims what is past retention, and sets the timer anew if something is left. True: nothing is.
Task<bool> trim_stream(store::Transaction& txn, const store::Timer& timer, const StreamAddress& address,
                       base::Time now) {
  if (!co_await store::finish_timer(txn, timer)) co_return false;
  const auto bytes = co_await txn.get(stream_key(address));
  if (!bytes) co_return false;
  Stream stream = decode_stream(address, *bytes);
  const store::Position upto = oldest_readable(stream, now);
  for (const Shard& shard : stream.shards) {
    const store::LogId log = shard_log(stream.id, shard.number);
    if (stream.is_live(shard, now))
      txn.trim_log(log, upto);
    else
      txn.erase_log(log);
  }
  const size_t erased = std::erase_if(stream.shards, [&](const Shard& shard) { return !stream.is_live(shard, now); });
  const auto due = co_await next_expiry(txn, stream, upto);
  if (due) {
    store::Timer next = timer;
    next.due = std::max(*due, now) + kTrimInterval;
    co_await store::set_timer(txn, next);
  } else {
    // The next write must set a timer: writers look again once the description is read anew, so its bytes must differ.
    stream.trims_ended = now;
  }
  if (erased > 0 || !due) save_stream(txn, stream);
  co_return !due;
}

}  // namespace

store::Position oldest_readable(const Stream& stream, base::Time now) {
  return store::before_time(stream.horizon(now));
}

Task<void> hasten_trim(store::Transaction& txn, const Stream& stream, base::Time now) {
  const std::string arn = stream.address.arn();
  if (!co_await store::timer_due(txn, kTrimTimer, arn)) co_return;
  const store::Timer timer{.kind = std::string(kTrimTimer.name), .id = arn, .due = now + kTrimInterval};
  co_await store::set_timer(txn, timer);
}

Task<void> Retention::set_timer(StreamPtr stream) {
  if (stream->has_trim_timer->exchange(true)) co_return;
  const std::string arn = stream->address.arn();
  const store::Timer timer{
      .kind = std::string(kTrimTimer.name), .id = arn, .due = clock_.now() + stream->retention + kTrimInterval};
  try {
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      if (!co_await store::timer_due(txn, kTrimTimer, arn)) co_await store::set_timer(txn, timer);
    });
  } catch (const std::runtime_error& error) {
    // The write that asked for it is done and acknowledged; the next one tries again.
    stream->has_trim_timer->store(false);
    base::log_warning("stream trim not scheduled", {{"stream", arn}, {"reason", error.what()}});
  }
}

Task<void> Retention::trim(const store::Timer& timer) {
  const auto address = parse_stream_arn(timer.id);
  if (!address) co_return;
  const base::Time now = clock_.now();
  const bool ended = co_await store_.transact(
      [&](store::Transaction& txn) -> Task<bool> { return trim_stream(txn, timer, *address, now); });
  if (!ended) co_return;
  // A record may have been written after this looked for one, by somebody who relied on the timer that is gone now.
  const auto snapshot = store_.snapshot();
  const auto bytes = co_await snapshot->get(stream_key(*address));
  if (!bytes) co_return;
  const auto stream = std::make_shared<const Stream>(decode_stream(*address, *bytes));
  if (co_await next_expiry(*snapshot, *stream, store::Position::before_all())) co_await set_timer(stream);
}

}  // namespace tidemill::kinesis
