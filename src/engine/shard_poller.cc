#include "engine/shard_poller.h"

#include <algorithm>

#include "base/log.h"
#include "engine/retry_policy.h"
#include "wire/platform_metrics.h"

namespace tidemill::engine {

namespace {

// After a defect on the way, before starting again from the checkpoint.
constexpr auto kRecoveryPause = std::chrono::seconds(1);

constexpr wire::PlatformMetric kIteratorAge{"AWS/Lambda", "IteratorAge", "Milliseconds", "FunctionName"};

// The field of an ARN, from 0; empty if it has fewer.
std::string_view field_of(std::string_view arn, int index) {
  for (; index > 0; --index) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return arn.substr(0, arn.find(':'));
}

// How old the last record of a batch was when the function had it.
void measure_age(const MappingRun& run, base::Duration age) {
  const std::string_view arn = run.config->function_arn;
  if (!run.usage) return;
  run.usage->add(kIteratorAge, field_of(arn, 4), field_of(arn, 3), field_of(arn, 6),
                 std::chrono::duration<double, std::milli>(std::max(age, base::Duration(0))).count());
}

}  // namespace

ShardPoller::ShardPoller(MappingRun& run, std::string shard_id, Checkpoint checkpoint)
    : run_(run),
      shard_id_(std::move(shard_id)),
      checkpoint_(checkpoint),
      saver_(run.store, run.clock, run.config->uuid, shard_id_) {}

ShardPoller::~ShardPoller() = default;

void ShardPoller::stop() {
  stopping_ = true;
  reconsider();
}

void ShardPoller::shard_closed() {
  if (closed_) return;
  closed_ = true;
  news_->raise();
}

void ShardPoller::reconsider() {
  control_.signal();
  news_->raise();
}

Task<void> ShardPoller::poll() {
  busy_ = run_.clock.activity().hold();
  watch_ = run_.source.watch_shard(run_.config->event_source_arn, shard_id_, [news = news_] { news->raise(); });
  while (state_ == State::polling) {
    std::string defect;
    try {
      co_await work();
    } catch (const store::StoreFailed& error) {
      base::log_error("mapping stops: the store takes no checkpoints",
                      {{"mapping", run_.config->uuid}, {"shard", shard_id_}, {"what", error.what()}});
      state_ = State::store_failed;
    } catch (const std::exception& error) {
      defect = error.what();
    }
    if (!defect.empty()) {
      recover(defect);
      co_await rest(control_, run_.clock.now() + kRecoveryPause);
    }
  }
  watch_.reset();
  run_.changed.signal();
  busy_ = {};
}

// Forgets everything but the checkpoint.
void ShardPoller::recover(std::string_view what) {
  base::log_error("defect", {{"where", "a mapping's shard"},
                             {"mapping", run_.config->uuid},
                             {"shard", shard_id_},
                             {"what", std::string(what)}});
  invocation_.clear();
  records_.clear();
  read_ahead_ = {};
  drained_ = exhausted_ = false;
}

Task<void> ShardPoller::work() {
  while (co_await gather()) {
    if (discard_expired()) {
      co_await base::yield();  // a long backlog of expired records must not keep others from running
      continue;
    }
    const Batch batch = cut();
    if (attempts_exhausted(checkpoint_.attempts, *run_.config)) {
      discard(batch, "its attempts are exhausted");
      continue;
    }
    if (checkpoint_.attempts > 0) {
      co_await saver_.settled();
    } else {
      co_await saver_.room();
    }
    settle(batch, co_await deliver(batch));
    if (failures_ > 0) co_await back_off();
  }
  if (!stopping_) {
    checkpoint_.shard_finished = true;
    save();
  }
  co_await saver_.settled();
  state_ = stopping_ ? State::stopped : State::finished;
}

// ---- gathering a batch ------------------------------------------------------------------------------------------

// Returns once there is a batch to deliver, or false when there will be none: stopped, or the shard is at its end.
// With no window a wake leads to one read and at once to the batch.
Task<bool> ShardPoller::gather() {
  while (!stopping_) {
    if (news_->unread.exchange(false, std::memory_order_acquire)) drained_ = exhausted_ = false;
    const Batch batch = cut();
    if (ripe(batch)) co_return true;
    if (!drained_ || (batch.count == 0 && !exhausted_)) {
      const size_t wanted = static_cast<size_t>(run_.config->batch_size);
      co_await read(std::max(wanted, batch.count + 1) - batch.count, kPayloadBytesMax);
      continue;
    }
    if (batch.count == 0 && !records_.empty()) {
      // What is left of the batch that failed has been trimmed away.
      checkpoint_.attempts = 0;
      continue;
    }
    if (batch.count == 0 && closed_) co_return false;
    co_await rest(news_->signal, batch.count > 0 ? std::optional(window_end()) : std::nullopt);
  }
  co_return false;
}

Batch ShardPoller::cut() const {
  BatchLimits limits{.count_max = static_cast<size_t>(run_.config->batch_size)};
  if (checkpoint_.attempts > 0) limits.last = checkpoint_.trying;
  return cut_batch(records_, limits);
}

// Whether the batch should go as it is. What failed before was a batch already and waits for nothing.
bool ShardPoller::ripe(const Batch& batch) const {
  if (batch.count == 0) return false;
  if (batch.full) return true;
  return drained_ && (checkpoint_.attempts > 0 || closed_ || run_.clock.now() >= window_end());
}

// The window begins with the batch's first record, but not before the batch before it is done. Measured from the
// record's own time, so that a restart does not begin it anew.
base::Time ShardPoller::window_end() const {
  const int seconds = run_.config->batching_window_seconds;
  if (seconds == 0) return run_.clock.now();
  return std::max(records_.front().arrival, free_since_) + std::chrono::seconds(seconds);
}

Task<void> ShardPoller::read(size_t count_max, size_t bytes_max) {
  const store::Position after = records_.empty() ? checkpoint_.done : records_.back().position;
  const auto config = run_.config;  // an update may replace it meanwhile
  std::vector<StreamRecord> found = co_await run_.source.read(*config, shard_id_, after, count_max, bytes_max);
  size_t bytes = 0;
  for (StreamRecord& record : found) {
    bytes += record.event_json.size();
    records_.push_back(std::move(record));
  }
  // A read may also end because of the bytes; whether it did shows for certain only when the next finds nothing.
  drained_ = found.size() < count_max && bytes < bytes_max / 2;
  exhausted_ = found.empty();
}

// Reads what will be the next batch, while this one is with the function.
Task<void> ShardPoller::read_ahead(const Batch& batch) {
  const size_t wanted = batch.count + static_cast<size_t>(run_.config->batch_size);
  if (exhausted_ || records_.size() >= wanted) co_return;
  read_ahead_ = run_.read_ahead.grant(kPayloadBytesMax);
  if (!read_ahead_) co_return;
  const size_t had = records_.size();
  co_await read(wanted - had, kPayloadBytesMax);
  size_t bytes = 0;
  for (size_t i = had; i < records_.size(); ++i) bytes += records_[i].event_json.size();
  read_ahead_.shrink(bytes);
}

// ---- delivering it ----------------------------------------------------------------------------------------------

Task<InvokeOutcome> ShardPoller::deliver(const Batch& batch) {
  run_.metrics.batches.add();
  base::Future<InvokeOutcome> done;
  invocation_.spawn(invoke(run_.config, batch_payload(records_, batch), done));
  // Whatever becomes of the reading, the function runs: the batch must not go out a second time beside it.
  std::exception_ptr failure;
  try {
    co_await read_ahead(batch);
  } catch (...) {
    failure = std::current_exception();
  }
  busy_ = {};  // a function that runs counts by itself, one that sleeps may let time pass
  InvokeOutcome outcome = co_await done;
  busy_ = run_.clock.activity().hold();
  if (failure) std::rethrow_exception(failure);
  co_return outcome;
}

Task<void> ShardPoller::invoke(std::shared_ptr<const Mapping> config, std::string payload,
                               base::Future<InvokeOutcome> done) {
  InvokeOutcome outcome{.status = InvokeStatus::failed};
  try {
    outcome = co_await run_.invoker.invoke(config->function_arn, std::move(payload));
  } catch (const std::exception& error) {
    outcome.detail = error.what();
  }
  done.set(std::move(outcome));
}

void ShardPoller::settle(const Batch& batch, const InvokeOutcome& outcome) {
  const base::Time now = run_.clock.now();
  read_ahead_ = {};
  free_since_ = now;
  if (outcome.status == InvokeStatus::ok) {
    const StreamRecord& last = records_[batch.count - 1];
    run_.metrics.records.add(batch.count);
    run_.metrics.iterator_age->store((now - last.arrival).count(), std::memory_order_relaxed);
    measure_age(run_, now - last.arrival);
    failures_ = 0;
    checkpoint_.attempts = 0;  // also for what a smaller BatchSize has left of a batch that had failed
    drop_front(batch.count);
    save(kProcessedOk);
    return;
  }
  ++failures_;
  run_.metrics.errors.add();
  base::log_warning("a mapping's batch failed", {{"mapping", run_.config->uuid},
                                                 {"shard", shard_id_},
                                                 {"function", run_.config->function_arn},
                                                 {"records", std::to_string(batch.count)},
                                                 {"attempts", std::to_string(checkpoint_.attempts + 1)},
                                                 {"detail", outcome.detail}});
  if (outcome.status != InvokeStatus::function_error) {
    // It did not run: the attempts stand, and so does the checkpoint.
    if (run_.last_result != kProblemFunction) save(kProblemFunction);
    return;
  }
  checkpoint_.trying = records_[batch.count - 1].position;
  ++checkpoint_.attempts;
  if (attempts_exhausted(checkpoint_.attempts, *run_.config)) {
    discard(batch, "its attempts are exhausted");
    return;
  }
  save(kProblemFunction);
}

// Waits until the batch may be tried again, or nothing is left of it.
Task<void> ShardPoller::back_off() {
  const base::Time again = run_.clock.now() + backoff(failures_);
  const base::Duration age_max = record_age_max(*run_.config, run_.source.retention(run_.config->event_source_arn));
  while (!stopping_ && !records_.empty() && run_.clock.now() < again) {
    co_await rest(control_, std::min(again, records_.front().arrival + age_max));
    discard_expired();
    if (failures_ == 0) co_return;
  }
}

// ---- giving up --------------------------------------------------------------------------------------------------

// Only what is expired goes; younger records of the same batch keep their place and their attempts.
bool ShardPoller::discard_expired() {
  const base::Duration age_max = record_age_max(*run_.config, run_.source.retention(run_.config->event_source_arn));
  const size_t expired = expired_prefix(records_, run_.clock.now(), age_max);
  if (expired == 0) return false;
  discard(Batch{.count = expired}, "the records are too old");
  return true;
}

void ShardPoller::discard(const Batch& batch, std::string_view reason) {
  base::log_warning("a mapping discards records", {{"mapping", run_.config->uuid},
                                                   {"shard", shard_id_},
                                                   {"function", run_.config->function_arn},
                                                   {"records", std::to_string(batch.count)},
                                                   {"first", records_.front().sequence_number},
                                                   {"last", records_[batch.count - 1].sequence_number},
                                                   {"reason", std::string(reason)}});
  run_.metrics.discarded_records.add(batch.count);
  drop_front(batch.count);
  save(kProblemFunction);
}

// The first `count` records are finished, one way or another.
void ShardPoller::drop_front(size_t count) {
  checkpoint_.done = records_[count - 1].position;
  records_.erase(records_.begin(), records_.begin() + static_cast<ptrdiff_t>(count));
  if (checkpoint_.attempts > 0 && checkpoint_.done >= checkpoint_.trying) checkpoint_.attempts = 0;
  if (checkpoint_.attempts == 0) failures_ = 0;
}

void ShardPoller::save(std::optional<std::string_view> result) {
  if (result == run_.last_result) result.reset();
  if (result) run_.last_result = *result;
  saver_.save(checkpoint_, result);
}

// Waits, and is quiet while it does. The alarm is set before the hold ends: a clock that jumps must see it.
Task<bool> ShardPoller::rest(base::Signal signal, std::optional<base::Time> until) {
  bool signalled = true;
  if (until) {
    signalled = co_await signal.wait([&](base::Function expire) {
      auto alarm = run_.clock.call_at(base::Executor::current(), *until, std::move(expire));
      busy_ = {};
      return alarm;
    });
  } else {
    busy_ = {};
    co_await signal;
  }
  busy_ = run_.clock.activity().hold();
  co_return signalled;
}

}  // namespace tidemill::engine
