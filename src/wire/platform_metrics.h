// The platform's own metrics under AWS's names ("AWS/SQS NumberOfMessagesSent"), gathered where things happen and
// written to CloudWatch once a minute by its service. What a service does is one line:
//
//   usage.add(kNumberOfMessagesSent, context.account, context.region, queue.name);
//
// where the metric is a constant:
//
//   inline constexpr PlatformMetric kNumberOfMessagesSent{"AWS/SQS", "NumberOfMessagesSent", "Count", "QueueName"};
//
// Each thread gathers for itself: an addition takes a lock that nobody else wants and one look-up of a hash. What is not
// yet written is lost by a kill. Nothing is done while nothing happens.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/distribution.h"

namespace tidemill::wire {

struct PlatformMetric {
  std::string_view name_space;  // "AWS/DynamoDB"
  std::string_view name;        // "SuccessfulRequestLatency"
  std::string_view unit;        // "Milliseconds"
  std::string_view dimension;   // "TableName": its value is the resource's name; empty: the metric has none
  std::string_view dimension2 = {};  // "Operation"
};

class PlatformMetrics {
 public:
  // Series kept in memory till they are written; what comes for others is dropped.
  static constexpr size_t kSeriesMax = 100'000;

  struct Gathered {
    const PlatformMetric* metric = nullptr;
    std::string account;
    std::string region;
    std::string resource;
    std::string resource2;
    base::Time minute;  // its beginning
    base::Distribution values;
  };

  explicit PlatformMetrics(base::Clock& clock);
  ~PlatformMetrics();
  PlatformMetrics(const PlatformMetrics&) = delete;

  // Any thread. `metric` is a constant: it is kept by address.
  void add(const PlatformMetric& metric, std::string_view account, std::string_view region, std::string_view resource,
           double value = 1, double count = 1, std::string_view resource2 = {});

  // Everything gathered so far, which is then forgotten here. Any thread.
  std::vector<Gathered> take();

  // `wake` is called, on whatever thread adds, with the first addition after each take().
  void on_first(std::function<void()> wake);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill::wire
