// A Map state under test: what it makes of its items, and whether so many failures are too many. Its iterations do not
// run.
#pragma once

#include <optional>
#include <string>

#include "lang/states/evaluate.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

namespace asl = lang::states;

struct TestedMap {
  // As far as it got: a state that fails on the way has what came before.
  wire::states::InspectionData seen;
  std::optional<asl::Failure> failure;  // more iterations failed than are tolerated
};

// Throws asl::StateError, and ValidationException for a configuration that cannot be.
void inspect_map(const asl::State& state, const asl::Scope& scope,
                 const wire::states::TestStateConfiguration& configuration, asl::Trace& trace, TestedMap& map);

}  // namespace tidemill::states
