#include "services/logs/metric_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/executor.h"
#include "base/json_record.h"
#include "base/uuid.h"
#include "engine/targets/internal_call.h"
#include "services/logs/metric_filter.h"
#include "wire/shapes/cloudwatch.h"

namespace tidemill::logs {
namespace {

using wire::cloudwatch::ops::PutMetricData;
using Values = MetricValues::Values;

constexpr size_t kDataPerRequestMax = 1'000;  // of PutMetricData
constexpr size_t kValuesPerDatumMax = 150;
constexpr std::ptrdiff_t kDimensionSizeMax = 1'024;  // characters
constexpr base::Duration kPastMax = std::chrono::days(14);
constexpr base::Duration kFutureMax = std::chrono::hours(2);

void write_datum(json::Writer& writer, const MetricSeries& series, Values::const_iterator begin,
                 Values::const_iterator end) {
  writer.begin_object();
  json::write_member(writer, "MetricName", std::string_view(series.metric));
  if (!series.unit.empty()) json::write_member(writer, "Unit", std::string_view(series.unit));
  writer.key("Timestamp");
  writer.integer(series.time / 1'000);
  if (series.is_high_resolution) {
    writer.key("StorageResolution");
    writer.integer(1);
  }
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
Task<std::vector<std::string>> requests_of(const std::map<MetricSeries, Values>& all) {
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
      if (base::slice_is_over(1 + at->second.size())) co_await base::give_way();
    }
    writer.end_array();
    writer.end_object();
    requests.push_back(std::move(text));
  }
  co_return requests;
}

// For a day: CloudWatch is in this process, and takes everything that is right.
store::RetryPolicy retries() {
  store::RetryPolicy policy;
  policy.delays = {std::chrono::seconds(1), std::chrono::minutes(1)};
  policy.attempts_max = std::numeric_limits<int>::max();
  return policy;
}

}  // namespace

bool is_number_of_metric(double number) { return std::abs(number) <= kMetricMagnitudeMax; }

bool is_dimension_value(std::string_view value) {
  return !value.empty() && std::ranges::count_if(value, [](char c) { return (c & 0xC0) != 0x80; }) <= kDimensionSizeMax;
}

Task<void> MetricValues::enqueue(store::Transaction& txn, const std::string& group_arn, base::Time now) const {
  std::vector<std::string> requests = co_await requests_of(all_);
  for (std::string& request : requests) {
    store::Delivery delivery{.id = base::new_uuid(),
                             .target_kind = std::string(kMetricTarget),
                             .target = group_arn,
                             .payload = std::move(request),
                             .policy = retries()};
    co_await store::enqueue_delivery(txn, std::move(delivery), now);
  }
}

Task<store::SendOutcome> put_metric_values(wire::Platform& platform, const store::Delivery& delivery) {
  auto request = PutMetricData::parse(wire::WireRequest{.body = delivery.payload});
  // The events were young enough for the group, which is not young enough for the metric when it is tried again later;
  // and an event may name any time.
  const base::Time now = platform.clock.now();
  std::erase_if(*request.metric_data, [&](const auto& datum) {
    return datum.timestamp < now - kPastMax || datum.timestamp > now + kFutureMax;
  });
  if (request.metric_data->empty()) return Task<store::SendOutcome>::ready({});
  return engine::call_once<PutMetricData>(engine::internal_context(platform, delivery.target), std::move(request));
}

}  // namespace tidemill::logs
