// What a pipe tells CloudWatch of itself, under AWS's names (user guide, "Logging and monitoring Amazon EventBridge
// Pipes"): by its name. Zeros are not told.
#pragma once

#include "services/pipes/pipe.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::pipes {

inline constexpr std::string_view kNameSpace = "AWS/EventBridge/Pipes";
inline constexpr std::string_view kPipeName = "PipeName";

inline constexpr wire::PlatformMetric kInvocations{kNameSpace, "Invocations", "None", kPipeName};
inline constexpr wire::PlatformMetric kEventCount{kNameSpace, "EventCount", "None", kPipeName};
inline constexpr wire::PlatformMetric kEventSize{kNameSpace, "EventSize", "Bytes", kPipeName};
inline constexpr wire::PlatformMetric kDuration{kNameSpace, "Duration", "Milliseconds", kPipeName};
inline constexpr wire::PlatformMetric kThrottled{kNameSpace, "ExecutionThrottled", "None", kPipeName};
inline constexpr wire::PlatformMetric kFailed{kNameSpace, "ExecutionFailed", "None", kPipeName};
inline constexpr wire::PlatformMetric kPartiallyFailed{kNameSpace, "ExecutionPartiallyFailed", "None", kPipeName};
inline constexpr wire::PlatformMetric kEnrichmentDuration{kNameSpace, "EnrichmentStageDuration", "Milliseconds",
                                                          kPipeName};
inline constexpr wire::PlatformMetric kEnrichmentFailed{kNameSpace, "EnrichmentStageFailed", "None", kPipeName};
inline constexpr wire::PlatformMetric kTargetDuration{kNameSpace, "TargetStageDuration", "Milliseconds", kPipeName};
inline constexpr wire::PlatformMetric kTargetFailed{kNameSpace, "TargetStageFailed", "None", kPipeName};
inline constexpr wire::PlatformMetric kTargetPartiallyFailed{kNameSpace, "TargetStagePartiallyFailed", "None",
                                                             kPipeName};
inline constexpr wire::PlatformMetric kTargetSkipped{kNameSpace, "TargetStageSkipped", "None", kPipeName};

inline void measure(const wire::Platform& platform, const Pipe& pipe, const wire::PlatformMetric& metric,
                    double value = 1) {
  if (!platform.usage) return;
  platform.usage->add(metric, pipe.address.account, pipe.address.region, pipe.address.name, value);
}

inline void measure_time(const wire::Platform& platform, const Pipe& pipe, const wire::PlatformMetric& metric,
                         base::Time since) {
  const std::chrono::duration<double, std::milli> taken = platform.clock.now() - since;
  measure(platform, pipe, metric, taken.count());
}

}  // namespace tidemill::pipes
