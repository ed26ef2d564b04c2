#include "engine/mappings/shard_lane.h"

#include <algorithm>

#include "engine/mappings/mapping_events.h"
#include "engine/mappings/retry_policy.h"

namespace tidemill::engine {

ShardLane::ShardLane(ShardState& shard, LaneState& lane, ShardReader& reader, CheckpointSaver& saver)
    : shard_(shard), lane_(lane), reader_(reader), saver_(saver) {}

ShardLane::~ShardLane() = default;

Task<void> ShardLane::run() {
  busy_ = shard_.run.clock.activity().hold();
  for (Next next = co_await gather(); next != Next::nothing; next = co_await gather()) {
    if (next == Next::window_end) {
      co_await close_window();
    } else if (discard_expired()) {
      co_await base::yield();  // a long backlog of expired records must not keep others from running
      co_await saver_.durable(saved_before_);  // nor gather in memory as documents
    } else {
      const Batch batch = cut();
      if (!lane_.pieces.empty() && attempts_exhausted(lane_.pieces.front().attempts, config())) {
        discard(batch, DiscardCondition::retry_attempts_exhausted);
        continue;
      }
      co_await saver_.durable(lane_.pieces.empty() ? saved_before_ : saved_);
      if (shard_.ending) break;
      shard_.tenure.require();
      co_await deliver(batch);
    }
    if (failures_ > 0) co_await back_off();
  }
  co_await saver_.durable(saved_);
}

// ---- gathering a batch ------------------------------------------------------------------------------------------

// Returns once there is something to deliver, or when there will be nothing: the shard is ending or at its end. With no
// window a wake leads to one read and at once to the batch.
Task<ShardLane::Next> ShardLane::gather() {
  while (!shard_.ending) {
    reader_.take_news();
    if (is_window_over()) co_return Next::window_end;
    const Batch batch = cut();
    if (is_ripe(batch)) co_return Next::batch;
    if (batch.count == 0 && !lane_.records.empty()) {
      // What is left of the batch that failed has been trimmed away, or no filter passes it any more. Before another
      // read: the records behind it would be read to the stream's end otherwise.
      lane_.pieces.erase(lane_.pieces.begin());
      continue;
    }
    if (!reader_.is_drained(lane_) || (batch.count == 0 && !reader_.is_exhausted(lane_))) {
      co_await read(batch);
      continue;
    }
    std::optional<base::Time> until;
    if (batch.count > 0) {
      until = batching_end();
    } else if (shard_.window) {
      until = shard_.window->end() + shard_.run.window_idle_wait;
      if (shard_.closed || now() >= *until) co_return Next::window_end;
    } else if (shard_.closed) {
      co_return Next::nothing;
    }
    if (batch.count == 0) place_.leave();  // there is nothing to be called for
    co_await rest(lane_.news, until);
  }
  co_return Next::nothing;
}

Batch ShardLane::cut() {
  BatchLimits limits{.count_max = static_cast<size_t>(config().batch_size)};
  if (!lane_.pieces.empty()) limits.last = lane_.pieces.front().last;
  else if (lean_) limits.payload_max = kLeanBatchBytes;
  if (window_size() > base::Duration(0) && !lane_.records.empty()) {
    const OpenWindow& window = window_for_front();
    limits.arrival_end = window.end();
    limits.payload_extra = window_members_size_max(window, shard_.shard_id, shard_.config->event_source_arn);
  }
  return cut_batch(lane_.records, limits);
}

// Whether the batch should go as it is. What failed before was a batch already and waits for nothing.
bool ShardLane::is_ripe(const Batch& batch) const {
  if (batch.count == 0) return false;
  if (batch.full) return true;
  return reader_.is_drained(lane_) && (!lane_.pieces.empty() || shard_.closed || now() >= batching_end());
}

// The batching window begins with the batch's first record, but not before the batch before it is done. Measured from
// the record's own time, so that a restart does not begin it anew.
base::Time ShardLane::batching_end() const {
  const int seconds = config().batching_window_seconds;
  if (seconds == 0) return now();
  return std::max(lane_.records.front().arrival, free_since_) + std::chrono::seconds(seconds);
}

Task<bool> ShardLane::may_read() {
  if (shard_.run.rights == nullptr) return Task<bool>::ready(true);
  return shard_.run.rights->may_read(config());
}

// Reads what the batch still lacks.
Task<void> ShardLane::read(const Batch& batch) {
  if (reader_.is_reading()) {
    co_await rest(lane_.news, std::nullopt);
    co_return;
  }
  if (!co_await may_read()) {
    if (shard_.run.last_result != kProblemRights) save(kProblemRights);
    (void)co_await rest(lane_.news, now() + MappingRights::kDeniedPause);
    co_return;
  }
  if (reader_.is_reading()) co_return;  // another lane has begun while this one asked
  const size_t had = lane_.records.size();
  const size_t wanted = std::max(static_cast<size_t>(config().batch_size), batch.count + 1) - batch.count;
  co_await reader_.read(lane_, share(wanted), room_for_batch());
  lane_.count_room();
  // Nothing for this lane: it may go on like this for long.
  if (lane_.records.size() == had && !reader_.is_drained(lane_)) {
    save_skipped();
    co_await base::yield();
  }
}

// How many bytes of the shard to read for a batch: what an invocation takes, if there is room for it twice, as records
// and as the event made of them. What was a batch before is one again.
size_t ShardLane::room_for_batch() {
  lean_ = lane_.pieces.empty() && !lane_.room.grow(2 * kPayloadBytesMax);
  return lean_ ? kLeanBatchBytes : kPayloadBytesMax;
}

// How many records of the shard to read for about `wanted` of this lane. For each of several lanes a whole batch: they
// would read in small steps otherwise, since one always lacks little.
size_t ShardLane::share(size_t wanted) const {
  const size_t lanes = shard_.lanes.size();
  return lanes == 1 ? wanted : lanes * std::max(wanted, static_cast<size_t>(config().batch_size));
}

// Reads what will be the next batch, while this one is with the function.
Task<void> ShardLane::read_ahead(size_t batch_count) {
  const size_t wanted = batch_count + static_cast<size_t>(config().batch_size);
  const auto needs_none = [&] {
    return reader_.is_reading() || reader_.is_exhausted(lane_) || lane_.records.size() >= wanted;
  };
  if (needs_none() || !co_await may_read() || needs_none()) co_return;  // others go on while this one asks
  if (!lane_.room.grow(lane_.bytes + with_function_ + kPayloadBytesMax)) co_return;
  co_await reader_.read(lane_, share(wanted - lane_.records.size()), kPayloadBytesMax);
  lane_.count_room(with_function_);
}

// ---- delivering it ----------------------------------------------------------------------------------------------

Task<void> ShardLane::deliver(const Batch& batch) {
  const std::string members = window_members_within();
  shard_.run.metrics.batches.add();
  add_events(shard_.run.usage, config(), kInvokedEvents, batch.count);
  settle(batch, co_await call(batch_payload(lane_.records, batch, members), batch.count));
}

// The first `batch_count` records are with the function meanwhile.
Task<InvokeOutcome> ShardLane::call(std::string payload, size_t batch_count) {
  base::Future<InvokeOutcome> done;
  with_function_ = payload.size();
  lane_.count_room(with_function_);
  invocation_.spawn(invoke(shard_.run.config, std::move(payload), done));
  // Whatever becomes of the reading, the function runs, and what it makes of the batch is to be saved: the batch must not
  // go out a second time. Who reads once nothing is in hand meets the same again.
  try {
    co_await read_ahead(batch_count);
  } catch (const std::exception&) {
  }
  busy_ = {};  // a function that runs counts by itself, one that sleeps may let time pass
  InvokeOutcome outcome = co_await done;
  throttled_ = outcome.status == InvokeStatus::throttled;
  busy_ = shard_.run.clock.activity().hold();
  with_function_ = 0;
  lean_ = false;
  lane_.count_room();
  free_since_ = now();
  co_return outcome;
}

Task<void> ShardLane::invoke(std::shared_ptr<const Mapping> config, std::string payload,
                             base::Future<InvokeOutcome> done) {
  InvokeOutcome outcome{.status = InvokeStatus::failed};
  try {
    outcome = co_await shard_.run.invoker.invoke_in_turn(config->function_arn, std::move(payload), place_.take());
  } catch (const std::exception& error) {
    outcome.detail = error.what();
  }
  done.set(std::move(outcome));
}

// Waits, and is quiet while it does. The alarm is set before the hold ends: a clock that jumps must see it.
Task<bool> ShardLane::rest(base::Signal signal, std::optional<base::Time> until) {
  bool signalled = true;
  if (until) {
    signalled = co_await signal.wait([&](base::Function expire) {
      auto alarm = shard_.run.clock.call_at(base::Executor::current(), *until, std::move(expire));
      busy_ = {};
      return alarm;
    });
  } else {
    busy_ = {};
    co_await signal;
  }
  busy_ = shard_.run.clock.activity().hold();
  co_return signalled;
}

}  // namespace tidemill::engine
