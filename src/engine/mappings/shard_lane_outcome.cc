// What an invocation has come to, and what follows: progress, retries, halves, and giving up (facts 1.7).
#include <algorithm>
#include <unordered_map>

#include "base/log.h"
#include "engine/mappings/batch_pieces.h"
#include "engine/mappings/failure_destination.h"
#include "engine/mappings/item_failures.h"
#include "engine/mappings/mapping_events.h"
#include "engine/mappings/mapping_usage.h"
#include "engine/mappings/pinned_batch.h"
#include "engine/mappings/retry_policy.h"
#include "engine/mappings/shard_lane.h"

namespace tidemill::engine {

namespace {

// The least index of the records that are named; nothing if one is not in the batch.
std::optional<size_t> first_named(const std::deque<StreamRecord>& records, size_t count,
                                  const std::vector<std::string>& sequence_numbers) {
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < count; ++i) places.emplace(records[i].sequence_number, i);
  size_t first = count;
  for (const std::string& number : sequence_numbers) {
    const auto found = places.find(number);
    if (found == places.end()) return std::nullopt;
    first = std::min(first, found->second);
  }
  return first;
}

}  // namespace

ShardLane::Answer ShardLane::read_answer(const Batch& batch, const InvokeOutcome& outcome) const {
  if (outcome.status == InvokeStatus::function_error) return {.verdict = Verdict::failed};
  if (outcome.status != InvokeStatus::ok) return {.verdict = Verdict::not_run};
  const bool has_window = window_size() > base::Duration(0);
  if (!config().report_item_failures && !has_window) return {};

  const auto document = json::parse(outcome.payload);
  Answer answer;
  if (has_window) {
    if (document) answer.state = state_in(*document);
    if (!answer.state) return {.verdict = Verdict::failed, .reported = true};
  }
  if (!config().report_item_failures || !document) return answer;
  const auto failures = item_failures(*document);
  if (failures && failures->empty()) return answer;
  const auto first = failures ? first_named(lane_.records, batch.count, *failures) : std::nullopt;
  answer.reported = true;
  answer.finished = first.value_or(0);
  answer.verdict = answer.finished > 0 ? Verdict::partly : Verdict::failed;
  return answer;
}

void ShardLane::settle(const Batch& batch, InvokeOutcome outcome) {
  last_request_id_ = std::move(outcome.request_id);
  last_version_ = std::move(outcome.executed_version);
  Answer answer = read_answer(batch, outcome);
  if (answer.verdict != Verdict::not_run) {
    measure_age(shard_.run.usage, config(), now() - lane_.records[batch.count - 1].arrival);
  }
  if (answer.verdict == Verdict::finished) {
    if (answer.state) take_state(batch.count, *std::move(answer.state));
    settle_finished(batch);
    return;
  }
  ++failures_;
  shard_.run.metrics.errors.add();
  add_events(shard_.run.usage, config(), kFailedInvokeEvents, batch.count - answer.finished);
  log_failure(batch.count, lane_.pieces.empty() ? 1 : lane_.pieces.front().attempts + 1, outcome);
  switch (answer.verdict) {
    case Verdict::partly: {
      // What is left has all its attempts before it.
      const store::Position last = lane_.records[batch.count - 1].position;
      if (answer.state) take_state(answer.finished, *std::move(answer.state));
      shard_.run.metrics.records.add(answer.finished);
      drop_front(answer.finished, true);
      keep_rest(lane_.pieces, last);
      failures_ = 1;
      save(kProblemFunction);
      return;
    }
    case Verdict::failed:
      settle_failed(batch, answer);
      return;
    default:
      // It did not run: the attempts stand, and so does the checkpoint.
      if (shard_.run.last_result != kProblemFunction) save(kProblemFunction);
  }
}

void ShardLane::settle_finished(const Batch& batch) {
  shard_.run.metrics.records.add(batch.count);
  shard_.run.metrics.iterator_age->store((now() - lane_.records[batch.count - 1].arrival).count(),
                                         std::memory_order_relaxed);
  failures_ = 0;
  drop_front(batch.count, true);
  save(kProcessedOk);
}

void ShardLane::settle_failed(const Batch& batch, const Answer& answer) {
  const store::Position last = lane_.records[batch.count - 1].position;
  if (config().bisect_on_error && batch.count > 1) {
    // Uses up no attempt. The halves have not been tried yet: nothing to wait for.
    halve(lane_.pieces, lane_.records[batch.count / 2 - 1].position, last);
    failures_ = 0;
    save(kProblemFunction);
    return;
  }
  BatchPiece& piece = piece_for(lane_.pieces, last);
  ++piece.attempts;
  piece.reported = answer.reported;
  if (attempts_exhausted(piece.attempts, config())) {
    discard(batch, DiscardCondition::retry_attempts_exhausted);
    return;
  }
  save(kProblemFunction);
}

void ShardLane::log_failure(size_t records, uint32_t attempts, const InvokeOutcome& outcome) const {
  base::log_warning("a mapping's batch failed", {{"mapping", config().uuid},
                                                 {"shard", shard_.shard_id},
                                                 {"function", config().function_arn},
                                                 {"records", std::to_string(records)},
                                                 {"attempts", std::to_string(attempts)},
                                                 {"detail", outcome.detail}});
}

