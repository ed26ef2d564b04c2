#include "services/states/running.h"

#include <algorithm>
#include <span>

#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "services/states/activity.h"
#include "services/states/bus_events.h"
#include "services/states/errors.h"
#include "services/states/execution_log.h"
#include "services/states/execution_metrics.h"
#include "services/states/view.h"
#include "store/timer.h"
#include "wire/shape_document.h"

namespace tidemill::states {

using base::cat;

namespace {

constexpr size_t kCallEndsAtOnce = 32;  // taken in by one transaction

// The same for each call of one attempt: a UUID of the execution's random id and the attempt's numbers.
std::string attempt_name(const TaskToken& task) { return base::uuid_text(crypto::sha256(bytes_of(task))); }

wire::Error not_redrivable(std::string_view why) {
  return errors::execution_not_redrivable(cat("Execution Not Redrivable: '", why, "'"));
}

// What is kept of it takes so much, about.
size_t size_of(const json::Value& value) {
  size_t bytes = sizeof(json::Value);
  if (value.is_string()) bytes += value.string().size();
  if (value.is_number()) bytes += value.number_text().size();
  if (value.is_array()) {
    for (const json::Value& element : value.array()) bytes += size_of(element);
  }
  if (value.is_object()) {
    for (const auto& [name, member] : value.object()) bytes += sizeof(name) + name.size() + size_of(member);
  }
  return bytes;
}

size_t size_of(const tasks::TaskOutcome& outcome) {
  if (const auto* failed = std::get_if<tasks::Failed>(&outcome)) return failed->error.size() + failed->cause.size();
  if (const auto* succeeded = std::get_if<tasks::Succeeded>(&outcome)) return size_of(succeeded->output);
  const auto& submitted = std::get<tasks::Submitted>(outcome);
  return submitted.execution_arn.size() + size_of(submitted.output);
}

// Why not, with what is left of it.
std::optional<std::string> redrive_problem(const Live& live) {
  if (live.head.next_event + 1 >= kHistoryEventsMax) return "Execution history event limit exceeded";
  const bool is_spent = std::ranges::any_of(live.frames, [](const auto& entry) {
    return !entry.second.map_run.empty() && entry.second.map_run_redrives >= kMapRunRedrivesMax;
  });
  if (is_spent) return "Map Run redrive limit exceeded";
  return std::nullopt;
}

}  // namespace

// What came of a task's call, to be taken in by whoever changes its execution.
struct Running::CallEnd final : store::WriteQueue::Job {
  CallEnd(store::Timer of, TaskToken of_task, bool answered, tasks::TaskOutcome what,
          std::shared_ptr<const engine::Tenure> owner)
      : timer(std::move(of)), task(std::move(of_task)), is_answered(answered), outcome(std::move(what)),
        tenure(std::move(owner)) {}
  const store::Timer timer;
  const TaskToken task;
  const bool is_answered;  // before a crash
  const tasks::TaskOutcome outcome;
  const std::shared_ptr<const engine::Tenure> tenure;
  bool is_taken = false;
  std::exception_ptr error;
};

template <class Body>
auto Running::transact(Body body) -> std::invoke_result_t<Body&, Change&> {
  using Value = typename std::invoke_result_t<Body&, Change&>::value_type;
  std::vector<Ended> ended;
  std::vector<std::unique_ptr<Loaded>> moved;
  const auto tell = [&] {
    for (const Ended& one : ended) measure_end(platform_, one.address, one.status, one.took);
    for (auto& one : moved) keep(std::move(one));
  };
  if constexpr (std::is_void_v<Value>) {
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      Change change{txn};
      co_await body(change);
      ended = std::move(change.ended);
      moved = std::move(change.moved);
    });
    tell();
  } else {
    Value value = co_await store_.transact([&](store::Transaction& txn) -> Task<Value> {
      Change change{txn};
      Value result = co_await body(change);
      ended = std::move(change.ended);
      moved = std::move(change.moved);
      co_return result;
    });
    tell();
    co_return value;
  }
}

Running::Running(wire::Platform& platform, tasks::Caller& caller, MachineCache& machines, LongEvaluations& evaluations)
    : platform_(platform), store_(platform.store), clock_(platform.clock), caller_(caller), machines_(machines),
      evaluations_(evaluations) {}

