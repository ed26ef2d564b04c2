// The part of a lane that keeps tumbling windows (tumbling_window.h). A window is open once the function has taken some
// of its records; it is over when a record of a later one is there, when it has been idle for long enough after its
// end, or when the shard is at its end. Then the function is told, with no records, and what it answers closes the
// window.
#include <algorithm>

#include "base/log.h"
#include "engine/mappings/retry_policy.h"
#include "engine/mappings/shard_lane.h"

namespace tidemill::engine {

base::Duration ShardLane::window_size() const { return std::chrono::seconds(shard_.config->tumbling_window_seconds); }

// The open window, or the one that the first record begins.
OpenWindow& ShardLane::window_for_front() {
  if (shard_.window) return *shard_.window;
  next_window_ = window_at(lane_.records.front().arrival, window_size());
  return *next_window_;
}

std::string ShardLane::window_members_within() {
  if (window_size() == base::Duration(0)) return {};
  return window_members(window_for_front(), shard_.shard_id, shard_.config->event_source_arn, WindowCall::within);
}

// By what there is already; that no more records come is for gather() to see.
bool ShardLane::is_window_over() const {
  const auto& window = shard_.window;
  if (!window) return false;
  if (window->is_overflown() || window->size != window_size()) return true;
  return !lane_.records.empty() && lane_.records.front().arrival >= window->end();
}

// The function has taken the first `count` records.
void ShardLane::take_state(size_t count, std::string state) {
  OpenWindow& window = window_for_front();
  for (size_t i = 0; i < count; ++i) window.add(lane_.records[i]);
  window.state = std::move(state);
  if (!shard_.window) shard_.window = *std::exchange(next_window_, std::nullopt);
  window_changed_ = true;
}

// One invocation with no records: the window's last, or, if its state is too large, one that ends it early.
Task<void> ShardLane::close_window() {
  const WindowCall call_kind = shard_.window->is_overflown() ? WindowCall::early : WindowCall::final;
  // Records age, but a window may be longer than they may be old: once it has failed, or could not be tried, it has as
  // long from its end.
  const BatchPiece& closing = shard_.window->closing;
  const base::Duration age_max = record_age_max(config(), shard_.run.source.retention(config().event_source_arn));
  if (attempts_exhausted(closing.attempts, config())) {
    give_up_window(call_kind, DiscardCondition::retry_attempts_exhausted);
    co_return;
  }
  if ((closing.attempts > 0 || failures_ > 0) && now() >= shard_.window->end() + age_max) {
    give_up_window(call_kind, DiscardCondition::record_age_exceeded);
    co_return;
  }
  co_await saver_.durable(saved_);
  if (shard_.ending) co_return;
  shard_.tenure.require();
  const Batch nothing;
  const std::string members =
      window_members(*shard_.window, shard_.shard_id, shard_.config->event_source_arn, call_kind);
  shard_.run.metrics.batches.add();
  settle_window(call_kind, co_await call(batch_payload(lane_.records, nothing, members), lane_.records.size()));
  // What succeeded is not repeated unless a crash comes before this.
  co_await saver_.durable(saved_);
}

void ShardLane::settle_window(WindowCall call, const InvokeOutcome& outcome) {
  last_request_id_ = outcome.request_id;
  last_version_ = outcome.executed_version;
  BatchPiece& closing = shard_.window->closing;
  const auto document = json::parse(outcome.payload);
  if (outcome.status == InvokeStatus::ok && document && state_in(*document)) {
    leave_window(call);
    save(kProcessedOk);
    return;
  }
  ++failures_;
  shard_.run.metrics.errors.add();
  log_failure(0, closing.attempts + 1, outcome);
  if (outcome.status == InvokeStatus::ok || outcome.status == InvokeStatus::function_error) {
    ++closing.attempts;
    closing.reported = outcome.status == InvokeStatus::ok;
    window_changed_ = true;
  }
  if (attempts_exhausted(closing.attempts, config())) {
    give_up_window(call, DiscardCondition::retry_attempts_exhausted);
    return;
  }
  save(kProblemFunction);
}

// The document tells of the records that had gone into the window.
void ShardLane::give_up_window(WindowCall call, DiscardCondition condition) {
  const OpenWindow& window = *shard_.window;
  if (window.records == 0) {  // after an early end: there is nothing to tell of
    leave_window(call);
    save(kProblemFunction);
    return;
  }
  DiscardedBatch discarded;
  discarded.condition = condition;
  discarded.invocations = window.closing.attempts;
  discarded.reported = window.closing.reported;
  discarded.first_sequence_number = window.first_sequence_number;
  discarded.last_sequence_number = window.last_sequence_number;
  discarded.first_arrival = window.first_arrival;
  discarded.last_arrival = window.last_arrival;
  discarded.count = window.records;
  give_up(std::move(discarded));
  leave_window(call);
  save(kProblemFunction);
}

// Early: the same window goes on with a fresh state. Final: the next record begins another.
void ShardLane::leave_window(WindowCall call) {
  failures_ = 0;
  window_changed_ = true;
  if (call == WindowCall::final) {
    shard_.window.reset();
    return;
  }
  OpenWindow fresh;
  fresh.start = shard_.window->start;
  fresh.size = shard_.window->size;
  shard_.window = std::move(fresh);
}

Task<void> ShardLane::close_old_window() {
  busy_ = shard_.run.clock.activity().hold();
  while (!shard_.ending && shard_.window && shard_.window->size != window_size()) {
    co_await close_window();
    if (failures_ > 0) co_await back_off();
  }
}

}  // namespace tidemill::engine
