// What a metric filter is: a pattern, and what becomes a metric's value of each event that matches it. Filters stand in
// their group's record. User guide, "Creating metrics from log events using filters".
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_record.h"
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

void write_metric_filters(json::Writer& writer, const std::vector<MetricFilter>& filters);
[[nodiscard]] std::vector<MetricFilter> read_metric_filters(const json::Record& record);

}  // namespace tidemill::logs
