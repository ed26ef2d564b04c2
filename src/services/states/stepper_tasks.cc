// Task states: an attempt is scheduled, called or handed to workers, and answered.
#include "base/text.h"
#include "services/states/events.h"
#include "services/states/stepper.h"
#include "services/states/view.h"
#include "wire/arn.h"

namespace tidemill::states {
namespace {

tasks::Resource resource_of(const Frame& frame) {
  auto resource = tasks::parse_resource(frame.at->resource);
  if (!resource) {
    throw asl::StateError(std::string(asl::error_name::kRuntime),
                          base::cat("The resource ", frame.at->resource, " is no task."));
  }
  return *std::move(resource);
}

// Nobody asks the workers of others whether they want the task: activities are of the machine's account and region.
bool is_of_machine(const ExecutionAddress& execution, std::string_view activity_arn) {
  const auto arn = wire::parse_arn(activity_arn);
  return arn && arn->account == execution.account && arn->region == execution.region;
}

void write_limits(json::Writer& writer, const asl::TaskPlan& plan) {
  if (plan.has_timeout) write_number(writer, "timeoutInSeconds", plan.timeout_seconds);
  if (plan.heartbeat_seconds) write_number(writer, "heartbeatInSeconds", *plan.heartbeat_seconds);
}

void write_credentials(json::Writer& writer, const asl::TaskPlan& plan) {
  if (!plan.role_arn) return;
  writer.key("taskCredentials");
  writer.begin_object();
  write_text(writer, "roleArn", *plan.role_arn);
  writer.end_object();
}

}  // namespace

void Stepper::run_task(Frame& frame) {
  const tasks::Resource resource = resource_of(frame);
  ++frame.attempt;
  const bool has_token = resource.pattern == tasks::Pattern::wait_for_token;
  const View view(live_, frame, world_, has_token ? token_of_(live_, frame.id, frame.attempt) : std::string());
  const asl::TaskPlan plan = asl::task_of(*frame.at, view.scope());
  const Payload arguments = frame.input.become(plan.arguments, frame.state);
  live_.set_arguments(frame, arguments);
  frame.credentials = plan.role_arn.value_or("");
  frame.heartbeat_seconds = plan.heartbeat_seconds;
  note_scheduled(frame, resource, plan);
  const bool is_activity = resource.family == tasks::Family::activity;
  if (is_activity && !is_of_machine(live_.head.address, resource.arn)) {
    asl::Failure failure{.error = std::string(asl::error_name::kTaskFailed),
                         .cause = base::cat("The activity ", resource.arn,
                                            " must be of the account and region of the state machine.")};
    return task_failed(frame, failure, tasks::FailedAt::schedule);
  }
  if (plan.has_timeout) set_timer(frame, TimerPurpose::timeout, now() + std::chrono::seconds(plan.timeout_seconds));
  if (plan.heartbeat_seconds && (has_token || is_activity)) {
    set_timer(frame, TimerPurpose::heartbeat, now() + std::chrono::seconds(*plan.heartbeat_seconds));
  }
  frame.phase = is_activity ? Phase::scheduled : Phase::calling;
  frame.offered = now();
  effects.push_back({.kind = is_activity ? Effect::Kind::offer_activity : Effect::Kind::call,
                     .frame = frame.id,
                     .due = frame.offered,
                     .attempt = frame.attempt,
                     .text = resource.arn});
}

void Stepper::note_scheduled(Frame& frame, const tasks::Resource& resource, const asl::TaskPlan& plan) {
  const EventName scheduled = task_event(resource.family, "Scheduled");
  if (resource.family != tasks::Family::task) {
    note(frame, scheduled.type, scheduled.details, [&](json::Writer& writer) {
      write_text(writer, "resource", resource.arn);
      write_data(writer, "input", frame.arguments.text());
      write_limits(writer, plan);
      write_credentials(writer, plan);
    });
    if (resource.family == tasks::Family::lambda_function) note(frame, "LambdaFunctionStarted");
    return;
  }
  note(frame, scheduled.type, scheduled.details, [&](json::Writer& writer) {
    write_resource(writer, resource);
    write_text(writer, "region", live_.head.address.region);
    write_text(writer, "parameters", frame.arguments.text());
    write_limits(writer, plan);
    write_credentials(writer, plan);
  });
  note_task(frame, "Started", {});
}

void Stepper::note_task(Frame& frame, std::string_view what, const std::function<void(json::Writer&)>& write) {
  const tasks::Resource resource = resource_of(frame);
  const EventName name = task_event(resource.family, what);
  note(frame, name.type, name.details, [&](json::Writer& writer) {
    if (resource.family == tasks::Family::task) write_resource(writer, resource);
    if (write) write(writer);
  });
}

namespace {

// As much as AWS keeps. That of a nested execution holds its description, with its own cause in it, and so on.
constexpr size_t kCauseBytesMax = 32'768;

void cut_cause(std::string& cause) {
  if (cause.size() <= kCauseBytesMax) return;
  size_t end = kCauseBytesMax;
  while ((static_cast<unsigned char>(cause[end]) & 0xC0) == 0x80) --end;  // no part of a character
  cause.resize(end);
}

}  // namespace

bool Stepper::call_has_ended(FrameId id, uint32_t attempt, const tasks::TaskOutcome& outcome) {
  Frame* const frame = live_.find(id);
  if (live_.head.status != Status::running || !frame || frame->attempt != attempt) return false;
  const auto* submitted = std::get_if<tasks::Submitted>(&outcome);
  const bool is_nested_end = frame->phase == Phase::submitted && !frame->nested.empty() && !submitted;
  if (frame->phase != Phase::calling && !is_nested_end) return false;
  if (submitted) {
    const std::string output = json::write(submitted->output);
    note_task(*frame, "Submitted", [&](json::Writer& writer) { write_data(writer, "output", output); });
    frame->nested = submitted->execution_arn;
    frame->phase = Phase::submitted;
    if (frame->answer) take_answer(*frame);
    return true;
  }
  frame->phase = Phase::submitted;  // the call is over, and so is what was nested
  frame->nested.clear();
  if (frame->answer) {
    take_answer(*frame);
  } else if (const auto* failed = std::get_if<tasks::Failed>(&outcome)) {
    std::string cause = failed->cause;
    if (failed->error == asl::error_name::kRuntime) {
      const auto entered = static_cast<int64_t>(frame->entered_event);
      cause = asl::StateError(failed->error, failed->cause).cause(frame->state, entered);
    }
    cut_cause(cause);
    task_failed(*frame, {.error = failed->error, .cause = std::move(cause)}, failed->at);
  } else {
    task_succeeded(*frame, Payload(asl::make_document(std::get<tasks::Succeeded>(outcome).output)));
  }
  return true;
}

const Frame* Stepper::awaiting(FrameId id, uint32_t attempt) const {
  const Frame* const frame = live_.find(id);
  if (live_.head.status != Status::running || !frame || frame->attempt != attempt || frame->answer) return nullptr;
  if (frame->at->type != asl::StateType::task || !frame->nested.empty()) return nullptr;
  const bool is_open =
      frame->phase == Phase::calling || frame->phase == Phase::submitted || frame->phase == Phase::started;
  return is_open ? frame : nullptr;
}

bool Stepper::answer(FrameId id, uint32_t attempt, const TaskAnswer& answer, bool at_once) {
  if (!awaiting(id, attempt)) return false;
  Frame& frame = live_.frames.at(id);
  frame.answer = answer;
  live_.touch(frame);
  if (frame.phase != Phase::calling || at_once) take_answer(frame);
  return true;
}

void Stepper::take_answer(Frame& frame) {
  const TaskAnswer answer = *std::exchange(frame.answer, std::nullopt);
  if (answer.is_success) return task_succeeded(frame, Payload::of_text(answer.output));
  asl::Failure failure{.error = answer.error.value_or(""), .cause = answer.cause.value_or("")};
  failure.has_error = answer.error.has_value();
  failure.has_cause = answer.cause.has_value();
  task_failed(frame, failure);
}

bool Stepper::heartbeat(FrameId id, uint32_t attempt) {
  if (!awaiting(id, attempt)) return false;
  Frame& frame = live_.frames.at(id);
  if (frame.heartbeat_seconds) {
    set_timer(frame, TimerPurpose::heartbeat, now() + std::chrono::seconds(*frame.heartbeat_seconds));
  }
  return true;
}

bool Stepper::activity_is_taken(FrameId id, uint32_t attempt, const std::optional<std::string>& worker) {
  Frame* const frame = live_.find(id);
  if (live_.head.status != Status::running || !frame || frame->attempt != attempt) return false;
  if (frame->phase != Phase::scheduled) return false;
  frame->phase = Phase::started;
  note(*frame, "ActivityStarted", "activityStartedEventDetails",
       [&](json::Writer& writer) { write_optional(writer, "workerName", worker); });
  return true;
}

void Stepper::task_succeeded(Frame& frame, const Payload& output) {
  try {
    require_fits(output, frame.at->resource);
  } catch (const asl::StateError& error) {
    return task_failed(frame, {.error = error.error(), .cause = error.detail()});
  }
  note_task(frame, "Succeeded", [&](json::Writer& writer) { write_data(writer, "output", output.text()); });
  release(frame);
  try {
    leave_with(frame, output.document());
  } catch (const asl::StateError& error) {
    state_failed(frame, error);
  }
}

void Stepper::task_failed(Frame& frame, const asl::Failure& failure, tasks::FailedAt at) {
  const bool is_task = resource_of(frame).family == tasks::Family::task;
  std::string_view what = "Failed";
  if (at == tasks::FailedAt::start) what = "StartFailed";
  if (at == tasks::FailedAt::schedule && !is_task) what = "ScheduleFailed";
  if (at == tasks::FailedAt::submission && is_task) what = "SubmitFailed";
  note_task(frame, what, [&](json::Writer& writer) {
    if (failure.has_error) write_text(writer, "error", failure.error);
    if (failure.has_cause) write_text(writer, "cause", failure.cause);
  });
  fail(frame, failure);
}

// A missed heartbeat is told as a timeout, too; only Retry and Catch know it by its own name.
void Stepper::task_timed_out(Frame& frame, bool is_heartbeat) {
  note_task(frame, "TimedOut", [&](json::Writer& writer) { write_text(writer, "error", asl::error_name::kTimeout); });
  asl::Failure failure{.error = std::string(asl::error_name::kTimeout)};
  failure.has_cause = false;
  failure.is_missed_heartbeat = is_heartbeat;
  fail(frame, std::move(failure));
}

// Nobody is to bring anything for the frame's state any more.
void Stepper::release(Frame& frame) {
  if (!frame.timers.empty()) cancel_timers(frame);
  if (frame.phase == Phase::map_run) return release_map_run(frame);
  const bool is_called = frame.phase == Phase::calling;
  const bool is_offered = frame.phase == Phase::scheduled;
  if (is_called || is_offered) {
    effects.push_back({.kind = is_called ? Effect::Kind::forget_call : Effect::Kind::withdraw_activity,
                       .frame = frame.id,
                       .due = frame.offered,
                       .attempt = frame.attempt,
                       .text = frame.at->resource});
  }
  if (frame.phase == Phase::submitted && !frame.nested.empty() && live_.head.status == Status::running) {
    effects.push_back({.kind = Effect::Kind::stop_nested, .frame = frame.id, .text = frame.nested});
  }
  if (frame.at->type == asl::StateType::task) live_.clear_collected(frame);
  frame.answer.reset();
  frame.nested.clear();
}

}  // namespace tidemill::states
