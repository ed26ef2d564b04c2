// Durable executions: how they begin (running_starts.cc), go on (running_changes.cc), and end (running_effects.cc). One
// transaction a transition, which flows that go on side by side share; between two, an execution that runs has a timer that
// is due (kRunTimer), so whoever owns these timers moves it on, also after a crash. One that waits has only what it waits
// for: a timer, a call under way, or somebody with a token. While the store takes no writes nothing is called again:
// what has come of a call waits in memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/timer_service.h"
#include "engine/unrecorded.h"
#include "services/states/execution.h"
#include "services/states/loaded.h"
#include "services/states/long_evaluations.h"
#include "services/states/machine_cache.h"
#include "services/states/map_run.h"
#include "services/states/stepper.h"
#include "services/states/tasks/task.h"
#include "services/states/token.h"
#include "services/states/turn.h"
#include "store/write_queue.h"
#include "wire/context.h"

namespace tidemill::states {

// Kinds of timers.
inline constexpr std::string_view kRunTimer = "states-run";    // an execution that can go on
inline constexpr std::string_view kCallTimer = "states-call";  // an attempt of a task that is to be called
inline constexpr std::string_view kDueTimer = "states-due";    // waits, retries, timeouts, heartbeats, deadlines
inline constexpr std::string_view kWatchTimer = "states-watch";  // a task whose nested execution has ended
inline constexpr std::string_view kStopTimer = "states-stop";    // a nested execution that is to be stopped
inline constexpr std::string_view kAgeTimer = "states-age";    // an execution's greatest age, and its retention

inline constexpr size_t kRunningMax = 256;  // executions that are moved on at the same time
inline constexpr size_t kCallsMax = 1000;   // tasks that are called at the same time; each machine has a share
inline constexpr size_t kDueMax = 256;
inline constexpr size_t kFlowsAtOnce = 64;  // of an execution, each of which goes one state on in one transaction
static_assert(kLoadedMax >= 2 * kRunningMax);

// What a StartExecution asks for.
struct NewExecution {
  MachineRef machine;
  std::string name;
  std::string input;  // JSON
  std::optional<std::string> trace_header;
};

class Running {
 public:
  // All must outlive it.
  Running(wire::Platform& platform, tasks::Caller& caller, MachineCache& machines, LongEvaluations& evaluations);

  // Before the timers start.
  void register_with(engine::TimerService& timers);

  // Begins an execution, or finds the one of this name that was begun with the same input and still runs. Throws
  // StateMachineDoesNotExist and ExecutionAlreadyExists; nothing for an Express machine's, with `chosen` set.
  Task<ExecutionRecord> start(store::Transaction& txn, NewExecution execution, const Chosen& chosen);

  // Throw ExecutionDoesNotExist, ExecutionNotRedrivable. They return when it was.
  Task<base::Time> stop(ExecutionAddress address, std::optional<std::string> error, std::optional<std::string> cause);
  // `token`: a request with the same one, for kRedriveTokenFor, is this one.
  Task<base::Time> redrive(ExecutionAddress address, std::optional<std::string> token);

  // A child of a map run, in the transaction that moves the run on.
  Task<void> start_child(store::Transaction& txn, const MapRunRecord& run, uint64_t index, Payload input);
  // The same one, which did not succeed, again. False: that cannot be.
  Task<bool> redrive_child(store::Transaction& txn, const MapRunRecord& run, uint64_t index);
  // Tells the parent, in the transaction in which `first` settles the run; unless that is not to be (false).
  using Settle = std::function<Task<bool>(store::Transaction& txn)>;
  Task<void> map_run_has_ended(const MapRunRecord& run, const MapRunEnd& end, Settle first);
  // As it stands, to be looked at only. Null: there is none.
  Task<std::unique_ptr<Live>> look(ExecutionId id);

  // By who has a token. False: nobody waits for it any more.
  Task<bool> answer(TaskToken token, TaskAnswer answer);
  Task<bool> heartbeat(TaskToken token);
  // A worker takes an activity's task, in the transaction that takes it from the queue. Nothing: it is not wanted
  // any more.
  struct ActivityTask {
    std::string token;
    std::string input;
  };
  Task<std::optional<ActivityTask>> take_activity(store::Transaction& txn, TaskToken task,
                                                  std::optional<std::string> worker);

