// One metric's statistics, period by period.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_reader.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/statistic.h"

namespace tidemill::cloudwatch {
namespace {

constexpr int64_t kDatapointsMax = 1'440;

struct Asked {
  std::string name;
  Statistic statistic;
};

std::vector<Asked> statistics_of(const shapes::GetMetricStatisticsInput& request) {
  if (request.statistics && request.extended_statistics) {
    throw errors::invalid_parameter_combination_exception(
        "The parameters Statistics and ExtendedStatistics are mutually exclusive and you have specified both.");
  }
  const auto& names = request.statistics ? request.statistics : request.extended_statistics;
  if (!names) {
    throw errors::missing_required_parameter_exception(
        "At least one of the parameters Statistics and ExtendedStatistics must be specified.");
  }
  std::vector<Asked> result;
  for (const std::string& name : *names) {
    const auto statistic = Statistic::parse(name);
    if (!statistic || (request.extended_statistics && !statistic->is_extended())) {
      throw invalid_value("ExtendedStatistics", name);
    }
    result.push_back({name, *statistic});
  }
  return result;
}

void check_span(const shapes::GetMetricStatisticsInput& request, const Span& span) {
  if (request.start_time >= request.end_time) {
    throw errors::invalid_parameter_value_exception(
        "The parameter StartTime must be less than the parameter EndTime.");
  }
  // By what was asked for, not by the periods that it touches.
  const auto asked = request.end_time - request.start_time;
  const int64_t count = (asked + span.period - base::Duration(1)) / span.period;
  if (count > kDatapointsMax) {
    throw errors::invalid_parameter_combination_exception(
        base::cat("You have requested up to ", count, " datapoints, which exceeds the limit of ",
                  kDatapointsMax,
                  ". You may reduce the datapoints requested by increasing Period, or decreasing the time range."));
  }
}

// Nothing: the values do not say any of it.
std::optional<shapes::Datapoint> datapoint_of(Seconds begin, UnitNumber unit, const base::Distribution& values,
                                              const std::vector<Asked>& statistics) {
  shapes::Datapoint point{.timestamp = begin, .unit = std::string(unit_of_number(unit))};
  bool is_any = false;
  for (const auto& [name, statistic] : statistics) {
    const auto value = statistic.of(values);
    if (!value) continue;
    is_any = true;
    if (name == shapes::Statistic::kSampleCount) point.sample_count = value;
    else if (name == shapes::Statistic::kAverage) point.average = value;
    else if (name == shapes::Statistic::kSum) point.sum = value;
    else if (name == shapes::Statistic::kMinimum) point.minimum = value;
    else if (name == shapes::Statistic::kMaximum) point.maximum = value;
    else {
      if (!point.extended_statistics) point.extended_statistics.emplace();
      point.extended_statistics->emplace(name, *value);
    }
  }
  if (!is_any) return std::nullopt;
  return point;
}

}  // namespace

Task<shapes::GetMetricStatisticsOutput> get_metric_statistics(Service& service, wire::Context& context,
                                                              const shapes::GetMetricStatisticsInput& request) {
  const std::vector<Asked> statistics = statistics_of(request);
  const Span span = span_of(request.start_time, request.end_time, request.period, context.now());
  check_span(request, span);
  const MetricId metric{.account = context.account,
                        .region = context.region,
                        .name_space = request.namespace_,
                        .name = request.metric_name,
                        .dimensions = dimensions_of(request.dimensions, "Dimensions")};
  std::optional<UnitNumber> unit;
  if (request.unit) unit = number_of_unit(*request.unit);
  co_await service.platform_writer().write_now();
  const auto snapshot = service.store().snapshot();
  shapes::GetMetricStatisticsOutput out{.label = request.metric_name};
  out.datapoints.emplace();
  co_await read_metric(*snapshot, metric, span, unit,
                       [&](UnitNumber number, Seconds begin, const base::Distribution& values) {
                         auto point = datapoint_of(begin, number, values, statistics);
                         if (point) out.datapoints->push_back(*std::move(point));
                       });
  // By units, and of each in the order of time.
  std::ranges::stable_sort(*out.datapoints, {}, [](const shapes::Datapoint& point) {
    return std::pair(number_of_unit(*point.unit), *point.timestamp);
  });
  co_return out;
}

}  // namespace tidemill::cloudwatch
