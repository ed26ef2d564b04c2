// Values of metrics that were found in events: gathered by metric and time, and on their way to CloudWatch as
// deliveries that are enqueued with the events, so that none is lost by a crash.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "engine/deliveries.h"
#include "services/logs/stream.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::logs {

inline constexpr std::string_view kMetricTarget = "logs-metric";  // of deliveries; target: the group's ARN

// A metric, at the time that its values are of.
struct MetricSeries {
  std::string name_space;
  std::string metric;
  std::string unit;  // empty: none
  std::map<std::string, std::string> dimensions;
  Milliseconds time = 0;
  bool is_high_resolution = false;
  auto operator<=>(const MetricSeries&) const = default;
};

// Events say what they like. What CloudWatch would refuse must not come to it, for it refuses whole requests.
[[nodiscard]] bool is_number_of_metric(double number);
[[nodiscard]] bool is_dimension_value(std::string_view value);

class MetricValues {
 public:
  void add(MetricSeries series, double value) { all_[std::move(series)][value] += 1; }
  void add(MetricSeries series, std::span<const double> values) {
    Values& all = all_[std::move(series)];
    for (const double value : values) all[value] += 1;
  }

  // `group_arn` is whose events they are. Lets others run in between.
  Task<void> enqueue(store::Transaction& txn, const std::string& group_arn, base::Time now) const;

  using Values = std::map<double, double>;  // each with how often it came

 private:
  std::map<MetricSeries, Values> all_;
};

// The sender of those deliveries.
Task<store::SendOutcome> put_metric_values(wire::Platform& platform, const store::Delivery& delivery);

}  // namespace tidemill::logs
