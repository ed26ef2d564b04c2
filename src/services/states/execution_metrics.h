// What Step Functions tells CloudWatch of its executions, under AWS's names.
#pragma once

#include "services/states/execution.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::states {

inline constexpr std::string_view kNameSpace = "AWS/States";
inline constexpr std::string_view kMachineDimension = "StateMachineArn";

inline constexpr wire::PlatformMetric kExecutionsStarted{kNameSpace, "ExecutionsStarted", "Count", kMachineDimension};
inline constexpr wire::PlatformMetric kExecutionsSucceeded{kNameSpace, "ExecutionsSucceeded", "Count",
                                                           kMachineDimension};
inline constexpr wire::PlatformMetric kExecutionsFailed{kNameSpace, "ExecutionsFailed", "Count", kMachineDimension};
inline constexpr wire::PlatformMetric kExecutionsTimedOut{kNameSpace, "ExecutionsTimedOut", "Count", kMachineDimension};
inline constexpr wire::PlatformMetric kExecutionsAborted{kNameSpace, "ExecutionsAborted", "Count", kMachineDimension};
inline constexpr wire::PlatformMetric kExecutionTime{kNameSpace, "ExecutionTime", "Milliseconds", kMachineDimension};

void measure_start(const wire::Platform& platform, const ExecutionAddress& address);
// Nothing for one that runs.
void measure_end(const wire::Platform& platform, const ExecutionAddress& address, Status status, base::Duration took);

}  // namespace tidemill::states
