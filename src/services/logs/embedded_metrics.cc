#include "services/logs/embedded_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

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
constexpr size_t kBytesPerStep = 512;  // of a message are read in about a microsecond (base::slice_is_over)
// About what these take in memory beside their texts.
constexpr size_t kSeriesBytes = 256;
constexpr size_t kDimensionBytes = 128;
constexpr size_t kValueBytes = 64;
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

// The members of an event by their names: there may be thousands, which are asked for as often.
class Members {
 public:
  explicit Members(const json::Object& event) {
    for (const auto& [name, value] : event) members_.emplace(name, &value);
  }
  [[nodiscard]] const json::Value* find(std::string_view name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const json::Value*> members_;
};

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && !name.starts_with(':') &&
         std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::optional<Dimensions> dimensions_of(const Members& event, const json::Value& names) {
  if (!names.is_array() || names.array().size() > kDimensionsMax) return std::nullopt;
  Dimensions dimensions;
  for (const json::Value& name : names.array()) {
    if (!name.is_string() || !is_name(name.string())) return std::nullopt;
    const json::Value* value = event.find(name.string());
    if (!value || !value->is_string() || !is_dimension_value(value->string())) return std::nullopt;
    dimensions.insert_or_assign(name.string(), value->string());
  }
  return dimensions;
}

std::vector<double> numbers_of(const Members& event, const std::string& name) {
  std::vector<double> numbers;
  const auto take = [&](const json::Value& value) {
    const auto number = value.is_number() ? value.to_double() : std::nullopt;
    if (number && is_number_of_metric(*number)) numbers.push_back(*number);
  };
  const json::Value* found = event.find(name);
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

size_t bytes_of(const Dimensions& dimensions) {
  size_t bytes = 0;
  for (const auto& [name, value] : dimensions) bytes += kDimensionBytes + name.size() + value.size();
  return bytes;
}

size_t bytes_of(const MetricSeries& series) {
  return kSeriesBytes + series.name_space.size() + series.metric.size() + series.unit.size();
}

bool is_too_much(const EventMetrics& event) {
  return event.values > kEmbeddedValuesMax || event.bytes > kEmbeddedBytesOfRequestMax;
}

// Goes no further than to where it is too much.
void read_directive(const Members& event, const json::Value& directive, Milliseconds time, EventMetrics& found) {
  const auto name_space = text(directive, "Namespace");
  if (!name_space || !is_name(*name_space) || name_space->starts_with("AWS/")) return;
  EventMetrics::Directive read;
  size_t bytes_of_sets = 0;
  for (const json::Value& names : list(directive, "Dimensions")) {
    auto dimensions = dimensions_of(event, names);
    if (!dimensions) continue;
    bytes_of_sets += bytes_of(*dimensions);
    read.dimension_sets.push_back(*std::move(dimensions));
  }
  found.bytes += bytes_of_sets;
  const size_t sets = read.dimension_sets.size();
  if (sets == 0) return;
  for (const json::Value& definition : list(directive, "Metrics")) {
    if (is_too_much(found)) return;
    auto series = series_of(definition, *name_space, time);
    if (!series) continue;
    std::vector<double> numbers = numbers_of(event, series->metric);
    if (numbers.empty()) continue;
    found.values += sets * numbers.size();
    found.bytes += bytes_of_sets + sets * (bytes_of(*series) + numbers.size() * kValueBytes);
    read.metrics.push_back({*std::move(series), std::move(numbers)});
  }
  if (!read.metrics.empty()) found.directives.push_back(std::move(read));
}

Task<void> add_directive(const EventMetrics::Directive& directive, MetricValues& values) {
  for (const EventMetrics::Metric& metric : directive.metrics) {
    for (const Dimensions& dimensions : directive.dimension_sets) {
      MetricSeries series = metric.series;
      series.dimensions = dimensions;
      values.add(std::move(series), metric.values);
      if (base::slice_is_over(1 + metric.values.size())) co_await base::give_way();
    }
  }
}

}  // namespace

EventMetrics metrics_in(std::string_view message) {
  if (message.find(kMark) == std::string_view::npos) return {};
  const auto event = json::parse(message);
  const json::Value* about = event ? member(*event, "_aws") : nullptr;
  const json::Value* timestamp = about ? member(*about, "Timestamp") : nullptr;
  const auto time = timestamp && timestamp->is_number() ? timestamp->to_double() : std::nullopt;
  if (!time || *time < 0 || *time > kTimestampMax) return {};
  const Members members(event->object());
  EventMetrics found;
  for (const json::Value& directive : list(*about, "CloudWatchMetrics")) {
    read_directive(members, directive, static_cast<Milliseconds>(*time), found);
    if (is_too_much(found)) return {};
  }
  return found;
}

Task<EmbeddedMetrics> EmbeddedMetrics::find(const std::vector<wire::logs::InputLogEvent>& events) {
  EmbeddedMetrics result;
  size_t values = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    if (base::slice_is_over(1 + events[i].message.size() / kBytesPerStep)) co_await base::give_way();
    EventMetrics metrics = metrics_in(events[i].message);
    if (metrics.directives.empty()) continue;
    if (values + metrics.values > kEmbeddedValuesOfRequestMax || bytes + metrics.bytes > kEmbeddedBytesOfRequestMax) {
      continue;
    }
    values += metrics.values;
    bytes += metrics.bytes;
    result.found_.push_back({i, std::move(metrics)});
  }
  co_return result;
}

Task<void> EmbeddedMetrics::add(size_t begin, size_t end, MetricValues& values) const {
  for (const Found& found : found_) {
    if (found.event < begin || found.event >= end) continue;
    for (const auto& directive : found.metrics.directives) co_await add_directive(directive, values);
  }
}

}  // namespace tidemill::logs