void Running::register_with(engine::TimerService& timers) {
  timers_ = &timers;
  timers.handle(store::TimerKind{kRunTimer}, [this](const store::Timer& timer) { return run(timer); },
                {.concurrent_max = kRunningMax});
  timers.handle(store::TimerKind{kCallTimer}, [this](const store::Timer& timer) { return call(timer); },
                {.concurrent_max = kCallsMax, .is_shared_out = true});
  timers.handle(store::TimerKind{kDueTimer}, [this](const store::Timer& timer) { return on_due(timer); },
                {.concurrent_max = kDueMax});
  timers.handle(store::TimerKind{kWatchTimer}, [this](const store::Timer& timer) { return on_watch(timer); },
                {.concurrent_max = kDueMax});
  timers.handle(store::TimerKind{kStopTimer}, [this](const store::Timer& timer) { return on_stop(timer); },
                {.concurrent_max = kDueMax});
  timers.handle(store::TimerKind{kAgeTimer}, [this](const store::Timer& timer) { return on_age(timer); },
                {.purpose = base::Purpose::housekeeping});
}

// ---- Map runs -------------------------------------------------------------------------------------------------------

Task<void> Running::map_run_has_ended(const MapRunRecord& run, const MapRunEnd& end, Settle first) {
  const auto turn = co_await turn_of(run.parent_id);
  co_await transact([&](Change& change) -> Task<void> {
    if (!co_await first(change.txn)) co_return;
    bool goes_on = false;
    (void)co_await move(change, run.parent_id, [&](Stepper& stepper, Live& live) {
      const bool is_told = stepper.map_run_has_ended(run.frame, run.attempt, end);
      goes_on = live.head.status == Status::running;
      return is_told;
    });
    if (goes_on && end.is_redrivable) erase_map_run_parts(change.txn, map_run_key(run.address));
  });
}

Task<std::unique_ptr<Live>> Running::look(ExecutionId id) {
  const auto reader = store_.begin();  // reads only
  const auto loaded = co_await load(*reader, std::move(id));
  if (!loaded) co_return nullptr;
  co_return std::make_unique<Live>(std::move(loaded->live));
}

// ---- Nested executions ----------------------------------------------------------------------------------------------

Task<void> Running::tell_watcher(Change& change, Watcher watcher, const ExecutionRecord& ended) {
  const shapes::DescribeExecutionOutput description = describe(ended, clock_.now(), true);
  const tasks::NestedEnd nested{
      co_await wire::shapes::document_of(shapes::ops::DescribeExecution::info, &description),
      std::string(name_of(ended.status))};
  (void)co_await move(change, watcher.id, [&](Stepper& stepper, Live& live) {
    const Frame* frame = live.find(watcher.frame);
    const auto resource = frame ? tasks::parse_resource(frame->at->resource) : std::nullopt;
    return resource &&
           stepper.call_has_ended(watcher.frame, watcher.attempt, caller_.end_of_nested(*resource, nested));
  });
}

// The end of `child_arn` is to end a task of `parent`; it may have ended already.
Task<void> Running::watch(Change& change, ExecutionId parent, FrameId frame, uint32_t attempt,
                          std::string child_arn) {
  const Watcher watcher{std::move(parent), frame, attempt};
  const auto child = co_await find_execution(change.txn, parse_execution_arn(child_arn));
  if (!child) throw std::runtime_error(cat("the nested execution ", child_arn, " is lost"));
  if (child->status != Status::running) co_return co_await tell_watcher(change, watcher, *child);
  const auto loaded = co_await load(change.txn, child->id);
  if (!loaded) throw std::runtime_error(cat("the nested execution ", child_arn, " has no state"));
  std::vector<Watcher>& watchers = loaded->live.head.watchers;
  if (std::ranges::find(watchers, watcher) == watchers.end()) watchers.push_back(watcher);
  save(change.txn, loaded->live);
}

Task<void> Running::on_stop(const store::Timer& timer) {
  co_await transact([&](Change& change) -> Task<void> {
    if (!co_await store::finish_timer(change.txn, timer)) co_return;
    const auto child = co_await find_execution(change.txn, parse_execution_arn(timer.id));
    if (!child || child->status != Status::running) co_return;
    co_await end_by(change, *child, [](Stepper& stepper, Live&) {
      stepper.abort(std::nullopt, std::nullopt);
      return true;
    });
  });
}

// One that has been redriven meanwhile is watched again.
Task<void> Running::on_watch(const store::Timer& timer) {
  const TaskToken task = task_of(timer.id);
  const auto turn = co_await turn_of(task.id);
  co_await transact([&](Change& change) -> Task<void> {
    if (!co_await store::finish_timer(change.txn, timer)) co_return;
    co_await watch(change, task.id, task.frame, task.attempt, address_of_key(timer.payload).arn());
  });
}

// ---- What operations ask --------------------------------------------------------------------------------------------

