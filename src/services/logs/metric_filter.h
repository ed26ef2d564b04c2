// What a metric filter is: a pattern, and what becomes a metric's value of each event that matches it. Filters stand in
// their group's record. User guide, "Creating metrics from log events using filters".
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "lang/logs/filter_pattern.h"

namespace tidemill::logs {

inline constexpr size_t kMetricFiltersMax = 100;  // of a group
inline constexpr size_t kFilterDimensionsMax = 3;
inline constexpr double kMetricMagnitudeMax = 0x1p360;  // of CloudWatch's values

struct MetricFilter {
  std::string name;
  std::string pattern_text;
  base::Time created;
  // The transformation.
  std::string metric;
  std::string name_space;
  std::string value;  // a number, or what the pattern takes out of an event: "$.ms", "$size"
  std::optional<double> default_value;
  std::map<std::string, std::string> dimensions;  // name: what the pattern takes out
  std::string unit;                               // empty: none

  std::shared_ptr<const lang::logs::FilterPattern> pattern;  // of pattern_text
};

inline constexpr auto kMetricFilterMembers = [](auto& member, auto& filter) {
  member("name", filter.name);
  member("pattern", filter.pattern_text);
  member("created_us", filter.created);
  member("metric", filter.metric);
  member("namespace", filter.name_space);
  member("value", filter.value);
  member("default", filter.default_value);
  member("dimensions", filter.dimensions);
  member("unit", filter.unit);
};
// Throws std::runtime_error for what is no pattern.
[[nodiscard]] std::shared_ptr<const lang::logs::FilterPattern> parsed_pattern(std::string_view text);

}  // namespace tidemill::logs
