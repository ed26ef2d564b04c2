#include "base/metrics.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>
#include <mutex>
#include <variant>

namespace tidemill::base {

namespace {

constexpr std::chrono::nanoseconds bucket_bound(size_t i) {
  return std::chrono::nanoseconds(static_cast<int64_t>(Histogram::kBucketSeconds[i] * 1e9 + 0.5));
}

void append_number(std::string& out, double value) {
  char text[400];  // the longest double without an exponent has 309 digits
  const auto result = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  out.append(text, result.ptr);
}

// name{labels,extra} value
void append_sample(std::string& out, std::string_view name, std::string_view labels, std::string_view extra,
                   double value) {
  out += name;
  if (!labels.empty() || !extra.empty()) {
    out += '{';
    out += labels;
    if (!labels.empty() && !extra.empty()) out += ',';
    out += extra;
    out += '}';
  }
  out += ' ';
  append_number(out, value);
  out += '\n';
}

}  // namespace

void Histogram::observe(std::chrono::nanoseconds duration) noexcept {
  size_t bucket = 0;
  while (bucket < kBuckets && duration > bucket_bound(bucket)) ++bucket;
  buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
  nanoseconds_.fetch_add(static_cast<uint64_t>(std::max<int64_t>(duration.count(), 0)), std::memory_order_relaxed);
}

struct Metrics::Impl {
  using Gauge = std::function<double()>;
  using Metric = std::variant<std::unique_ptr<Counter>, std::unique_ptr<Histogram>, Gauge>;
  struct Family {
    std::string help;
    std::map<std::string, Metric, std::less<>> by_labels;
  };

  mutable std::mutex mutex;
  std::map<std::string, Family, std::less<>> families;

  Metric& find(std::string_view name, std::string_view help, std::string_view labels) {
    auto family = families.find(name);
    if (family == families.end()) family = families.emplace(std::string(name), Family{std::string(help), {}}).first;
    auto metric = family->second.by_labels.find(labels);
    if (metric == family->second.by_labels.end()) {
      metric = family->second.by_labels.emplace(std::string(labels), std::unique_ptr<Counter>()).first;
    }
    return metric->second;
  }
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(std::string_view name, std::string_view help, std::string_view labels) {
  const std::lock_guard lock(impl_->mutex);
  auto& held = std::get<std::unique_ptr<Counter>>(impl_->find(name, help, labels));
  if (!held) held = std::make_unique<Counter>();
  return *held;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, std::string_view labels) {
  const std::lock_guard lock(impl_->mutex);
  Impl::Metric& metric = impl_->find(name, help, labels);
  if (!std::holds_alternative<std::unique_ptr<Histogram>>(metric)) {
    assert(std::get<std::unique_ptr<Counter>>(metric) == nullptr);  // one name, two types
    metric = std::make_unique<Histogram>();
  }
  return *std::get<std::unique_ptr<Histogram>>(metric);
}

void Metrics::gauge(std::string_view name, std::string_view help, std::string_view labels,
                    std::function<double()> read) {
  const std::lock_guard lock(impl_->mutex);
  impl_->find(name, help, labels) = std::move(read);
}

std::string Metrics::prometheus_text() const {
  const std::lock_guard lock(impl_->mutex);
  std::string out;
  for (const auto& [name, family] : impl_->families) {
    constexpr std::string_view kTypes[] = {"counter", "histogram", "gauge"};
    const auto kind = family.by_labels.begin()->second.index();
    out += "# HELP " + name + ' ' + family.help + "\n# TYPE " + name + ' ';
    out += kTypes[kind];
    out += '\n';
    for (const auto& [labels, metric] : family.by_labels) {
      if (const auto* counter = std::get_if<std::unique_ptr<Counter>>(&metric)) {
        append_sample(out, name, labels, "", static_cast<double>((*counter)->value()));
      } else if (const auto* gauge = std::get_if<Impl::Gauge>(&metric)) {
        append_sample(out, name, labels, "", (*gauge)());
      } else {
        const Histogram& histogram = *std::get<std::unique_ptr<Histogram>>(metric);
        uint64_t cumulated = 0;
        for (size_t i = 0; i <= Histogram::kBuckets; ++i) {
          cumulated += histogram.buckets_[i].load(std::memory_order_relaxed);
          std::string bound = "le=\"";
          if (i < Histogram::kBuckets) append_number(bound, Histogram::kBucketSeconds[i]);
          else bound += "+Inf";
          bound += '"';
          append_sample(out, name + "_bucket", labels, bound, static_cast<double>(cumulated));
        }
        append_sample(out, name + "_sum", labels, "",
                      static_cast<double>(histogram.nanoseconds_.load(std::memory_order_relaxed)) / 1e9);
        append_sample(out, name + "_count", labels, "", static_cast<double>(cumulated));
      }
    }
  }
  return out;
}

}  // namespace tidemill::base
