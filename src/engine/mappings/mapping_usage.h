// What a mapping tells CloudWatch about itself under its function's name, whether or not its MetricsConfig asks for
// events (mapping_events.h).
#pragma once

#include <string_view>

#include "base/clock.h"
#include "engine/mappings/mapping.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::engine {

// Failure documents that did not reach their destination.
inline constexpr wire::PlatformMetric kDestinationDeliveryFailures{"AWS/Lambda", "DestinationDeliveryFailures", "Count",
                                                                   "FunctionName"};

// IteratorAge: how old the last record of a batch was when the function had it. `usage` may be null.
void measure_age(wire::PlatformMetrics* usage, const Mapping& mapping, base::Duration age);

// "f" of arn:aws:lambda:…:function:f, qualified or not.
[[nodiscard]] std::string_view function_name_in(std::string_view function_arn);

}  // namespace tidemill::engine
