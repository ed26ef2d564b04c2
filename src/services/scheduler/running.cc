#include "services/scheduler/running.h"

#include "base/log.h"
#include "base/ordered.h"
#include "services/scheduler/group.h"
#include "services/scheduler/input.h"
#include "services/scheduler/invocation.h"
#include "store/joint.h"
#include "store/timer.h"

namespace tidemill::scheduler {
namespace {

// A timer's payload: when its run was scheduled, which a flexible window may have put before its due time.
std::string payload_of(const Run& run) {
  std::string payload;
  base::append_i64(payload, run.scheduled.time_since_epoch().count());
  return payload;
}

Run run_of(const store::Timer& timer) {
  base::OrderedReader reader(timer.payload);
  const base::Time scheduled{base::Duration(reader.i64())};
  if (!reader.ok()) throw std::runtime_error("a schedule's timer is damaged");
  return {scheduled, timer.due};
}

// Roughly, in memory.
size_t size_of(std::string_view timer_id, const store::Delivery& delivery) {
  return timer_id.size() + sizeof(delivery) + delivery.id.size() + delivery.target.size() + delivery.payload.size();
}

// After a run that was not missed. The moment of the next one may have passed while that waited for a later one of its own
// window: then it is due now, as long as its window lasts. One whose window ended while nobody was there stays missed.
std::optional<Run> run_after(const Run& run, const Schedule& schedule, const Plan& plan, base::Time now) {
  std::optional<Run> next = plan.after(run.scheduled);
  if (!next) return next;
  const base::Time window_end = next->scheduled + schedule.window;
  next->due = std::max(next->due, std::min(now, window_end));
  return next;
}

}  // namespace

Running::Running(wire::Platform& platform, TimeZones& zones)
    : platform_(platform),
      store_(platform.store),
      clock_(platform.clock),
      zones_(zones),
      skipped_(platform.metrics.counter("tidemill_schedules_skipped_total",
                                        "Schedules that left out runs which fell due while nobody was there")),
      began_(clock_.now()) {}

void Running::register_with(engine::TimerService& timers, engine::Deliveries& deliveries) {
  deliveries_ = &deliveries;
  timers.handle(store::TimerKind{kTimer}, [this](const store::Timer& timer) { return run(timer); },
                {.concurrent_max = kConcurrentSchedulesMax});
}

Task<void> Running::wait_for(store::Transaction& txn, const Schedule& schedule, const std::optional<Run>& next) {
  const std::string key = schedule_key(schedule.address);
  if (next) {
    co_await store::set_timer(txn, {std::string(kTimer), key, next->due, payload_of(*next)});
  } else {
    co_await store::cancel_timer(txn, {kTimer}, key);
  }
}

Task<void> Running::put(store::Transaction& txn, const Schedule& schedule) {
  const Plan plan(schedule, zones_);
  txn.put(schedule_key(schedule.address), encode_schedule(schedule));
  co_await wait_for(txn, schedule, schedule.enabled ? plan.first() : std::nullopt);
}

Task<void> Running::erase(store::Transaction& txn, const ScheduleAddress& address) {
  const std::string key = schedule_key(address);
  txn.erase(key);
  co_await store::cancel_timer(txn, {kTimer}, key);
}

bool Running::is_missed(const Run& run, base::Time now) const { return run.due < began_ || now - run.due > kMissedAfter; }

Task<std::optional<Running::Sent>> Running::send_ahead(const store::Timer& timer) {
  const Run run = run_of(timer);
  const base::Time now = clock_.now();
  if (is_missed(run, now)) co_return std::nullopt;
  Sent sent;
  {
    const auto snapshot = store_.snapshot();
    if (!co_await store::timer_stands(*snapshot, timer)) co_return std::nullopt;
    const auto schedule = co_await find_schedule(*snapshot, schedule_of_key(timer.id));
    const base::Duration late = std::max(base::Duration::zero(), now - run.due);
    if (!schedule || schedule->target.is_universal() || late >= schedule->target.age_max) co_return std::nullopt;
    sent.delivery = delivery_of(*schedule, run.scheduled, late, timer);
  }
  sent.is_delivered = co_await deliveries_->send_ahead(sent.delivery);
  co_return sent;
}

Task<void> Running::move_on(store::Transaction& txn, const store::Timer& timer, const Schedule& schedule,
                            const std::optional<Run>& next) {
  if (next || !schedule.delete_after) {
    co_await wait_for(txn, schedule, next);
  } else {
    txn.erase(timer.id);
  }
}

Task<bool> Running::run_by_one_commit(const store::Timer& timer, std::optional<Sent>& sent) {
  const Run run = run_of(timer);
  for (int attempt = 0; attempt < store::Store::kAttemptsMax; ++attempt) {
    const base::Time now = clock_.now();
    if (is_missed(run, now)) co_return false;
    const auto txn = store_.begin();
    txn->attempt = attempt;
    const auto schedule = co_await find_schedule(*txn, schedule_of_key(timer.id));
    const base::Duration late = std::max(base::Duration::zero(), now - run.due);
    if (!schedule || !schedule->target.is_queue() || late >= schedule->target.age_max) co_return false;
    if (!co_await store::finish_timer(*txn, timer)) co_return true;  // it is not wanted any more
    co_await move_on(*txn, timer, *schedule, run_after(run, *schedule, Plan(*schedule, zones_), now));
    const store::Delivery delivery = delivery_of(*schedule, run.scheduled, late, timer);
    const auto made = co_await store::commit_jointly<store::SendOutcome>(
        store_, txn, [&](store::Store& shared) { return send_run(platform_, shared, delivery); });
    if (made.end == store::JointEnd::committed) co_return true;
    if (made.end == store::JointEnd::conflict) continue;
    if (made.value->status == store::SendStatus::delivered) sent = Sent{delivery, true};
    co_return false;
  }
  throw store::Overloaded("a schedule's run lost too many races");
}

Task<void> Running::run(const store::Timer& timer) {
  std::optional<Sent> sent = take_unrecorded(timer);
  if (!sent && co_await run_by_one_commit(timer, sent)) co_return;
  if (!sent) sent = co_await send_ahead(timer);
  bool is_enqueued = false;
  try {
    is_enqueued = co_await record(timer, sent);
  } catch (const std::exception&) {
    if (sent) keep_unrecorded(timer, *std::move(sent));
    throw;  // the timer stands, and runs again
  }
  if (sent && !is_enqueued) deliveries_->forget_ahead(sent->delivery.id);
}

// Also after a commit of which it is not known whether it was made: if it was, the timer does not stand as it did.
void Running::keep_unrecorded(const store::Timer& timer, Sent sent) {
  const size_t bytes = size_of(timer.id, sent.delivery);
  while (!unrecorded_.empty() && unrecorded_bytes_ + bytes > engine::kUnrecordedBytesMax) {
    forget_unrecorded(unrecorded_.begin());
  }
  unrecorded_bytes_ += bytes;
  unrecorded_.emplace(timer.id, Unrecorded{timer.set_at, std::move(sent)});
}

std::optional<Running::Sent> Running::take_unrecorded(const store::Timer& timer) {
  const auto kept = unrecorded_.find(timer.id);
  if (kept == unrecorded_.end()) return std::nullopt;
  if (kept->second.set_at != timer.set_at) {
    forget_unrecorded(kept);
    return std::nullopt;
  }
  unrecorded_bytes_ -= size_of(kept->first, kept->second.sent.delivery);
  return std::move(unrecorded_.extract(kept).mapped().sent);
}

void Running::forget_unrecorded(std::map<std::string, Unrecorded>::iterator kept) {
  unrecorded_bytes_ -= size_of(kept->first, kept->second.sent.delivery);
  deliveries_->forget_ahead(kept->second.sent.delivery.id);
  unrecorded_.erase(kept);
}

Task<bool> Running::record(const store::Timer& timer, const std::optional<Sent>& sent) {
  bool is_enqueued = false;
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    is_enqueued = false;
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const auto schedule = co_await find_schedule(txn, schedule_of_key(timer.id));
    if (!schedule) co_return;
    const Plan plan(*schedule, zones_);
    const base::Time now = clock_.now();
    std::optional<Run> run = run_of(timer);
    std::optional<Run> next;
    if (!sent && is_missed(*run, now)) {
      run = co_await make_up(txn, *schedule, plan, *run);
      next = plan.after(now);
    } else {
      next = run_after(*run, *schedule, plan, now);
    }
    if (run && !(sent && sent->is_delivered)) {
      const base::Duration late = std::max(base::Duration::zero(), now - run->due);
      is_enqueued = true;
      co_await store::enqueue_delivery(txn, sent ? sent->delivery : delivery_of(*schedule, run->scheduled, late, timer),
                                       now);
    }
    co_await move_on(txn, timer, *schedule, next);
  });
  co_return is_enqueued;
}

Task<std::optional<Run>> Running::make_up(store::Transaction& txn, const Schedule& schedule, const Plan& plan,
                                          Run missed) {
  const base::Time now = clock_.now();
  const Run last = plan.until(now).value_or(missed);
  const ScheduleAddress& address = schedule.address;
  const auto group = co_await find_group(txn, {address.account, address.region, address.group});
  const auto tag = group ? group->tags.find(std::string(kMissedTag)) : json::TextMap::const_iterator{};
  const bool may_run = !group || tag == group->tags.end() || tag->second == kMissedRun;
  const bool runs = may_run && now - last.scheduled <= schedule.target.age_max;
  if (!runs || last.scheduled != missed.scheduled) {
    skipped_.add();
    base::log_warning("schedule: runs were missed and are skipped", {{"schedule", address.arn()},
                                                                     {"first", scheduled_text(missed.scheduled)},
                                                                     {"last", scheduled_text(last.scheduled)},
                                                                     {"last_runs_now", runs ? "yes" : "no"}});
  }
  co_return runs ? std::optional(last) : std::nullopt;
}

}  // namespace tidemill::scheduler
