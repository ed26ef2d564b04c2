// Metrics that applications print: events in the embedded metric format ("Specification: Embedded metric format",
// CloudWatch user guide), as Powertools writes them.
//
//   {"_aws":{"Timestamp":1760000000000,"CloudWatchMetrics":[{"Namespace":"Shop","Dimensions":[["Service"]],
//    "Metrics":[{"Name":"Orders","Unit":"Count","StorageResolution":60}]}]},"Service":"checkout","Orders":[1,2]}
//
// Each metric gets the values of the member of its name, a number or up to 100 of them, once for each set of
// dimensions, whose values are the members of their names. An event that is not so, that CloudWatch would refuse, or
// that comes to too much, is a line like any other.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "services/logs/metric_values.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

// A few kilobytes of text may name a hundred metrics with a hundred values in a hundred sets of dimensions, a hundred
// times over. So there is an end to what an event comes to, and to what those of a request do, beyond which an event is
// a line like any other.
inline constexpr size_t kEmbeddedValuesMax = 30'000;             // of an event
inline constexpr size_t kEmbeddedValuesOfRequestMax = 100'000;
inline constexpr size_t kEmbeddedBytesOfRequestMax = 32 << 20;   // in memory, each metric with its sets

// What an event says. Metrics and sets of dimensions are kept apart, as they stand there: together they are many.
struct EventMetrics {
  struct Metric {
    MetricSeries series;  // without dimensions
    std::vector<double> values;
  };
  struct Directive {
    std::vector<Metric> metrics;
    std::vector<std::map<std::string, std::string>> dimension_sets;  // each metric is of each
  };
  std::vector<Directive> directives;
  size_t values = 0;  // of all metrics in all their sets
  size_t bytes = 0;   // that those take in memory, about
};

// Without directives: it is none of that format, or too much.
[[nodiscard]] EventMetrics metrics_in(std::string_view message);

class EmbeddedMetrics {
 public:
  // Lets others run in between.
  static Task<EmbeddedMetrics> find(const std::vector<wire::logs::InputLogEvent>& events);

  // Adds those of the events begin <= index < end. Lets others run in between.
  Task<void> add(size_t begin, size_t end, MetricValues& values) const;

  // How many events have any.
  [[nodiscard]] size_t events() const { return found_.size(); }

 private:
  struct Found {
    size_t event;
    EventMetrics metrics;
  };
  std::vector<Found> found_;
};

}  // namespace tidemill::logs
