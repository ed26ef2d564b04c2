// Metrics of requests to buckets, for those that a bucket's metrics configurations mean. S3 User Guide, "Metrics and
// dimensions". A request to a bucket without configurations pays for one look at a flag as long as no bucket has any.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/s3/bucket.h"
#include "store/store.h"
#include "wire/body_stream.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/registry.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

// The name of a configuration among a bucket's settings; all of them, by id.
inline constexpr std::string_view kMetricsSettings = "metrics.";
[[nodiscard]] std::string metrics_setting(std::string_view id);
[[nodiscard]] std::vector<wire::s3::MetricsConfiguration> metrics_configurations(const Bucket& bucket);

// Any thread.
class RequestMetrics {
 public:
  static constexpr size_t kBucketsMax = 10'000;  // whose configurations are kept; beyond, the cache starts anew

  explicit RequestMetrics(store::Store& store) : store_(store) {}

  // False: no bucket has a configuration, and there is nothing to do for a request.
  [[nodiscard]] bool may_apply() const { return state_.load(std::memory_order_relaxed) != State::none; }
  // A bucket has one from now on.
  void note_configuration() { state_ = State::some; }

  // The ids of the configurations that mean a request to this key; empty: to the bucket itself.
  Task<std::vector<std::string>> filters_of(std::string bucket, std::string_view key);

 private:
  enum class State { unknown, none, some };
  struct Known {
    TextMap settings;
    std::vector<wire::s3::MetricsConfiguration> configurations;
  };
  Task<void> find_out();

  store::Store& store_;
  std::atomic<State> state_ = State::unknown;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Known>> known_;  // by bucket id
};

// One request; lives as long as its operation.
class RequestMeter {
 public:
  RequestMeter(const wire::Context& context, const wire::OperationInfo& info, std::string bucket, std::string_view key);

  void succeeded(std::vector<std::string> filters, std::optional<uint64_t> uploaded) const;
  // Counts what goes out, and the time till it has.
  [[nodiscard]] wire::BodyStream downloading(wire::BodyStream body, std::vector<std::string> filters) const;
  // The exception that is being handled.
  void failed(const std::vector<std::string>& filters) const;

 private:
  void count(const std::vector<std::string>& filters) const;
  void add(const std::vector<std::string>& filters, const wire::PlatformMetric& metric, double value) const;
  [[nodiscard]] double milliseconds() const;

  const wire::Context& context_;
  const wire::OperationInfo& info_;
  const std::string bucket_;
  const bool has_key_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace tidemill::s3
