// The platform's own metrics under AWS's names ("AWS/SQS NumberOfMessagesSent"), gathered where things happen and
// written to CloudWatch once a minute by its service. What a service does is one line:
//
//   measure(context, kNumberOfMessagesSent, queue.name);
//
// where the metric is a constant:
//
//   inline constexpr PlatformMetric kNumberOfMessagesSent{"AWS/SQS", "NumberOfMessagesSent", "Count", "QueueName"};
//
// What a resource holds, rather than what happens to it, is looked at when a minute ends: PlatformMetrics::Gauges.
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
#include "base/task.h"
#include "wire/context.h"

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

  // Measures what resources hold. Only of those to which something happens, so that idle ones cost nothing. Any thread.
  class Gauges {
   public:
    virtual ~Gauges() = default;
    // Told of all that is taken.
    virtual void note(const Gathered& gathered) = 0;
    // When the minute that began at `minute` has ended: adds what it finds to `found`. True: asks to be called when the
    // next has ended, too, even if nothing happens.
    virtual Task<bool> measure(base::Time minute, std::vector<Gathered>& found) = 0;
  };

  explicit PlatformMetrics(base::Clock& clock);
  ~PlatformMetrics();
  PlatformMetrics(const PlatformMetrics&) = delete;

  // Any thread. `metric` is a constant: it is kept by address.
  void add(const PlatformMetric& metric, std::string_view account, std::string_view region, std::string_view resource,
           double value = 1, double count = 1, std::string_view resource2 = {});

  // As long as its owner keeps it. Any thread.
  void watch_with(std::weak_ptr<Gauges> gauges);

  // Everything gathered so far, which is then forgotten here, and of which all gauges have been told. Any thread.
  std::vector<Gathered> take();
  // What the gauges show at the end of a minute, and whether one of them asks for the next.
  struct Measured {
    std::vector<Gathered> found;
    bool again = false;
  };
  Task<Measured> measure_gauges(base::Time minute);

  // `wake` is called, on whatever thread adds, with the first addition after each take().
  void on_first(std::function<void()> wake);

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Gauges>> gauges();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// In the account and region of a request.
inline void measure(const Context& context, const PlatformMetric& metric, std::string_view resource, double value = 1,
                    double count = 1, std::string_view resource2 = {}) {
  if (PlatformMetrics* usage = context.platform().usage) {
    usage->add(metric, context.account, context.region, resource, value, count, resource2);
  }
}

}  // namespace tidemill::wire