// Waits until the batch may be tried again, or nothing is left of it. A function that had no place is tried as soon as
// there is one for this lane.
Task<void> ShardLane::back_off() {
  const base::Time again = now() + backoff(failures_);
  if (std::exchange(throttled_, false)) {
    const base::Time since = lane_.records.empty() ? now() : lane_.records.front().arrival;
    co_await place_.stand_in_line(shard_.run.invoker, config().function_arn, since, lane_.control);
  }
  while (!shard_.ending && now() < again && !place_.is_called()) {
    base::Time until = again;
    if (!lane_.records.empty()) {
      until = std::min(again, lane_.records.front().arrival +
                                  record_age_max(config(), shard_.run.source.retention(config().event_source_arn)));
    }
    co_await rest(lane_.control, until);
    co_await saver_.durable(saved_before_);
    discard_expired();
    if (failures_ == 0) {
      place_.leave();  // what it was for is gone
      co_return;
    }
  }
}

// ---- giving up --------------------------------------------------------------------------------------------------

// Only what is expired goes; younger records of the same batch keep their place and their attempts.
bool ShardLane::discard_expired() {
  const base::Duration age_max = record_age_max(config(), shard_.run.source.retention(config().event_source_arn));
  size_t expired = expired_prefix(lane_.records, now(), age_max);
  if (expired == 0) return false;
  // One batch at a time; those behind a window that is still open are no batch yet.
  size_t batch = cut().count;
  if (batch == 0) batch = cut_batch(lane_.records, {.count_max = static_cast<size_t>(config().batch_size)}).count;
  expired = std::min(expired, std::max<size_t>(batch, 1));
  discard(Batch{.count = expired}, DiscardCondition::record_age_exceeded);
  return true;
}

void ShardLane::discard(const Batch& batch, DiscardCondition condition) {
  const StreamRecord& first = lane_.records.front();
  const StreamRecord& last = lane_.records[batch.count - 1];
  DiscardedBatch discarded;
  discarded.condition = condition;
  if (!lane_.pieces.empty()) {
    discarded.invocations = lane_.pieces.front().attempts;
    discarded.reported = lane_.pieces.front().reported;
  }
  discarded.first = first.position;
  discarded.first_sequence_number = first.sequence_number;
  discarded.last_sequence_number = last.sequence_number;
  discarded.first_arrival = first.arrival;
  discarded.last_arrival = last.arrival;
  discarded.count = batch.count;
  const bool pins = pins_records(config());
  if (pins || is_bucket(config().failure_destination)) {
    discarded.records_json = record_list(lane_.records, batch.count);
  }
  if (pins) {
    pins_.emplace_back(pinned_batch_key(config().uuid, shard_.shard_id, first.sequence_number, last.sequence_number),
                       encode_pinned_batch({last.sequence_number, batch.count, discarded.records_json}));
  }
  give_up(std::move(discarded));
  drop_front(batch.count, false);
  save(kProblemFunction);
}

// The document goes with the save that follows.
void ShardLane::give_up(DiscardedBatch discarded) {
  const bool is_too_old = discarded.condition == DiscardCondition::record_age_exceeded;
  shard_.run.discards->warn({{"mapping", config().uuid},
                            {"function", config().function_arn},
                            {"reason", is_too_old ? "the records are too old" : "its attempts are exhausted"}},
                           {{"shard", shard_.shard_id},
                            {"records", std::to_string(discarded.count)},
                            {"first", discarded.first_sequence_number},
                            {"last", discarded.last_sequence_number}});
  shard_.run.metrics.discarded_records.add(discarded.count);
  discarded.shard_id = shard_.shard_id;
  discarded.request_id = last_request_id_;
  discarded.executed_version = last_version_;
  if (auto delivery = failure_delivery(config(), discarded, now())) {
    deliveries_.push_back(*std::move(delivery));
  } else if (!is_too_old || config().record_age_seconds_max >= 0) {
    // AWS does not count what the stream's own retention ends.
    add_events(shard_.run.usage, config(), kDroppedEvents, discarded.count);
  }
}

// The first `count` records are finished, one way or another.
void ShardLane::drop_front(size_t count, bool succeeded) {
  const store::Position done = lane_.records[count - 1].position;
  for (size_t i = 0; i < count; ++i) lane_.bytes -= lane_.records[i].event_json.size();
  lane_.records.erase(lane_.records.begin(), lane_.records.begin() + static_cast<ptrdiff_t>(count));
  lane_.count_room();
  finish(lane_.pieces, done, succeeded);
  if (lane_.pieces.empty() || lane_.pieces.front().attempts == 0) failures_ = 0;
}

void ShardLane::save(std::optional<std::string_view> result) {
  MappingRun& run = shard_.run;
  // What other processes have written is not known here.
  if (result == run.last_result && !run.ownership.is_shared()) result.reset();
  if (result) run.last_result = *result;
  ShardChange change{.checkpoint = shard_.checkpoint(),
                     .result = std::nullopt,
                     .window = std::nullopt,
                     .deliveries = std::exchange(deliveries_, {}),
                     .pins = std::exchange(pins_, {})};
  if (result) change.result = *result;
  if (std::exchange(window_changed_, false)) change.window = shard_.window ? encode_window(*shard_.window) : "";
  saved_before_ = std::exchange(saved_, saver_.save(std::move(change)));
}

// Records that a filter has left out need not be read again after a restart. Not for each of them: reading on is cheap.
void ShardLane::save_skipped() {
  if (shard_.filter) save();
}

}  // namespace tidemill::engine
