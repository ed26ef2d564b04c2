#include "services/states/stepper.h"

#include <algorithm>

#include "base/text.h"
#include "services/states/events.h"
#include "services/states/view.h"

namespace tidemill::states {
namespace {

// Room for what one step adds at most to a history of an ordinary state.
constexpr uint64_t kEventsOfStep = 3;

std::string event_of(asl::StateType type, std::string_view what) {
  return base::cat(asl::name_of(type), "State", what);
}

void write_assigned(json::Writer& writer, const json::Object& assigned) {
  if (assigned.empty()) return;
  writer.key("assignedVariables");
  writer.begin_object();
  for (const auto& [name, value] : assigned) write_text(writer, name, json::write(value));
  writer.end_object();
  writer.key("assignedVariablesDetails");
  writer.raw("{\"truncated\":false}");
}

size_t size_of(const json::Object& variables) {
  size_t size = 0;
  for (const auto& [name, value] : variables) size += asl::text_size(value);
  return size;
}

}  // namespace

void Stepper::note(Frame& frame, std::string_view type, std::string_view details,
                   const std::function<void(json::Writer&)>& write) {
  frame.last_event = history_.add(type, frame.last_event, now(), details, write);
  live_.head.next_event = history_.next();
  live_.touch(frame);
}

void Stepper::begin(const Payload& input, const std::optional<std::string>& alias_arn,
                    const std::optional<std::string>& version_arn, const asl::Flow* flow) {
  (void)history_.add("ExecutionStarted", 0, now(), "executionStartedEventDetails", [&](json::Writer& writer) {
    write_data(writer, "input", input.text());
    write_text(writer, "roleArn", live_.head.role);
    write_optional(writer, "stateMachineAliasArn", alias_arn);
    write_optional(writer, "stateMachineVersionArn", version_arn);
  });
  live_.head.next_event = history_.next();
  // The first state's previous event is none either, as on AWS.
  live_.add_frame(0, 0, (flow ? *flow : live_.machine->flow()).start().name, input);
  if (flow) return;
  if (const auto timeout = live_.machine->timeout_seconds()) {
    live_.head.has_deadline = true;
    effects.push_back({.kind = Effect::Kind::set_timer,
                       .purpose = TimerPurpose::deadline,
                       .due = now() + std::chrono::seconds(*timeout)});
  }
}

bool Stepper::step(FrameId after) {
  if (live_.head.status != Status::running) return false;
  Frame* const frame = live_.first_ready(after);
  if (!frame) return false;
  if (live_.is_kept && history_.next() + kEventsOfStep > kHistoryEventsMax + 1) {
    Frame& root = live_.frames.at(kRootFrame);
    const std::string cause =
        base::cat("The execution reached the maximum number of history events (", kHistoryEventsMax, ").");
    note(root, "ExecutionFailed", "executionFailedEventDetails", [&](json::Writer& writer) {
      write_text(writer, "error", asl::error_name::kRuntime);
      write_text(writer, "cause", cause);
    });
    end(Status::failed, {}, std::string(asl::error_name::kRuntime), cause);
    return true;
  }
  run(*frame);
  return true;
}

void Stepper::run(Frame& frame) {
  try {
    if (!frame.is_entered) enter(frame);
    evaluate(frame);
  } catch (const asl::StateError& error) {
    state_failed(frame, error);
  }
}

void Stepper::enter(Frame& frame) {
  const asl::State& state = *frame.at;
  frame.is_entered = true;
  frame.entered = now();
  frame.attempts.assign(state.retriers, 0);
  frame.retries = 0;
  note(frame, event_of(state.type, "Entered"), "stateEnteredEventDetails", [&](json::Writer& writer) {
    write_text(writer, "name", state.name);
    write_data(writer, "input", frame.input.text());
  });
  frame.entered_event = frame.last_event;
}

void Stepper::evaluate(Frame& frame) {
  const asl::State& state = *frame.at;
  switch (state.type) {
    case asl::StateType::task: return run_task(frame);
    case asl::StateType::wait: return run_wait(frame);
    case asl::StateType::parallel: return run_parallel(frame);
    case asl::StateType::map: return state.is_distributed ? run_distributed_map(frame) : run_map(frame);
    default: break;
  }
  const View view(live_, frame, world_);
  if (state.type == asl::StateType::fail) {
    auto [error, cause] = asl::fail_of(state, view.scope());
    asl::Failure failure{.error = error.value_or(""), .cause = cause.value_or("")};
    failure.has_error = error.has_value();
    failure.has_cause = cause.has_value();
    return fail(frame, std::move(failure));
  }
  const bool is_pass = state.type == asl::StateType::pass;
  const bool is_choice = state.type == asl::StateType::choice;
  exit_state(frame, is_pass     ? asl::run_pass(state, view.scope())
                    : is_choice ? asl::run_choice(state, view.scope())
                                : asl::run_succeed(state, view.scope()));
}

void Stepper::run_wait(Frame& frame) {
  const View view(live_, frame, world_);
  const base::Time until = asl::wait_until(*frame.at, view.scope());
  if (until <= now()) return leave_with(frame, asl::make_document(nullptr));
  frame.phase = Phase::waiting;
  set_timer(frame, TimerPurpose::wait, until);
}

void Stepper::leave_with(Frame& frame, asl::Document result) {
  const View view(live_, frame, world_);
  exit_state(frame, asl::leave(*frame.at, view.scope(), std::move(result)));
}

// Step Functions' quota of all variables of an execution.
void Stepper::check_variables(const Frame& frame, const asl::Exit& exit) const {
  if (exit.assigned.empty()) return;
  // They are kept as members of one object.
  for (const auto& [name, value] : exit.assigned) require_depth(value, frame.state, json::kDepthMax - 1);
  size_t size = size_of(exit.assigned);
  for (const auto& [id, other] : live_.frames) size += size_of(other.variables);
  if (size > asl::kVariablesBytesMax) throw asl::StateError::too_large(frame.state);
}

void Stepper::exit_state(Frame& frame, const asl::Exit& exit) {
  check_variables(frame, exit);
  const Payload output = frame.input.become(exit.output, frame.state);
  note(frame, event_of(frame.at->type, "Exited"), "stateExitedEventDetails", [&](json::Writer& writer) {
    write_text(writer, "name", frame.state);
    write_data(writer, "output", output.text());
    write_assigned(writer, exit.assigned);
  });
  const asl::State* next = exit.next.empty() ? nullptr : frame.at->flow->find(exit.next);
  live_.set_variables(frame, exit.assigned);
  frame.input = output;
  frame.is_entered = false;
  frame.map_run.clear();
  if (!next) return finish_flow(frame);
  frame.state = next->name;
  frame.at = next;
  frame.phase = Phase::ready;
}

void Stepper::finish_flow(Frame& frame) {
  if (frame.parent != 0) return collect(live_.parent_of(frame), frame);
  note(frame, "ExecutionSucceeded", "executionSucceededEventDetails",
       [&](json::Writer& writer) { write_data(writer, "output", frame.input.text()); });
  end(Status::succeeded, frame.input, std::nullopt, std::nullopt);
}

void Stepper::end(Status status, Payload output, std::optional<std::string> error, std::optional<std::string> cause) {
  for (auto& [id, frame] : live_.frames) release(frame);
  if (live_.head.has_deadline) {
    live_.head.has_deadline = false;
    effects.push_back({.kind = Effect::Kind::cancel_timer, .purpose = TimerPurpose::deadline});
  }
  live_.head.status = status;
  if (status != Status::succeeded) make_redrivable();
  ending = Ending{status, std::move(output), std::move(error), std::move(cause)};
  effects.push_back({.kind = Effect::Kind::end});
}

// What has succeeded stays; whatever else was under way begins anew before its state.
void Stepper::make_redrivable() {
  for (auto& [id, frame] : live_.frames) {
    if (frame.children > 0) continue;
    live_.clear_collected(frame);
    frame.phase = Phase::ready;
    frame.is_entered = false;
    frame.answer.reset();
    frame.nested.clear();
    live_.touch(frame);
  }
}

void Stepper::redrive_map_run(Frame& frame) {
  frame.phase = Phase::map_run;
  frame.is_entered = true;
  frame.nested = frame.map_run;
  ++frame.map_run_redrives;
  note(frame, "MapRunRedriven", "mapRunRedrivenEventDetails", [&](json::Writer& writer) {
    write_text(writer, "mapRunArn", frame.map_run);
    write_number(writer, "redriveCount", frame.map_run_redrives);
  });
  effects.push_back({.kind = Effect::Kind::redrive_map_run, .frame = frame.id, .text = frame.map_run});
}

void Stepper::abort(const std::optional<std::string>& error, const std::optional<std::string>& cause) {
  note(live_.frames.at(kRootFrame), "ExecutionAborted", "executionAbortedEventDetails", [&](json::Writer& writer) {
    write_optional(writer, "error", error);
    write_optional(writer, "cause", cause);
  });
  end(Status::aborted, {}, error, cause);
}

void Stepper::redrive() {
  live_.head.status = Status::running;
  ++live_.head.redrives;
  live_.head.redriven = now();
  note(live_.frames.at(kRootFrame), "ExecutionRedriven", "executionRedrivenEventDetails",
       [&](json::Writer& writer) { write_number(writer, "redriveCount", live_.head.redrives); });
  for (auto& [id, frame] : live_.frames) {
    if (!frame.map_run.empty()) redrive_map_run(frame);
  }
  if (const auto timeout = live_.machine->timeout_seconds()) {
    live_.head.has_deadline = true;
    effects.push_back({.kind = Effect::Kind::set_timer,
                       .purpose = TimerPurpose::deadline,
                       .due = now() + std::chrono::seconds(*timeout)});
  }
}

bool Stepper::timer_is_due(FrameId id, TimerPurpose purpose) {
  if (live_.head.status != Status::running) return false;
  if (purpose == TimerPurpose::deadline) {
    live_.head.has_deadline = false;
    note(live_.frames.at(kRootFrame), "ExecutionTimedOut");
    end(Status::timed_out, {}, std::nullopt, std::nullopt);
    return true;
  }
  Frame* const frame = live_.find(id);
  const size_t set = frame ? frame->timers.find(static_cast<char>(purpose)) : std::string::npos;
  if (set == std::string::npos) return false;
  frame->timers.erase(set, 1);
  live_.touch(*frame);
  if (purpose == TimerPurpose::retry) {
    frame->phase = Phase::ready;
  } else if (purpose == TimerPurpose::wait) {
    try {
      leave_with(*frame, asl::make_document(nullptr));
    } catch (const asl::StateError& error) {
      state_failed(*frame, error);
    }
  } else {
    task_timed_out(*frame, purpose == TimerPurpose::heartbeat);
  }
  return true;
}

void Stepper::set_timer(Frame& frame, TimerPurpose purpose, base::Time due) {
  if (!frame.timers.contains(static_cast<char>(purpose))) frame.timers.push_back(static_cast<char>(purpose));
  live_.touch(frame);
  effects.push_back({.kind = Effect::Kind::set_timer, .frame = frame.id, .purpose = purpose, .due = due});
}

void Stepper::cancel_timers(Frame& frame) {
  for (const char purpose : frame.timers) {
    effects.push_back(
        {.kind = Effect::Kind::cancel_timer, .frame = frame.id, .purpose = static_cast<TimerPurpose>(purpose)});
  }
  frame.timers.clear();
  live_.touch(frame);
}

}  // namespace tidemill::states