Task<base::Time> Running::stop(ExecutionAddress address, std::optional<std::string> error,
                               std::optional<std::string> cause) {
  co_return co_await transact([&](Change& change) -> Task<base::Time> {
    const ExecutionRecord record = co_await load_execution(change.txn, address, evaluations_);
    if (record.status != Status::running) co_return record.stopped.value_or(clock_.now());
    co_await end_by(change, record, [&](Stepper& stepper, Live&) {
      stepper.abort(error, cause);
      return true;
    });
    co_return clock_.now();
  });
}

Task<base::Time> Running::redrive(ExecutionAddress address, std::optional<std::string> token) {
  co_return co_await transact([&](Change& change) -> Task<base::Time> {
    const ExecutionRecord record = co_await load_execution(change.txn, address, evaluations_);
    const base::Time now = clock_.now();
    const bool is_asked_again = token && record.redrive_token == token && record.redriven;
    if (is_asked_again && now - *record.redriven < kRedriveTokenFor) co_return *record.redriven;
    if (record.map_run_arn) throw not_redrivable("Execution is redriven with the parent of its Map Run");
    const auto described = describe(record, now, false);
    if (described.redrive_status_reason) throw not_redrivable(*described.redrive_status_reason);
    const auto loaded = co_await load(change.txn, record.id);
    if (!loaded) throw not_redrivable("Execution has no state left");
    if (const auto problem = redrive_problem(loaded->live)) throw not_redrivable(*problem);
    loaded->record.redrive_token = token;
    co_await redrive(change, *loaded);
    co_return now;
  });
}

Task<bool> Running::redrive_child(store::Transaction& txn, const MapRunRecord& run, uint64_t index) {
  const ExecutionAddress address{run.address.account, run.address.region, run.address.child_machine(),
                                 child_name(map_run_key(run.address), index)};
  const auto record = co_await find_execution(txn, address);
  if (!record || record->status == Status::running) co_return false;
  const auto loaded = co_await load(txn, record->id);
  if (!loaded || redrive_problem(loaded->live)) co_return false;
  Change change{txn};
  co_await redrive(change, *loaded);
  co_return true;
}

Task<void> Running::redrive(Change& change, Loaded& loaded) {
  const base::Time now = clock_.now();
  Turn turn(loaded.live, now);
  turn.stepper.redrive();
  ExecutionRecord& changed = loaded.record;
  const Status before = std::exchange(changed.status, Status::running);
  changed.stopped.reset();
  changed.error.reset();
  changed.cause.reset();
  changed.redrives = loaded.live.head.redrives;
  changed.redriven = now;
  put_execution(change.txn, changed, before);
  co_await tell_bus(change.txn, changed, now);
  co_await store::set_timer(change.txn, {std::string(kAgeTimer), changed.id.bytes, changed.started + kExecutionAgeMax,
                                         execution_key(changed.address)});
  co_await carry_out(change, loaded, turn);
}

Task<bool> Running::answer(TaskToken token, TaskAnswer answer) {
  const auto turn = co_await turn_of(token.id);
  co_return co_await transact([&](Change& change) -> Task<bool> {
    co_return co_await move(change, token.id, [&](Stepper& stepper, Live&) {
      return stepper.answer(token.frame, token.attempt, answer, false);
    });
  });
}

Task<bool> Running::heartbeat(TaskToken token) {
  const auto turn = co_await turn_of(token.id);
  co_return co_await transact([&](Change& change) -> Task<bool> {
    co_return co_await move(
        change, token.id, [&](Stepper& stepper, Live&) { return stepper.heartbeat(token.frame, token.attempt); });
  });
}

Task<std::optional<Running::ActivityTask>> Running::take_activity(store::Transaction& txn, TaskToken task,
                                                                  std::optional<std::string> worker) {
  std::optional<ActivityTask> taken;
  Change change{txn};
  (void)co_await move(change, task.id, [&](Stepper& stepper, Live& live) {
    if (!stepper.activity_is_taken(task.frame, task.attempt, worker)) return false;
    taken = {token_of(live, task.frame, task.attempt), live.frames.at(task.frame).arguments.text()};
    return true;
  });
  co_return taken;
}

// ---- Timers ---------------------------------------------------------------------------------------------------------

Task<void> Running::run(const store::Timer& timer) {
  const auto tenure = timers_->tenure({kRunTimer});
  bool can_go_on = true;
  while (can_go_on) {
    const auto turn = co_await turn_of({timer.id});
    can_go_on = co_await transact([&](Change& change) -> Task<bool> {
      co_await tenure->fence(change.txn);
      co_return co_await step(change, timer);
    });
  }
}

