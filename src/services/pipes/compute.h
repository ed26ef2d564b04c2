// Calls of what computes: functions and state machines. Both take JSON and answer it.
#pragma once

#include <string>

#include "base/task.h"
#include "engine/invoker.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::pipes {

// What an error of a service means for a batch: what its caller did wrong uses up an attempt; what the service could
// not do, or not just now, does not.
[[nodiscard]] engine::InvokeOutcome outcome_of(const wire::Error& error);
// The same for the code of one entry of a batch: whether a caller could help it.
[[nodiscard]] engine::InvokeStatus status_of_code(std::string_view code);

// All on one executor.
class Compute {
 public:
  // Both outlive this.
  Compute(wire::Platform& platform, engine::Invoker& functions) : platform_(platform), functions_(functions) {}

  // Waits for the answer, which is the outcome's payload. `turn` is for a function that was throttled before; may be
  // null.
  Task<engine::InvokeOutcome> call(wire::Principal by, std::string arn, std::string payload, engine::PlaceTurnPtr turn);
  // Once the payload is taken.
  Task<engine::InvokeOutcome> start(wire::Principal by, std::string arn, std::string payload);

  [[nodiscard]] engine::Invoker& functions() { return functions_; }

 private:
  Task<engine::InvokeOutcome> call_function(wire::Principal by, std::string arn, std::string payload,
                                            engine::PlaceTurnPtr turn);
  Task<engine::InvokeOutcome> call_state_machine(wire::Principal by, std::string arn, std::string payload, bool waits);

  wire::Platform& platform_;
  engine::Invoker& functions_;
};

}  // namespace tidemill::pipes
