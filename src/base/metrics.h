// Counters, gauges and histograms in Prometheus' text format. A Metrics is made in main and handed down; looking a
// metric up takes a lock, so keep the reference. Updates are lock-free and may come from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tidemill::base {

class Counter {
 public:
  void add(uint64_t amount = 1) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

// Latencies in buckets from 100 microseconds to 60 seconds.
class Histogram {
 public:
  static constexpr double kBucketSeconds[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                              0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};
  static constexpr size_t kBuckets = std::size(kBucketSeconds);
  void observe(std::chrono::nanoseconds duration) noexcept;

 private:
  friend class Metrics;
  std::atomic<uint64_t> buckets_[kBuckets + 1] = {};
  std::atomic<uint64_t> nanoseconds_ = 0;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;

  // `labels` as they stand in the text: `service="dynamodb",operation="PutItem"`; "" for none. The same name and
  // labels give the same metric.
  Counter& counter(std::string_view name, std::string_view help, std::string_view labels = "");
  Histogram& histogram(std::string_view name, std::string_view help, std::string_view labels = "");
  // `read` is called, on any thread, when the text is made.
  void gauge(std::string_view name, std::string_view help, std::string_view labels, std::function<double()> read);

  [[nodiscard]] std::string prometheus_text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill::base