// One transition of each flow that can go on, up to kFlowsAtOnce: a map of many items would wait for the disk for each of
// them. False: nothing can go on, and the timer is finished.
Task<bool> Running::step(Change& change, const store::Timer& timer) {
  auto loaded = co_await load(change.txn, {timer.id});
  bool can_go_on = false;
  if (loaded) {
    const auto& frames = loaded->live.frames;
    const FrameId last = frames.empty() ? 0 : frames.rbegin()->first;  // newer ones have their turn next
    FrameId after = 0;
    for (size_t flows = 0; flows < kFlowsAtOnce; ++flows) {
      const Frame* const next = loaded->live.first_ready(after);
      if (!next || next->id > last) break;
      after = next->id;
      std::optional<Turn> turn;
      const bool has_moved =
          co_await evolve(change, loaded, turn, [after](Stepper& stepper, Live&) { return stepper.step(after - 1); });
      if (!has_moved) break;
      co_await carry_out(change, *loaded, *turn, true);
      if (loaded->live.head.status != Status::running) break;
    }
    can_go_on = loaded->live.head.status == Status::running && loaded->live.first_ready();
    change.moved.push_back(std::move(loaded));
  }
  if (!can_go_on) (void)co_await store::finish_timer(change.txn, timer);
  co_return can_go_on;
}

Task<std::optional<tasks::TaskCall>> Running::call_of(TaskToken task, bool& is_answered) {
  const auto turn = co_await turn_of(task.id);  // so that nobody has it who changes it
  const auto reader = store_.begin();           // reads only
  auto head_bytes = co_await read_head(*reader, task.id);
  if (!head_bytes) co_return std::nullopt;
  auto kept = loaded_.take(task.id, *head_bytes);
  const auto read = kept ? nullptr : co_await load(*reader, task.id, *std::move(head_bytes), task.frame);
  const auto call = call_of(kept ? kept->live : read->live, task, is_answered);
  keep(std::move(kept));
  co_return call;
}

std::optional<tasks::TaskCall> Running::call_of(Live& live, const TaskToken& task, bool& is_answered) const {
  const Frame* frame = live.find(task.frame);
  const bool is_wanted = frame && frame->attempt == task.attempt && frame->phase == Phase::calling &&
                         live.head.status == Status::running;
  if (!is_wanted) return std::nullopt;
  is_answered = frame->answer.has_value();
  const Head& head = live.head;
  auto resource = tasks::parse_resource(frame->at->resource);
  if (!resource) throw std::runtime_error(cat("the resource ", frame->at->resource, " is no task"));
  tasks::TaskCall call{.resource = *std::move(resource),
                       .parameters = *frame->arguments.document(),
                       .account = head.address.account,
                       .region = head.address.region,
                       .role_arn = frame->credentials.empty() ? head.role : frame->credentials,
                       .machine_role = head.role,
                       .execution_arn = head.address.arn(),
                       .state_name = frame->state,
                       .token = {},
                       .attempt_name = attempt_name(task)};
  if (call.resource.pattern == tasks::Pattern::wait_for_token) {
    call.token = token_of(live, task.frame, task.attempt);
  }
  return call;
}

Task<void> Running::call(const store::Timer& timer) {
  const TaskToken task = task_of(timer.id);
  const auto tenure = timers_->tenure({kCallTimer});
  bool is_answered = false;
  const auto call = co_await call_of(task, is_answered);
  std::optional<tasks::TaskOutcome> outcome = unrecorded_.take(timer);
  if (!call) co_return;  // the service removes the timer
  // An answer that came before a crash: the service has taken the task, and is not asked again.
  if (is_answered) outcome = tasks::Submitted{};
  if (!outcome) {
    tenure->require();
    outcome = co_await caller_.call(*call);
  }
  const auto end = std::make_shared<CallEnd>(timer, task, is_answered, *std::move(outcome), tenure);
  try {
    co_await take_in(end);
  } catch (const std::exception&) {
    if (!is_answered) unrecorded_.keep(timer, end->outcome, size_of(end->outcome));
    throw;  // the timer stands, and runs again
  }
}

Task<void> Running::take_in(std::shared_ptr<CallEnd> end) {
  store::WriteQueue::Turn turn = co_await changes_.enter(end->task.id.bytes, end);
  if (turn.mine()) {
    co_await take_ends(turn.jobs());
    turn.finish();
  }
  if (end->error) std::rethrow_exception(end->error);
  if (!end->is_taken) throw std::runtime_error("the outcome of a task was not taken in");
}

