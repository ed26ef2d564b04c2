// What a change of an execution brings about, in its transaction: timers, calls, map runs, its end.
#include <algorithm>

#include "base/ordered.h"
#include "services/states/activity.h"
#include "services/states/bus_events.h"
#include "services/states/execution_log.h"
#include "services/states/running.h"
#include "store/timer.h"

namespace tidemill::states {

namespace {

// Among machines calls are shared out: a child of a map run is one of its machine's.
std::string call_kind(const ExecutionAddress& execution) {
  const ExecutionAddress machine{execution.account, execution.region, base_machine(execution.machine), ""};
  return store::timer_partition_of({kCallTimer}, machine.machine_arn());
}

std::string due_id(const ExecutionId& id, FrameId frame, TimerPurpose purpose) {
  std::string bytes = id.bytes;
  base::append_u32(bytes, frame);
  bytes.push_back(static_cast<char>(purpose));
  return bytes;
}

MapRunRecord new_map_run(const Live& live, const Effect& effect, base::Time now) {
  const asl::MapPlan& plan = *effect.plan;
  const Frame& frame = live.frames.at(effect.frame);
  MapRunRecord run;
  run.address = parse_map_run_arn(effect.text);
  run.parent = live.head.address;
  run.parent_id = live.id;
  run.frame = frame.id;
  run.attempt = effect.attempt;
  run.state = frame.state;
  run.revision = live.head.revision;
  run.role = live.head.role;
  run.has_express_children = frame.at->has_express_children;
  run.started = now;
  run.concurrency_max = plan.concurrency_max;
  run.tolerated_count = plan.tolerated_failure_count;
  run.tolerated_percentage = plan.tolerated_failure_percentage;
  return run;
}

ChildEnd child_end(const ExecutionRecord& record) {
  return {.arn = record.address.arn(),
          .machine_arn = record.address.machine_arn(),
          .name = record.address.name,
          .input = record.input,
          .status = record.status,
          .output = record.output,
          .error = record.error,
          .cause = record.cause,
          .started = record.started,
          .stopped = record.stopped.value_or(record.started)};
}

}  // namespace

Task<void> Running::wake(store::Transaction& txn, const Live& live) {
  co_await store::set_timer(txn, {std::string(kRunTimer), live.id.bytes, clock_.now(), ""});
}

Task<void> Running::carry_out(Change& change, Loaded& loaded, Turn& turn, bool is_run) {
  Live& live = loaded.live;
  if (!turn.history.text().empty()) {
    change.txn.put(history_key(live.id, turn.first_event), turn.history.text());
    if (loaded.has_log) co_await ExecutionLogs::wake(change.txn, loaded.record, clock_.now());
  }
  live.head.next_event = turn.history.next();
  const std::vector<Effect> effects = std::move(turn.stepper.effects);
  for (const Effect& effect : effects) co_await apply(change.txn, loaded, effect);
  if (!is_run && live.head.status == Status::running && live.first_ready()) co_await wake(change.txn, live);
  const std::vector<Watcher> watchers = live.head.watchers;
  if (turn.stepper.ending) {
    co_await end(change, loaded, *turn.stepper.ending);
  } else {
    save(change.txn, live);
  }
  loaded.bytes = std::max({loaded.record.input.size(), turn.history.text().size(), live.bytes_on_hand()});
  // Other executions are changed by transactions of their own: there may be thousands, each nested in the one before.
  for (const Effect& effect : effects) {
    if (effect.kind != Effect::Kind::stop_nested) continue;
    co_await store::set_timer(change.txn, {std::string(kStopTimer), effect.text, clock_.now(), ""});
  }
  if (!turn.stepper.ending) co_return;
  for (const Watcher& watcher : watchers) {
    const TaskToken task{watcher.id, watcher.frame, watcher.attempt};
    co_await store::set_timer(change.txn, {std::string(kWatchTimer), bytes_of(task), clock_.now(),
                                           execution_key(loaded.record.address)});
  }
}

Task<void> Running::apply(store::Transaction& txn, Loaded& loaded, const Effect& effect) {
  const Live& live = loaded.live;
  const TaskToken task{live.id, effect.frame, effect.attempt};
  switch (effect.kind) {
    case Effect::Kind::set_timer:
      co_await store::set_timer(
          txn, {std::string(kDueTimer), due_id(live.id, effect.frame, effect.purpose), effect.due, ""});
      break;
    case Effect::Kind::cancel_timer:
      co_await store::cancel_timer(txn, {kDueTimer}, due_id(live.id, effect.frame, effect.purpose));
      break;
    case Effect::Kind::call:
      co_await store::set_timer(txn, {call_kind(live.head.address), bytes_of(task), clock_.now(), ""});
      break;
    case Effect::Kind::forget_call: {
      const std::string kind = call_kind(live.head.address);
      co_await store::cancel_timer(txn, {kind}, bytes_of(task));
      if (kind != kCallTimer) co_await store::cancel_timer(txn, {kCallTimer}, bytes_of(task));  // one of before
      break;
    }
    case Effect::Kind::offer_activity: offer_activity(txn, effect.text, effect.due, task); break;
    case Effect::Kind::withdraw_activity: withdraw_activity(txn, effect.text, effect.due, task); break;
    case Effect::Kind::begin_map_run:
      co_await begin_map_run(txn, new_map_run(loaded.live, effect, clock_.now()), *effect.plan);
      break;
    case Effect::Kind::stop_map_run:
      co_await abort_map_run(txn, effect.text, clock_.now(), live.head.status != Status::running);
      break;
    case Effect::Kind::redrive_map_run: co_await redrive_map_run(txn, effect.text, clock_.now()); break;
    case Effect::Kind::stop_nested:
    case Effect::Kind::end: break;
  }
}

Task<void> Running::end(Change& change, Loaded& loaded, const Ending& ending) {
  ExecutionRecord& record = loaded.record;
  const base::Time now = clock_.now();
  const Status before = std::exchange(record.status, ending.status);
  record.stopped = now;
  if (ending.status == Status::succeeded) record.output = ending.output.text();
  record.error = ending.error;
  record.cause = ending.cause;
  const size_t documents = record.input.size() + (record.output ? record.output->size() : 0);
  co_await evaluations_.run_large(documents, [&] { put_execution(change.txn, record, before); });
  co_await tell_bus(change.txn, record, now);
  const Head& head = loaded.live.head;
  if (head.map_run.empty()) {
    change.ended.push_back({record.address, record.status, now - record.started});
  } else {
    co_await note_child_end(change.txn, head.map_run, head.map_child, child_end(record));
  }
  co_await store::set_timer(change.txn, {std::string(kAgeTimer), record.id.bytes, now + kExecutionKeptFor,
                                  execution_key(record.address)});
  loaded.live.head.watchers.clear();
  if (ending.status == Status::succeeded) {
    erase_live(change.txn, loaded.live);
  } else {
    save(change.txn, loaded.live);
  }
}

}  // namespace tidemill::states
