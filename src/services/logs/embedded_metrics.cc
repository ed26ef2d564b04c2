#include "services/logs/embedded_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/executor.h"
#include "base/json.h"
#include "wire/shapes/cloudwatch.h"

namespace tidemill::logs {
namespace {

namespace json = base::json;
namespace unit = wire::cloudwatch::StandardUnit;

constexpr std::string_view kMark = "\"_aws\"";
constexpr size_t kNameBytesMax = 255;  // of PutMetricData
constexpr size_t kMetricsMax = 100;    // of a directive, and values of a metric
constexpr size_t kDimensionsMax = 30;
constexpr Milliseconds kMinute = 60'000;
constexpr Milliseconds kSecond = 1'000;
constexpr double kTimestampMax = 253'402'300'799'000;  // the year 9999: the last that a request can say
constexpr std::array kUnits{unit::kSeconds,         unit::kMicroseconds,    unit::kMilliseconds,
                            unit::kBytes,           unit::kKilobytes,       unit::kMegabytes,
                            unit::kGigabytes,       unit::kTerabytes,       unit::kBits,
                            unit::kKilobits,        unit::kMegabits,        unit::kGigabits,
                            unit::kTerabits,        unit::kPercent,         unit::kCount,
                            unit::kBytesSecond,     unit::kKilobytesSecond, unit::kMegabytesSecond,
                            unit::kGigabytesSecond, unit::kTerabytesSecond, unit::kBitsSecond,
                            unit::kKilobitsSecond,  unit::kMegabitsSecond,  unit::kGigabitsSecond,
                            unit::kTerabitsSecond,  unit::kCountSecond,     unit::kNone};

using Dimensions = std::map<std::string, std::string>;

const json::Value* member(const json::Value& value, std::string_view name) {
  return value.is_object() ? value.find(name) : nullptr;
}

const json::Array& list(const json::Value& value, std::string_view name) {
  static const json::Array kNone;
  const json::Value* found = member(value, name);
  return found && found->is_array() && found->array().size() <= kMetricsMax ? found->array() : kNone;
}

std::optional<std::string> text(const json::Value& value, std::string_view name) {
  const json::Value* found = member(value, name);
  if (!found || !found->is_string()) return std::nullopt;
  return found->string();
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && !name.starts_with(':') &&
         std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::optional<Dimensions> dimensions_of(const json::Value& event, const json::Value& names) {
  if (!names.is_array() || names.array().size() > kDimensionsMax) return std::nullopt;
  Dimensions dimensions;
  for (const json::Value& name : names.array()) {
    if (!name.is_string() || !is_name(name.string())) return std::nullopt;
    auto value = text(event, name.string());
    if (!value || !is_dimension_value(*value)) return std::nullopt;
    dimensions.insert_or_assign(name.string(), *std::move(value));
  }
  return dimensions;
}

std::vector<double> numbers_of(const json::Value& event, const std::string& name) {
  std::vector<double> numbers;
  const auto take = [&](const json::Value& value) {
    const auto number = value.is_number() ? value.to_double() : std::nullopt;
    if (number && is_number_of_metric(*number)) numbers.push_back(*number);
  };
  const json::Value* found = member(event, name);
  if (!found) return numbers;
  if (!found->is_array())
    take(*found);
  else if (found->array().size() <= kMetricsMax)
    std::ranges::for_each(found->array(), take);
  return numbers;
}

// Nothing: it is no definition of a metric.
std::optional<MetricSeries> series_of(const json::Value& definition, const std::string& name_space, Milliseconds time) {
  auto name = text(definition, "Name");
  if (!name || !is_name(*name)) return std::nullopt;
  const std::string unit = text(definition, "Unit").value_or("");
  if (!unit.empty() && std::ranges::find(kUnits, unit) == kUnits.end()) return std::nullopt;
  const json::Value* resolution = member(definition, "StorageResolution");
  const bool is_high = resolution && resolution->to_double() == 1.0;
  const Milliseconds step = is_high ? kSecond : kMinute;
  return MetricSeries{name_space, *std::move(name), unit, {}, time / step * step, is_high};
}

void read_directive(const json::Value& event, const json::Value& directive, Milliseconds time,
                    std::vector<std::pair<MetricSeries, double>>& found) {
  const auto name_space = text(directive, "Namespace");
  if (!name_space || !is_name(*name_space) || name_space->starts_with("AWS/")) return;
  for (const json::Value& definition : list(directive, "Metrics")) {
    const auto series = series_of(definition, *name_space, time);
    if (!series) continue;
    const std::vector<double> numbers = numbers_of(event, series->metric);
    for (const json::Value& names : list(directive, "Dimensions")) {
      auto dimensions = dimensions_of(event, names);
      if (!dimensions) continue;
      for (const double number : numbers) {
        auto& [of, value] = found.emplace_back(*series, number);
        of.dimensions = *dimensions;
      }
    }
  }
}

}  // namespace

std::vector<std::pair<MetricSeries, double>> metrics_in(std::string_view message) {
  std::vector<std::pair<MetricSeries, double>> found;
  if (message.find(kMark) == std::string_view::npos) return found;
  const auto event = json::parse(message);
  const json::Value* about = event ? member(*event, "_aws") : nullptr;
  const json::Value* timestamp = about ? member(*about, "Timestamp") : nullptr;
  const auto time = timestamp && timestamp->is_number() ? timestamp->to_double() : std::nullopt;
  if (!time || *time < 0 || *time > kTimestampMax) return found;
  for (const json::Value& directive : list(*about, "CloudWatchMetrics")) {
    read_directive(*event, directive, static_cast<Milliseconds>(*time), found);
  }
  return found;
}

Task<EmbeddedMetrics> EmbeddedMetrics::find(const std::vector<wire::logs::InputLogEvent>& events) {
  EmbeddedMetrics result;
  for (size_t i = 0; i < events.size(); ++i) {
    if (base::slice_is_over()) co_await base::give_way();
    auto metrics = metrics_in(events[i].message);
    if (!metrics.empty()) result.found_.push_back({i, std::move(metrics)});
  }
  co_return result;
}

void EmbeddedMetrics::add(size_t begin, size_t end, MetricValues& values) const {
  for (const Found& found : found_) {
    if (found.event < begin || found.event >= end) continue;
    for (const auto& [series, value] : found.metrics) values.add(series, value);
  }
}

}  // namespace tidemill::logs
