// Runs a function once. The lambda service implements it over engine/workers; a simulation puts its own in place.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/task.h"
#include "engine/place_turn.h"

namespace tidemill::engine {

enum class InvokeStatus {
  ok,              // the handler returned: payload is its answer
  function_error,  // the handler failed, crashed, or ran too long: payload is AWS's error document
  throttled,       // no free place within the function's or the account's concurrency: it did not run
  no_function,     // the function is not there (any more), or not in a state that can run
  failed,          // it could not be run for a reason of ours (no interpreter, no process): it did not run
};

struct InvokeOutcome {
  InvokeStatus status = InvokeStatus::ok;
  std::string payload;           // JSON
  std::string executed_version;  // "$LATEST"
  std::string detail;            // why, for people; empty if ok
  std::string request_id;        // of the invocation; empty: it had none
};

class Invoker {
 public:
  virtual ~Invoker() = default;

  // Invokes the function (ARN, qualified or not) and waits for its end. On any executor; returns on the caller's.
  // If the task is destroyed, the invocation may go on, and its outcome is dropped.
  virtual Task<InvokeOutcome> invoke(std::string_view function_arn, std::string payload) = 0;

  // The same for who was throttled before and has stood in line since; `turn` may be null.
  virtual Task<InvokeOutcome> invoke_in_turn(std::string_view function_arn, std::string payload, PlaceTurnPtr turn) {
    (void)turn;
    return invoke(function_arn, std::move(payload));
  }

  // Stands in line for a place at a function that has none: `called` is called once, on any thread, when there is one,
  // the least `since` first. Null: nobody keeps a line.
  virtual Task<PlaceTurnPtr> wait_for_place(std::string_view function_arn, base::Time since,
                                            std::function<void()> called) {
    (void)function_arn, (void)since, (void)called;
    return Task<PlaceTurnPtr>::ready(nullptr);
  }

  // How long the function may run. Nothing: it is not there, or nobody knows.
  virtual Task<std::optional<std::chrono::seconds>> timeout(std::string_view function_arn) {
    (void)function_arn;
    return Task<std::optional<std::chrono::seconds>>::ready();
  }
};

}  // namespace tidemill::engine
