// What metric filters make of events: values of metrics, which reach CloudWatch as deliveries that are enqueued with the
// events, so that none is lost by a crash.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/deliveries.h"
#include "services/logs/group.h"
#include "services/logs/pattern_matching.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

inline constexpr std::string_view kMetricTarget = "logs-metric";  // of deliveries; target: the group's ARN

// What the filters of a group found in the events of one request. Made before the transaction that writes them.
class FilteredMetrics {
 public:
  FilteredMetrics() = default;

  // The group outlives this.
  static Task<FilteredMetrics> find(PatternMatching& matching, LogGroupPtr group,
                                    const std::vector<wire::logs::InputLogEvent>& events);

  // Whether these are what the filters of `group` find.
  [[nodiscard]] bool is_of(const LogGroup& group) const;
  // Of the events begin <= index < end.
  Task<void> enqueue(store::Transaction& txn, const std::vector<wire::logs::InputLogEvent>& events, size_t begin, size_t end,
                     base::Time now) const;

 private:
  struct Value {
    double number = 0;
    std::map<std::string, std::string> dimensions;
  };
  LogGroupPtr group_;
  // For each filter, and each event; nothing: it does not match, or has no such value.
  std::vector<std::vector<std::optional<Value>>> found_;
};

// The sender of those deliveries.
Task<store::SendOutcome> put_filtered_metrics(wire::Platform& platform, const store::Delivery& delivery);

}  // namespace tidemill::logs
