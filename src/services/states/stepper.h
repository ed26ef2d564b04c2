// Moves an execution on, one state at a time: reads nothing and writes nothing but what stands in memory, so that
// durable
// and Express executions are moved by the same rules. What is to happen outside (timers, calls of tasks) is a list of
// effects; whoever steps carries them out in the same transaction, or at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/states/evaluate.h"
#include "services/states/history.h"
#include "services/states/live.h"
#include "services/states/map_run.h"

namespace tidemill::states {

inline constexpr int64_t kInlineConcurrencyMax = 40;  // iterations of an inline Map at once

struct Effect {
  enum class Kind : uint8_t {
    set_timer,          // of `frame`, for `purpose`, at `due`
    cancel_timer,
    call,               // attempt `attempt` of the task of `frame`
    forget_call,        // its outcome is not wanted any more
    offer_activity,     // `text`: the activity's ARN
    withdraw_activity,
    stop_nested,        // `text`: the execution's ARN
    begin_map_run,      // `text`: its ARN; `plan`
    stop_map_run,       // `text`: its ARN
    redrive_map_run,    // `text`: its ARN
    end,                // the execution is over: see Ending
  };
  Kind kind;
  FrameId frame = 0;
  TimerPurpose purpose = TimerPurpose::wait;
  base::Time due{};
  uint32_t attempt = 0;
  std::string text;
  std::shared_ptr<const asl::MapPlan> plan = nullptr;
};

// How an execution has ended.
struct Ending {
  Status status = Status::running;
  Payload output;  // of one that succeeded
  std::optional<std::string> error;
  std::optional<std::string> cause;
};

// What redrives need of an ended one stays in `live`: the flows that failed or were cut off stand ready before the
// states in which they were.
class Stepper {
 public:
  // All must outlive it. `token_of` names an attempt of a task to the outside.
  using TokenOf = std::string (*)(const Live& live, FrameId frame, uint32_t attempt);
  Stepper(Live& live, const asl::World& world, HistoryWriter& history, TokenOf token_of)
      : live_(live), world_(world), history_(history), token_of_(token_of) {}

  // Begins a new execution with `input`; with `flow`, of a map run's child, this part of the machine.
  void begin(const Payload& input, const std::optional<std::string>& alias_arn,
             const std::optional<std::string>& version_arn, const asl::Flow* flow = nullptr);
  // Goes one state on in the first flow behind `after` that can. False: all of them wait, or it is over.
  bool step(FrameId after = 0);

  // What the outside tells. False: nobody waits for it any more, and nothing has changed.
  bool timer_is_due(FrameId frame, TimerPurpose purpose);
  bool call_has_ended(FrameId frame, uint32_t attempt, const tasks::TaskOutcome& outcome);
  // While its call is under way the answer is kept until that has ended, unless `at_once`.
  bool answer(FrameId frame, uint32_t attempt, const TaskAnswer& answer, bool at_once);
  bool heartbeat(FrameId frame, uint32_t attempt);
  bool map_run_has_ended(FrameId frame, uint32_t attempt, const MapRunEnd& end);
  bool activity_is_taken(FrameId frame, uint32_t attempt, const std::optional<std::string>& worker);
  void abort(const std::optional<std::string>& error, const std::optional<std::string>& cause);
  // An ended one runs again from where it failed, and with it the map runs that it waited for.
  void redrive();

  // Whether a token of that attempt could still be answered.
  [[nodiscard]] const Frame* awaiting(FrameId frame, uint32_t attempt) const;

  std::vector<Effect> effects;
  std::optional<Ending> ending;

 private:
  struct Handling;

  // Of states: stepper.cc.
  void run(Frame& frame);
  void enter(Frame& frame);
  void evaluate(Frame& frame);
  void run_wait(Frame& frame);
  void leave_with(Frame& frame, asl::Document result);
  void exit_state(Frame& frame, const asl::Exit& exit);
  void check_variables(const Frame& frame, const asl::Exit& exit) const;
  void finish_flow(Frame& frame);
  void end(Status status, Payload output, std::optional<std::string> error, std::optional<std::string> cause);
  void make_redrivable();
  void redrive_map_run(Frame& frame);

  // Of Parallel and Map: stepper_containers.cc.
  void run_parallel(Frame& frame);
  void run_map(Frame& frame);
  void start_iterations(Frame& frame);
  void collect(Frame& parent, Frame& child);
  [[nodiscard]] bool is_complete(const Frame& container) const;
  void note_iteration(Frame& iteration, std::string_view what);
  void cut_off(Frame& frame);
  void cut_off_children(Frame& frame, FrameId except);
  void erase_children(Frame& frame);
  [[nodiscard]] std::vector<FrameId> children_of(FrameId frame) const;

  // Of distributed Maps: stepper_map_runs.cc.
  void run_distributed_map(Frame& frame);
  void release_map_run(Frame& frame);

  // Of tasks: stepper_tasks.cc.
  void run_task(Frame& frame);
  void note_scheduled(Frame& frame, const tasks::Resource& resource, const asl::TaskPlan& plan);
  void note_task(Frame& frame, std::string_view what, const std::function<void(json::Writer&)>& write);
  void task_succeeded(Frame& frame, const Payload& output);
  void task_failed(Frame& frame, const asl::Failure& failure, tasks::FailedAt at = tasks::FailedAt::run);
  void task_timed_out(Frame& frame, bool is_heartbeat);
  void take_answer(Frame& frame);
  void release(Frame& frame);

  // Of failures: stepper_failures.cc.
  void state_failed(Frame& frame, const asl::StateError& error);
  void fail(Frame& from, asl::Failure failure);
  Handling handling_of(Frame& from, asl::Failure& failure);
  void unwind(Frame& from, const Frame* upto);
  void retry_later(Frame& frame, const asl::Retrial& retrial);

  void set_timer(Frame& frame, TimerPurpose purpose, base::Time due);
  void cancel_timer(Frame& frame, TimerPurpose purpose);
  void cancel_timers(Frame& frame);
  void note(Frame& frame, std::string_view type, std::string_view details = {},
            const std::function<void(json::Writer&)>& write = {});
  [[nodiscard]] base::Time now() const { return world_.now; }

  Live& live_;
  const asl::World& world_;
  HistoryWriter& history_;
  const TokenOf token_of_;
};

}  // namespace tidemill::states
