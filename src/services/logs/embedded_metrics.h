// Metrics that applications print: events in the embedded metric format ("Specification: Embedded metric format",
// CloudWatch user guide), as Powertools writes them.
//
//   {"_aws":{"Timestamp":1760000000000,"CloudWatchMetrics":[{"Namespace":"Shop","Dimensions":[["Service"]],
//    "Metrics":[{"Name":"Orders","Unit":"Count","StorageResolution":60}]}]},"Service":"checkout","Orders":[1,2]}
//
// Each metric gets the values of the member of its name, a number or up to 100 of them, once for each set of
// dimensions, whose values are the members of their names. An event that is not so, or that CloudWatch would refuse, is
// a line like any other.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "services/logs/metric_values.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

// What an event says; empty: it is none of that format.
[[nodiscard]] std::vector<std::pair<MetricSeries, double>> metrics_in(std::string_view message);

class EmbeddedMetrics {
 public:
  // Lets others run in between.
  static Task<EmbeddedMetrics> find(const std::vector<wire::logs::InputLogEvent>& events);

  // Adds those of the events begin <= index < end.
  void add(size_t begin, size_t end, MetricValues& values) const;

 private:
  struct Found {
    size_t event;
    std::vector<std::pair<MetricSeries, double>> metrics;
  };
  std::vector<Found> found_;
};

}  // namespace tidemill::logs
