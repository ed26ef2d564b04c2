// What a mapping with MetricsConfig EventCount counts, under AWS's names (Lambda developer guide, "Event source mapping
// metrics"): namespace AWS/Lambda, by the mapping's UUID. Records or messages, each as often as it happens to it.
#pragma once

#include "engine/mappings/mapping.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::engine {

inline constexpr std::string_view kMappingDimension = "EventSourceMappingUUID";
inline constexpr wire::PlatformMetric kPolledEvents{"AWS/Lambda", "PolledEventCount", "Count", kMappingDimension};
inline constexpr wire::PlatformMetric kFilteredOutEvents{"AWS/Lambda", "FilteredOutEventCount", "Count",
                                                         kMappingDimension};
inline constexpr wire::PlatformMetric kInvokedEvents{"AWS/Lambda", "InvokedEventCount", "Count", kMappingDimension};
inline constexpr wire::PlatformMetric kFailedInvokeEvents{"AWS/Lambda", "FailedInvokeEventCount", "Count",
                                                          kMappingDimension};
inline constexpr wire::PlatformMetric kDeletedEvents{"AWS/Lambda", "DeletedEventCount", "Count", kMappingDimension};
// Of streams: what was given up and did not reach a failure destination, and what did.
inline constexpr wire::PlatformMetric kDroppedEvents{"AWS/Lambda", "DroppedEventCount", "Count", kMappingDimension};
inline constexpr wire::PlatformMetric kEventsAtDestination{"AWS/Lambda", "OnFailureDestinationDeliveredEventCount",
                                                           "Count", kMappingDimension};

// Nothing, unless the mapping asks for it. `usage` may be null.
inline void add_events(wire::PlatformMetrics* usage, const Mapping& mapping, const wire::PlatformMetric& metric,
                       size_t events) {
  if (!usage || !mapping.count_events || events == 0) return;
  usage->add(metric, mapping.account, mapping.region, mapping.uuid, static_cast<double>(events));
}

}  // namespace tidemill::engine
