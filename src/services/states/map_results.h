// What a map run's children leave: kept with the run until all have ended, then the state's output, or files in S3.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "services/states/long_evaluations.h"
#include "services/states/map_run.h"
#include "wire/context.h"

namespace tidemill::states {

inline constexpr size_t kResultFileBytesMax = size_t{8} << 20;  // a larger one ends with the record that makes it so

// What is kept of a child that has ended; empty: nothing.
[[nodiscard]] std::string result_to_keep(const ChildEnd& end, const asl::MapPlan& plan);
// Counts in `run`.
void keep_result(store::Transaction& txn, std::string_view key, std::string_view result, const asl::MapPlan& plan,
                 MapRunRecord& run);

// The inputs of children that a run which failed has not begun, one after the other. Nothing: there are no more, or what
// comes next cannot be read.
using PendingInputs = std::function<Task<std::optional<std::string>>()>;

// When all children have ended: writes the files if there is a ResultWriter; writing them again changes nothing. Null:
// the run has not succeeded. Throws asl::StateError: States.ResultWriterFailed, States.DataLimitExceeded.
Task<asl::Document> result_of(wire::Platform& platform, LongEvaluations& evaluations, const asl::MapPlan& plan,
                              const MapRunRecord& run, PendingInputs pending);

}  // namespace tidemill::states
