// Retry and Catch. Rules: the developer guide, "Handling errors in Step Functions workflows".
#include <algorithm>
#include <cmath>

#include "lang/states/numbers.h"
#include "lang/states/steps.h"

namespace tidemill::lang::states {

namespace {

constexpr double kDelaySecondsMax = 365.0 * 86'400;

bool names(std::string_view name, const Failure& failure, bool is_parallel) {
  const std::string_view error = failure.has_error ? std::string_view(failure.error) : std::string_view();
  if (failure.has_error && name == error) return true;
  if (error == error_name::kRuntime) return false;  // only by its own name
  if (name == error_name::kHeartbeatTimeout) return failure.is_missed_heartbeat;
  if (name == error_name::kAll) return error != error_name::kDataLimitExceeded;
  if (name == error_name::kTaskFailed) return error != error_name::kTimeout && error != error_name::kHeartbeatTimeout;
  return is_parallel && name == error_name::kBranchFailed;
}

bool any_names(std::span<const std::string> all, const Failure& failure, bool is_parallel) {
  return std::ranges::any_of(all, [&](const std::string& name) { return names(name, failure, is_parallel); });
}

std::chrono::milliseconds delay_of(const Retrier& retrier, int64_t attempts, const World& world) {
  double seconds = retrier.interval_seconds * std::pow(retrier.backoff_rate, static_cast<double>(attempts));
  seconds = std::min(seconds, retrier.delay_seconds_max.value_or(kDelaySecondsMax));
  seconds = std::min(seconds, kDelaySecondsMax);  // also what is infinite
  if (retrier.has_full_jitter) seconds *= fraction(random_number(world));
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

Document error_output(const Failure& failure) {
  json::Object output;
  if (failure.has_error) output.set("Error", failure.error);
  if (failure.has_cause) output.set("Cause", failure.cause);
  return make_document(std::move(output));
}

}  // namespace

bool names_failure(std::span<const std::string> all, const Failure& failure) { return any_names(all, failure, false); }

std::optional<Retrial> retry(const State& state, const Failure& failure, std::span<const int64_t> attempts,
                             const World& world) {
  if (failure.has_error && failure.error == error_name::kRuntime) return std::nullopt;
  const std::vector<Retrier>& retriers = state.program->retriers;
  for (size_t i = 0; i < retriers.size(); ++i) {
    if (!any_names(retriers[i].errors, failure, state.type == StateType::parallel)) continue;
    const int64_t taken = i < attempts.size() ? attempts[i] : 0;
    if (taken >= retriers[i].attempts_max) return std::nullopt;  // the first that means the failure decides
    return Retrial{.retrier = i, .delay = delay_of(retriers[i], taken, world)};
  }
  return std::nullopt;
}

std::optional<Caught> catch_error(const State& state, const Scope& scope, const Failure& failure, Trace* trace) {
  const std::vector<Catcher>& catchers = state.program->catchers;
  for (size_t i = 0; i < catchers.size(); ++i) {
    const Catcher& catcher = catchers[i];
    if (!any_names(catcher.errors, failure, state.type == StateType::parallel)) continue;
    const Document error = error_output(failure);
    Caught caught{.catcher = i, .exit = {.next = catcher.next}};
    if (state.query_language == QueryLanguage::jsonata) {
      const Env env{.scope = scope, .root = scope.input, .error_output = error};
      caught.exit.assigned = assigned_by(catcher.assign, env);
      caught.exit.output = catcher.output ? catcher.output->evaluate(env) : error;
    } else {
      caught.exit.assigned = assigned_by(catcher.assign, {.scope = scope, .root = error});
      caught.exit.output = apply_result_path(catcher.result_path, scope.input, error);
      note(trace, &Trace::after_result_path, caught.exit.output);
    }
    return caught;
  }
  return std::nullopt;
}

}  // namespace tidemill::lang::states
