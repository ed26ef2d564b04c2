#include "services/pipes/pipe_invoker.h"

#include "base/text.h"
#include "services/pipes/execution.h"
#include "wire/arn.h"

namespace tidemill::pipes {

using engine::InvokeOutcome;
using engine::InvokeStatus;

namespace {

bool is_function(std::string_view arn) { return wire::parse_arn_of("lambda", arn).has_value(); }

}  // namespace

// Null: there is no such pipe (any more).
Task<ActivePipePtr> PipeInvoker::find(std::string pipe_arn) {
  const auto address = parse_pipe_arn(pipe_arn);
  const auto bytes = address ? co_await platform_.store.snapshot()->get(pipe_key(*address)) : std::nullopt;
  if (!bytes) {
    active_.erase(pipe_arn);
    throttled_.erase(pipe_arn);
    co_return nullptr;
  }
  if (const auto known = active_.find(pipe_arn); known != active_.end() && known->second->encoded == *bytes) {
    co_return known->second;
  }
  if (active_.size() >= kActiveMax) active_.clear();
  co_return active_[pipe_arn] = activate(decode_pipe(*address, *bytes), *bytes, logs_);
}

Task<InvokeOutcome> PipeInvoker::invoke(std::string_view pipe_arn, std::string batch) {
  return run(std::string(pipe_arn), std::move(batch), nullptr);
}

Task<InvokeOutcome> PipeInvoker::invoke_in_turn(std::string_view pipe_arn, std::string batch,
                                                engine::PlaceTurnPtr turn) {
  return run(std::string(pipe_arn), std::move(batch), std::move(turn));
}

Task<InvokeOutcome> PipeInvoker::run(std::string pipe_arn, std::string batch, engine::PlaceTurnPtr turn) {
  const ActivePipePtr pipe = co_await find(pipe_arn);
  if (!pipe) {
    co_return InvokeOutcome{.status = InvokeStatus::no_function, .detail = base::cat("there is no pipe ", pipe_arn)};
  }
  const auto line = throttled_.find(pipe_arn);
  const std::string function = line == throttled_.end() ? "" : line->second;
  Execution execution(platform_, compute_, pipe, {function, std::move(turn)});
  InvokeOutcome outcome = co_await execution.run(std::move(batch));
  // A line that nobody needs to stand in would call at once.
  if (execution.throttled().empty()) {
    throttled_.erase(pipe_arn);
  } else {
    throttled_[pipe_arn] = execution.throttled();
  }
  co_return outcome;
}

Task<engine::PlaceTurnPtr> PipeInvoker::wait_for_place(std::string_view pipe_arn, base::Time since,
                                                       std::function<void()> called) {
  const auto found = throttled_.find(std::string(pipe_arn));
  if (found == throttled_.end()) return Task<engine::PlaceTurnPtr>::ready(nullptr);
  return compute_.functions().wait_for_place(found->second, since, std::move(called));
}

Task<std::optional<std::chrono::seconds>> PipeInvoker::timeout(std::string_view pipe_arn) {
  return timeout_of(std::string(pipe_arn));
}

Task<std::optional<std::chrono::seconds>> PipeInvoker::timeout_of(std::string pipe_arn) {
  const ActivePipePtr pipe = co_await find(std::move(pipe_arn));
  if (!pipe) co_return std::nullopt;
  std::chrono::seconds sum{0};
  for (const std::string& arn : {pipe->pipe.settings.enrichment.value_or(""), pipe->pipe.settings.target}) {
    if (!is_function(arn)) continue;
    sum += (co_await compute_.functions().timeout(arn)).value_or(std::chrono::seconds(0));
  }
  co_return sum;
}

}  // namespace tidemill::pipes
