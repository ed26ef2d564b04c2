// What metric filters make of events: values of metrics (metric_values.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "services/logs/group.h"
#include "services/logs/metric_values.h"
#include "services/logs/pattern_matching.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

// What the filters of a group found in the events of one request. Made before the transaction that writes them.
class FilteredMetrics {
 public:
  FilteredMetrics() = default;

  // The group outlives this.
  static Task<FilteredMetrics> find(PatternMatching& matching, LogGroupPtr group,
                                    const std::vector<wire::logs::InputLogEvent>& events);

  // Whether these are what the filters of `group` find.
  [[nodiscard]] bool is_of(const LogGroup& group) const;
  // Adds those of the events begin <= index < end.
  void add(const std::vector<wire::logs::InputLogEvent>& events, size_t begin, size_t end, MetricValues& values) const;

 private:
  struct Value {
    double number = 0;
    std::map<std::string, std::string> dimensions;
  };
  LogGroupPtr group_;
  // For each filter, and each event; nothing: it does not match, or has no such value.
  std::vector<std::vector<std::optional<Value>>> found_;
};

}  // namespace tidemill::logs
