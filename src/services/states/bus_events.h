// What the default bus is told of executions of Standard machines, children of map runs too: "Step Functions Execution
// Status Change" ("Automating Step Functions event delivery with EventBridge" in the developer guide).
#pragma once

#include "base/clock.h"
#include "services/states/execution.h"
#include "store/store.h"

namespace tidemill::states {

// Input and output as they stand in the event, in all. Beyond it the input is left out, and an output that is larger by
// itself as well; error and cause count with the output, so that the event fits on a bus.
inline constexpr size_t kToldBytesMax = 248 << 10;

// In the transaction that gives the execution its status.
Task<void> tell_bus(store::Transaction& txn, const ExecutionRecord& record, base::Time now);

}  // namespace tidemill::states
