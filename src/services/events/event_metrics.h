// What EventBridge tells CloudWatch of itself, under AWS's names.
#pragma once

#include "services/events/address.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::events {

inline constexpr std::string_view kNameSpace = "AWS/Events";

inline constexpr wire::PlatformMetric kEntries{kNameSpace, "PutEventsEntriesCount", "Count", ""};
inline constexpr wire::PlatformMetric kFailedEntries{kNameSpace, "PutEventsFailedEntriesCount", "Count", ""};
inline constexpr wire::PlatformMetric kInvocations{kNameSpace, "Invocations", "Count", "RuleName"};
inline constexpr wire::PlatformMetric kFailedInvocations{kNameSpace, "FailedInvocations", "Count", "RuleName"};
inline constexpr wire::PlatformMetric kSentToDeadLetters{kNameSpace, "InvocationsSentToDlq", "Count", "RuleName"};

// Zeros are not told.
inline void measure(const wire::Context& context, const wire::PlatformMetric& metric, double value) {
  wire::PlatformMetrics* usage = context.platform().usage;
  if (usage && value > 0) usage->add(metric, context.account, context.region, "", value);
}

inline void measure_rule(const wire::Platform& platform, const wire::PlatformMetric& metric,
                         std::string_view rule_arn) {
  const auto rule = parse_rule_arn(rule_arn);
  if (platform.usage && rule) platform.usage->add(metric, rule->bus.account, rule->bus.region, rule->name);
}

}  // namespace tidemill::events