 private:
  using Move = std::function<bool(Stepper& stepper, Live& live)>;

  // A transaction, and what is counted once it has committed.
  struct Ended {
    ExecutionAddress address;
    Status status;
    base::Duration took;
  };
  struct Change {
    store::Transaction& txn;
    std::vector<Ended> ended = {};
    std::vector<std::unique_ptr<Loaded>> moved = {};  // as they stand once it has committed
  };
  template <class Body>
  auto transact(Body body) -> std::invoke_result_t<Body&, Change&>;
  // Changes of one execution go one after the other: each reads all of it, so a race that is lost costs much.
  Task<store::WriteQueue::Turn> turn_of(ExecutionId id) { return changes_.lock(std::move(id.bytes)); }

  // Keeps in memory what may be changed again soon, and lets go of what is not kept.
  void keep(std::unique_ptr<Loaded> loaded);
  // As the transaction has left it, if that has moved it.
  Task<std::unique_ptr<Loaded>> load(Change& change, ExecutionId id);
  Task<std::unique_ptr<Loaded>> load(store::Transaction& txn, ExecutionId id);
  // `only`: of its flows that one, for a call of its task; else all.
  Task<std::unique_ptr<Loaded>> load(store::Transaction& txn, ExecutionId id, std::string head_bytes,
                                     std::optional<FrameId> only = std::nullopt);
  // What of `execution`, a new one, is to be saved with its record.
  [[nodiscard]] Loaded unborn(ExecutionRecord execution, const ParsedDefinition& parsed) const;
  Task<void> begin(store::Transaction& txn, Loaded& loaded, Turn& turn);
  // One change of an execution, with all that it brings about. False: there is no such execution, or nothing changed.
  Task<bool> move(Change& change, ExecutionId id, Move by);
  Task<bool> evolve(Change& change, std::unique_ptr<Loaded>& loaded, std::optional<Turn>& turn, const Move& by);
  // `is_run`: by the handler of its run timer, which goes on by itself.
  Task<void> carry_out(Change& change, Loaded& loaded, Turn& turn, bool is_run = false);
  Task<void> apply(store::Transaction& txn, Loaded& loaded, const Effect& effect);
  Task<void> end(Change& change, Loaded& loaded, const Ending& ending);
  // `by` ends it, also if no more than its head can be read.
  Task<void> end_by(Change& change, const ExecutionRecord& record, const Move& by);
  Task<void> end_unread(Change& change, const ExecutionRecord& record, const Move& by);
  Task<void> tell_watcher(Change& change, Watcher watcher, const ExecutionRecord& ended);
  Task<void> watch(Change& change, ExecutionId parent, FrameId frame, uint32_t attempt, std::string child_arn);
  Task<void> watch_or_stop(Change& change, TaskToken task, std::string child_arn);
  Task<void> wake(store::Transaction& txn, const Live& live);
  Task<void> redrive(Change& change, Loaded& loaded);

  Task<void> run(const store::Timer& timer);
  Task<bool> step(Change& change, const store::Timer& timer);
  Task<void> call(const store::Timer& timer);
  struct CallEnd;
  Task<void> take_in(std::shared_ptr<CallEnd> end);
  Task<void> take_ends(const std::vector<store::WriteQueue::JobPtr>& ends);
  Task<void> take_end(Change& change, const CallEnd& end);
  Task<std::optional<tasks::TaskCall>> call_of(TaskToken task, bool& is_answered);
  [[nodiscard]] std::optional<tasks::TaskCall> call_of(Live& live, const TaskToken& task, bool& is_answered) const;
  Task<void> on_due(const store::Timer& timer);
  Task<void> on_watch(const store::Timer& timer);
  Task<void> on_stop(const store::Timer& timer);
  Task<void> on_age(const store::Timer& timer);

  wire::Platform& platform_;
  store::Store& store_;
  base::Clock& clock_;
  tasks::Caller& caller_;
  MachineCache& machines_;
  LongEvaluations& evaluations_;
  engine::TimerService* timers_ = nullptr;  // once registered
  store::WriteQueue changes_;
  LoadedCache loaded_;
  engine::Unrecorded<tasks::TaskOutcome> unrecorded_;  // of calls, on the timers' executor
};

}  // namespace tidemill::states