// Those that come at the same time share transactions: a map's iterations end beside each other.
Task<void> Running::take_ends(const std::vector<store::WriteQueue::JobPtr>& ends) {
  for (size_t begin = 0, size = kCallEndsAtOnce; begin < ends.size();) {
    const auto slice = std::span(ends).subspan(begin, std::min(size, ends.size() - begin));
    const std::vector<store::WriteQueue::JobPtr> some(slice.begin(), slice.end());
    std::exception_ptr error;
    try {
      co_await transact([&](Change& change) -> Task<void> {
        for (const auto& end : some) co_await take_end(change, static_cast<const CallEnd&>(*end));
      });
    } catch (...) {
      error = std::current_exception();
    }
    if (error && some.size() > 1) {  // which one it was, each finds out alone
      size = 1;
      continue;
    }
    for (const auto& end : some) {
      static_cast<CallEnd&>(*end).error = error;
      static_cast<CallEnd&>(*end).is_taken = !error;
    }
    begin += some.size();
  }
}

Task<void> Running::take_end(Change& change, const CallEnd& end) {
  // Who has the calls now may be about to call it again, and its outcome is the one that counts.
  co_await end.tenure->fence(change.txn);
  if (co_await store::finish_timer(change.txn, end.timer)) {
    (void)co_await move(change, end.task.id, [&end](Stepper& stepper, Live& live) {
      Frame* const frame = live.find(end.task.frame);
      if (!end.is_answered || !frame || !frame->answer) {
        return stepper.call_has_ended(end.task.frame, end.task.attempt, end.outcome);
      }
      const TaskAnswer answer = *std::exchange(frame->answer, std::nullopt);
      return stepper.answer(end.task.frame, end.task.attempt, answer, true);
    });
  }
  const auto* submitted = std::get_if<tasks::Submitted>(&end.outcome);
  if (submitted && !submitted->execution_arn.empty()) {
    co_await watch_or_stop(change, end.task, submitted->execution_arn);
  }
}

// Whoever gave up a task while its nested execution was being begun could not stop that.
Task<void> Running::watch_or_stop(Change& change, TaskToken task, std::string child_arn) {
  auto loaded = co_await load(change, task.id);
  const bool goes_on = loaded && loaded->live.head.status == Status::running;
  const Frame* const frame = goes_on ? loaded->live.find(task.frame) : nullptr;
  const bool is_wanted = frame && frame->nested == child_arn;  // maybe by a later attempt
  const bool is_own = is_wanted && frame->attempt == task.attempt;
  if (loaded) change.moved.push_back(std::move(loaded));
  if (is_own) co_return co_await watch(change, task.id, task.frame, task.attempt, std::move(child_arn));
  if (is_wanted) co_return;
  co_await store::set_timer(change.txn, {std::string(kStopTimer), std::move(child_arn), clock_.now(), ""});
}

Task<void> Running::on_due(const store::Timer& timer) {
  base::OrderedReader reader(timer.id);
  const ExecutionId id{std::string(reader.fixed(kExecutionIdBytes))};
  const FrameId frame = reader.u32();
  const auto purpose = static_cast<TimerPurpose>(reader.u8());
  if (!reader.ok()) throw std::runtime_error("the timer of an execution is damaged");
  const auto turn = co_await turn_of(id);
  co_await transact([&](Change& change) -> Task<void> {
    if (!co_await store::finish_timer(change.txn, timer)) co_return;
    (void)co_await move(change, id, [&](Stepper& stepper, Live&) { return stepper.timer_is_due(frame, purpose); });
  });
}

// A year after its beginning one that still runs has timed out; 90 days after its end it is forgotten.
Task<void> Running::on_age(const store::Timer& timer) {
  co_await transact([&](Change& change) -> Task<void> {
    if (!co_await store::finish_timer(change.txn, timer)) co_return;
    const auto address = address_of_key(timer.payload);
    const auto record = co_await find_execution(change.txn, address);
    if (!record || record->id.bytes != timer.id) co_return;
    if (record->status == Status::running) {
      co_await end_by(change, *record, [](Stepper& stepper, Live&) {
        return stepper.timer_is_due(0, TimerPurpose::deadline);
      });
      co_return;
    }
    erase_unread(change.txn, record->id);
    co_await forget_map_runs(change.txn, record->id);
    change.txn.erase_range(store::Range::prefix(history_prefix(record->id)));
    ExecutionLogs::forget(change.txn, record->id);
    erase_execution(change.txn, *record);
  });
}

}  // namespace tidemill::states
