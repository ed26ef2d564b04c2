// Entering and leaving states; those of maps are in evaluate_map.cc, failures in evaluate_failure.cc.
#include "lang/states/evaluate.h"

#include "base/text.h"
#include "lang/states/steps.h"
#include "lang/states/timestamp.h"

namespace tidemill::lang::states {

namespace {

constexpr const char* kWaitTooLong = "Wait state delay is too long.";

bool is_jsonata(const State& state) { return state.query_language == QueryLanguage::jsonata; }

// From a result on: Assign, ResultPath, OutputPath; or Assign and Output.
Exit finish(const State& state, const Scope& scope, const Document& result, Trace* trace) {
  const Program& program = *state.program;
  const Env env{.scope = scope, .root = result};
  Exit exit{.assigned = assigned_by(program.assign, env), .next = state.next};
  const Document combined = apply_result_path(program.result_path, scope.input, result);
  note(trace, &Trace::after_result_path, combined);
  exit.output = apply_path(program.output_path, {.scope = scope, .root = combined});
  return exit;
}

// Of a state without a result of its own: its input goes on.
Exit pass_on(const State& state, const Scope& scope, const Document& input) {
  const Program& program = *state.program;
  const Env env{.scope = scope, .root = input};
  Exit exit{.assigned = assigned_by(program.assign, env), .next = state.next};
  if (is_jsonata(state))
    exit.output = program.output ? program.output->evaluate(env) : input;
  else
    exit.output = apply_path(program.output_path, env);
  return exit;
}

}  // namespace

Exit run_pass(const State& state, const Scope& scope, Trace* trace) {
  const Program& program = *state.program;
  if (is_jsonata(state)) return pass_on(state, scope, scope.input);
  Document result = program.result;
  if (result)
    note(trace, &Trace::result, result);
  else
    result = arguments_of(state, scope, trace);
  note(trace, &Trace::after_result_selector, result);
  return finish(state, scope, result, trace);
}

Exit run_choice(const State& state, const Scope& scope, Trace* trace) {
  const Program& program = *state.program;
  const Document input = selected_input(state, scope, trace);
  const Env env{.scope = scope, .root = input};
  for (const Choice& choice : program.choices) {
    const bool holds = choice.constant_condition ? *choice.constant_condition
                       : choice.condition        ? choice.condition->evaluate(env, json::Kind::boolean).boolean()
                                                 : choice.rule.holds(env);
    if (!holds) continue;
    Exit exit{.assigned = assigned_by(choice.assign, env), .next = choice.next};
    if (!is_jsonata(state))
      exit.output = apply_path(program.output_path, env);
    else
      exit.output = choice.output ? choice.output->evaluate(env) : input;
    return exit;
  }
  if (program.default_next.empty()) {
    throw StateError(error_name::kNoChoiceMatched,
                     "Failed to transition out of the state. The state does not point to a next state.");
  }
  Exit exit = pass_on(state, scope, input);
  exit.next = program.default_next;
  return exit;
}

Exit run_succeed(const State& state, const Scope& scope, Trace* trace) {
  return pass_on(state, scope, selected_input(state, scope, trace));
}

Fail fail_of(const State& state, const Scope& scope) {
  const Program& program = *state.program;
  const Env env{.scope = scope, .root = scope.input};
  Fail fail;
  if (program.error.given()) fail.error = text_of(program.error, env);
  if (program.cause.given()) fail.cause = text_of(program.cause, env);
  return fail;
}

namespace {

// Of SecondsPath and TimestampPath: "$.x == 5", once it is there.
json::Value waited_for(const Scalar& scalar, const Env& env) {
  if (!scalar.path) return value_of(scalar, env);
  const Document found = scalar.path->resolve(env);
  if (found) return *found;
  throw StateError(
      error_name::kRuntime,
      base::cat("The ", scalar.field, " parameter does not reference an input value: ", scalar.path->path->text()));
}

[[noreturn]] void fail_wait(const Scalar& scalar, const json::Value& value, std::string_view what) {
  if (!scalar.path) fail_value(scalar, value, "a valid time to wait");
  throw StateError(error_name::kRuntime,
                   base::cat("The ", scalar.field, " parameter ", what, ": ", scalar.path->path->text(),
                             " == ", value.is_string() ? value.string() : json::write(value)));
}

Time end_of_seconds(const Scalar& seconds, const Env& env) {
  const json::Value value = seconds.query ? seconds.query->evaluate(env, json::Kind::number) : waited_for(seconds, env);
  const auto number = value.to_int64();
  if (!number) fail_wait(seconds, value, "cannot be parsed as a long value");
  if (*number < 0) fail_wait(seconds, value, "references a negative value");
  if (*number > kSecondsMax) throw StateError(error_name::kRuntime, kWaitTooLong);
  return env.scope.world->now + std::chrono::seconds(*number);
}

}  // namespace

Time wait_until(const State& state, const Scope& scope, Trace* trace) {
  const Program& program = *state.program;
  const Document input = selected_input(state, scope, trace);
  const Env env{.scope = scope, .root = input};
  if (program.seconds.given()) return end_of_seconds(program.seconds, env);
  const Scalar& timestamp = program.timestamp;
  const json::Value value =
      timestamp.query ? timestamp.query->evaluate(env, json::Kind::string) : waited_for(timestamp, env);
  const auto time = value.is_string() ? parse_timestamp(value.string()) : std::nullopt;
  if (!time) {
    fail_wait(timestamp, value, "does not reference a valid ISO-8601 extended offset date-time format string");
  }
  if (*time > scope.world->now + std::chrono::seconds(kSecondsMax))
    throw StateError(error_name::kRuntime, kWaitTooLong);
  return *time;
}

Document arguments_of(const State& state, const Scope& scope, Trace* trace) {
  const Program& program = *state.program;
  const Document input = selected_input(state, scope, trace);
  if (state.type == StateType::map) return input;
  Document arguments = input;
  if (program.parameters) arguments = program.parameters->evaluate({.scope = scope, .root = input});
  note(trace, is_jsonata(state) ? &Trace::after_arguments : &Trace::after_parameters, arguments);
  return arguments;
}

TaskPlan task_of(const State& state, const Scope& scope, Trace* trace) {
  const Program& program = *state.program;
  const Document input = selected_input(state, scope, nullptr);
  const Env env{.scope = scope, .root = input};
  TaskPlan task{.arguments = arguments_of(state, scope, trace)};
  const auto seconds = [&](const Scalar& scalar) {
    const int64_t value = integer_of(scalar, env);
    if (value < 1 || value > kSecondsMax) fail_value(scalar, value, "between 1 and 99999999");
    return value;
  };
  if (program.timeout.given()) {
    task.timeout_seconds = seconds(program.timeout);
    task.has_timeout = true;
  }
  if (program.heartbeat.given()) {
    task.heartbeat_seconds = seconds(program.heartbeat);
    if (*task.heartbeat_seconds >= task.timeout_seconds) {
      fail_value(program.heartbeat, *task.heartbeat_seconds, "smaller than TimeoutSeconds");
    }
  }
  if (program.role_arn.given()) task.role_arn = text_of(program.role_arn, env);
  return task;
}

Exit leave(const State& state, const Scope& scope, Document result, Trace* trace) {
  const Program& program = *state.program;
  if (!result || state.type == StateType::wait) return pass_on(state, scope, selected_input(state, scope, trace));
  note(trace, &Trace::result, result);
  if (is_jsonata(state)) {
    const Env env{.scope = scope, .root = scope.input, .result = result};
    Exit exit{.assigned = assigned_by(program.assign, env), .next = state.next};
    exit.output = program.output ? program.output->evaluate(env) : result;
    return exit;
  }
  if (program.result_selector) result = program.result_selector->evaluate({.scope = scope, .root = result});
  note(trace, &Trace::after_result_selector, result);
  return finish(state, scope, result, trace);
}

}  // namespace tidemill::lang::states
