#include "services/logs/filtered_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/executor.h"
#include "base/uuid.h"
#include "engine/targets/internal_call.h"
#include "lang/logs/pattern_text.h"
#include "wire/shapes/cloudwatch.h"

namespace tidemill::logs {
namespace {

using wire::cloudwatch::ops::PutMetricData;

constexpr Milliseconds kMinute = 60'000;
constexpr size_t kDataPerRequestMax = 1'000;  // of PutMetricData
constexpr size_t kValuesPerDatumMax = 150;
constexpr std::ptrdiff_t kDimensionSizeMax = 1'024;  // characters
constexpr base::Duration kPastMax = std::chrono::days(14);
// Events between two turns of others on this executor.
constexpr size_t kEventsAtOnce = 500;

// One metric's values in one minute, each with how often it came.
struct Series {
  std::string name_space;
  std::string metric;
  std::string unit;
  std::map<std::string, std::string> dimensions;
  Milliseconds minute = 0;
  auto operator<=>(const Series&) const = default;
};
using Values = std::map<double, double>;

// Events say what they like. What CloudWatch would refuse must not come to it, for it refuses whole requests.
bool is_number_of_metric(double number) { return std::abs(number) <= kMetricMagnitudeMax; }
bool is_dimension(const std::string& value) {
  return std::ranges::count_if(value, [](char c) { return (c & 0xC0) != 0x80; }) <= kDimensionSizeMax;
}

void write_datum(json::Writer& writer, const Series& series, Values::const_iterator begin, Values::const_iterator end) {
  writer.begin_object();
  json::write_member(writer, "MetricName", std::string_view(series.metric));
  if (!series.unit.empty()) json::write_member(writer, "Unit", std::string_view(series.unit));
  writer.key("Timestamp");
  writer.integer(series.minute / 1'000);
  writer.key("Dimensions");
  writer.begin_array();
  for (const auto& [name, value] : series.dimensions) {
    writer.begin_object();
    json::write_member(writer, "Name", std::string_view(name));
    json::write_member(writer, "Value", std::string_view(value));
    writer.end_object();
  }
  writer.end_array();
  for (const std::string_view member : {"Values", "Counts"}) {
    writer.key(member);
    writer.begin_array();
    for (auto at = begin; at != end; ++at) writer.number(member == "Values" ? at->first : at->second);
    writer.end_array();
  }
  writer.end_object();
}

// Requests of PutMetricData, of which each is of one namespace.
std::vector<std::string> requests_of(const std::map<Series, Values>& all) {
  std::vector<std::string> requests;
  for (auto at = all.begin(); at != all.end();) {
    std::string text;
    json::Writer writer(text);
    const std::string& name_space = at->first.name_space;
    writer.begin_object();
    json::write_member(writer, "Namespace", std::string_view(name_space));
    writer.key("MetricData");
    writer.begin_array();
    size_t count = 0;
    for (; at != all.end() && at->first.name_space == name_space; ++at) {
      const size_t more = (at->second.size() + kValuesPerDatumMax - 1) / kValuesPerDatumMax;
      if (count > 0 && count + more > kDataPerRequestMax) break;
      count += more;
      for (auto begin = at->second.begin(); begin != at->second.end();) {
        auto end = begin;
        for (size_t i = 0; i < kValuesPerDatumMax && end != at->second.end(); ++i) ++end;
        write_datum(writer, at->first, begin, end);
        begin = end;
      }
    }
    writer.end_array();
    writer.end_object();
    requests.push_back(std::move(text));
  }
  return requests;
}

// For a day: CloudWatch is in this process, and takes everything that is right.
store::RetryPolicy retries() {
  store::RetryPolicy policy;
  policy.delays = {std::chrono::seconds(1), std::chrono::minutes(1)};
  policy.attempts_max = std::numeric_limits<int>::max();
  return policy;
}

}  // namespace

Task<FilteredMetrics> FilteredMetrics::find(PatternMatching& matching, LogGroupPtr group,
                                            const std::vector<wire::logs::InputLogEvent>& events) {
  FilteredMetrics result;
  result.group_ = group;
  size_t looked_at = 0;
  for (const MetricFilter& filter : group->metric_filters) {
    auto& found = result.found_.emplace_back(events.size());
    for (size_t i = 0; i < events.size(); ++i) {
      if (++looked_at % kEventsAtOnce == 0) co_await base::yield();
      if (!co_await matching.matches(*filter.pattern, events[i].message)) continue;
      const bool is_fixed = !filter.value.starts_with('$');
      lang::logs::Extracted fields;
      if (!is_fixed || !filter.dimensions.empty()) fields = filter.pattern->extract(events[i].message);
      const auto field = [&](const std::string& name) -> std::optional<std::string> {
        const auto at = fields.find(name);
        if (at == fields.end() || at->second.empty()) return std::nullopt;
        return at->second;
      };
      const auto text = is_fixed ? std::optional(filter.value) : field(filter.value);
      const auto number = text ? lang::logs::number_of(*text) : std::nullopt;
      if (!number || !is_number_of_metric(*number)) continue;
      Value value{.number = *number};
      for (const auto& [name, from] : filter.dimensions) {
        auto of_event = field(from);
        if (of_event && is_dimension(*of_event)) value.dimensions.emplace(name, *std::move(of_event));
      }
      // Without one of its dimensions it would be a value of another metric.
      if (value.dimensions.size() == filter.dimensions.size()) found[i] = std::move(value);
    }
  }
  co_return result;
}

bool FilteredMetrics::is_of(const LogGroup& group) const {
  return group_ ? group_->encoded == group.encoded : group.metric_filters.empty();
}

Task<void> FilteredMetrics::enqueue(store::Transaction& txn, const std::vector<wire::logs::InputLogEvent>& events,
                                    size_t begin, size_t end, base::Time now) const {
  if (found_.empty() || begin == end) co_return;
  std::map<Series, Values> all;
  for (size_t number = 0; number < found_.size(); ++number) {
    const MetricFilter& filter = group_->metric_filters[number];
    std::map<Milliseconds, bool> minutes;  // and whether an event of each matched
    for (size_t i = begin; i < end; ++i) {
      const Milliseconds minute = events[i].timestamp / kMinute * kMinute;
      const auto& value = found_[number][i];
      minutes[minute] = minutes[minute] || value.has_value();
      if (value) all[{filter.name_space, filter.metric, filter.unit, value->dimensions, minute}][value->number] += 1;
    }
    if (!filter.default_value) continue;
    for (const auto& [minute, is_matched] : minutes) {
      if (!is_matched) all[{filter.name_space, filter.metric, filter.unit, {}, minute}][*filter.default_value] += 1;
    }
  }
  for (std::string& request : requests_of(all)) {
    store::Delivery delivery{.id = base::new_uuid(),
                             .target_kind = std::string(kMetricTarget),
                             .target = group_->arn(),
                             .payload = std::move(request),
                             .policy = retries()};
    co_await store::enqueue_delivery(txn, std::move(delivery), now);
  }
}

Task<store::SendOutcome> put_filtered_metrics(wire::Platform& platform, const store::Delivery& delivery) {
  auto request = PutMetricData::parse(wire::WireRequest{.body = delivery.payload});
  // The events were young enough for the group, which is not young enough for the metric when it is tried again later.
  std::erase_if(*request.metric_data, [oldest = platform.clock.now() - kPastMax](const auto& datum) {
    return datum.timestamp < oldest;
  });
  if (request.metric_data->empty()) return Task<store::SendOutcome>::ready({});
  return engine::call_once<PutMetricData>(engine::internal_context(platform, delivery.target), std::move(request));
}

}  // namespace tidemill::logs
