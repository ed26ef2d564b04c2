// Makes an alarm, or gives one that is there another configuration; its state stays, and is looked at anew.
#include <algorithm>

#include "base/text.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_configuration.h"
#include "services/cloudwatch/composite_alarm.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_query.h"
#include "services/cloudwatch/metric_reader.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/statistic.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

// "PutMetricAlarm" in the API reference.
constexpr int kWindowSecondsMax = 7 * 86'400;
constexpr int kShortWindowSecondsMax = 86'400;
constexpr size_t kMetricsMax = 20;

wire::Error missing(std::string_view name) { return does_not_fit(cat("The parameter ", name, " is required.")); }

void check_period(const Alarm& alarm) {
  const int period = alarm.period_seconds;
  if (period != 10 && period != 20 && period != 30 && period % 60 != 0) {
    throw invalid_value("Period", std::to_string(period));
  }
  const int64_t window = int64_t{period} * alarm.evaluation_periods;
  if (window > (period < 3600 ? kShortWindowSecondsMax : kWindowSecondsMax)) {
    throw does_not_fit(
        "Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400), or 604800 for "
        "periods of an hour and more.");
  }
  if (alarm.datapoints() > alarm.evaluation_periods) {
    throw does_not_fit("DatapointsToAlarm must be less than or equal to EvaluationPeriods");
  }
}

void read_statistic(const shapes::PutMetricAlarmInput& in, Alarm& alarm) {
  if (in.statistic && in.extended_statistic) {
    throw does_not_fit(
        "The parameters Statistic and ExtendedStatistic are mutually exclusive and you have specified both.");
  }
  if (!in.statistic && !in.extended_statistic) {
    throw does_not_fit("At least one of the parameters Statistic and ExtendedStatistic must be specified.");
  }
  alarm.is_extended = in.extended_statistic.has_value();
  alarm.statistic = alarm.is_extended ? *in.extended_statistic : *in.statistic;
  const auto statistic = Statistic::parse(alarm.statistic);
  if (!statistic || statistic->is_extended() != alarm.is_extended) {
    throw invalid_value("ExtendedStatistic", alarm.statistic);
  }
}

void read_metrics(const shapes::PutMetricAlarmInput& in, Alarm& alarm) {
  const std::pair<bool, std::string_view> others[] = {{in.metric_name.has_value(), "MetricName"},
                                                      {in.namespace_.has_value(), "Namespace"},
                                                      {in.statistic.has_value(), "Statistic"},
                                                      {in.extended_statistic.has_value(), "ExtendedStatistic"},
                                                      {in.dimensions && !in.dimensions->empty(), "Dimensions"},
                                                      {in.period.has_value(), "Period"},
                                                      {in.unit.has_value(), "Unit"}};
  for (const auto& [is_given, name] : others) {
    if (!is_given) continue;
    throw does_not_fit(
        cat("The parameters Metrics and ", name, " are mutually exclusive and you have specified both."));
  }
  if (in.metrics->size() > kMetricsMax) throw collection_too_large("Metrics", kMetricsMax);
  const auto queries = queries_of(alarm.address.account, alarm.address.region, *in.metrics, "Metrics");
  for (const MetricQuery& query : queries) {
    if (query.expression && !query.expression->searches().empty()) {
      throw does_not_fit("SEARCH is not supported on Metric Alarms.");
    }
    if (query.metric || query.period) {
      const int period = query.metric ? query.metric->period : *query.period;
      (void)span_of(alarm.configured, alarm.configured, period, alarm.configured);  // throws for what is no period
    }
    if (!query.metric) continue;
    if (alarm.period_seconds != 0 && alarm.period_seconds != query.metric->period) {
      throw does_not_fit("All metrics of an alarm must have the same Period.");
    }
    alarm.period_seconds = query.metric->period;
  }
  if (alarm.period_seconds == 0)
    throw does_not_fit("Invalid metrics list: at least one element must have a MetricStat.");
  if (std::ranges::count_if(queries, &MetricQuery::is_returned) != 1) {
    throw does_not_fit("Exactly one element of the metrics list should return data.");
  }
  alarm.metrics = *in.metrics;
}

Alarm alarm_of(const wire::Context& context, const shapes::PutMetricAlarmInput& in) {
  namespace Operator = shapes::ComparisonOperator;
  if (in.comparison_operator == Operator::kLessThanLowerOrGreaterThanUpperThreshold ||
      in.comparison_operator == Operator::kLessThanLowerThreshold ||
      in.comparison_operator == Operator::kGreaterThanUpperThreshold) {
    throw not_supported(cat("the ComparisonOperator ", in.comparison_operator, ": there are no anomaly detectors"));
  }
  if (!in.metrics) {
    if (!in.metric_name) throw missing("MetricName");
    if (!in.namespace_) throw missing("Namespace");
    if (!in.period) throw missing("Period");
  }
  if (!in.threshold) throw missing("Threshold");
  constexpr std::string_view kTreatments[] = {"breaching", "notBreaching", "ignore", "missing"};
  if (in.treat_missing_data && std::ranges::find(kTreatments, *in.treat_missing_data) == std::end(kTreatments)) {
    throw invalid_value("TreatMissingData", *in.treat_missing_data);
  }
  auto alarm = begin_alarm<Alarm>(context, in);
  alarm.name_space = in.namespace_.value_or("");
  alarm.metric_name = in.metric_name.value_or("");
  alarm.dimensions = dimensions_of(in.dimensions, "Dimensions");
  alarm.period_seconds = in.period.value_or(0);
  alarm.unit = in.unit.value_or("");
  alarm.evaluation_periods = in.evaluation_periods;
  alarm.datapoints_to_alarm = in.datapoints_to_alarm;
  alarm.threshold = *in.threshold;
  alarm.comparison = in.comparison_operator;
  alarm.treat_missing_data = in.treat_missing_data.value_or("");
  if (in.metrics)
    read_metrics(in, alarm);
  else
    read_statistic(in, alarm);
  check_period(alarm);
  return alarm;
}

}  // namespace

Task<shapes::PutMetricAlarmOutput> put_metric_alarm(Service& service, wire::Context& context,
                                                    const shapes::PutMetricAlarmInput& request) {
  const Alarm wanted = alarm_of(context, request);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Alarm alarm = wanted;
    if (co_await find_composite(txn, alarm.address)) throw name_is_taken(alarm.address.name, "composite");
    const auto before = co_await find_alarm(txn, alarm.address);
    keep_of_before(alarm, before ? &*before : nullptr);
    if (before) {
      for (const std::string& key : watch_keys(*before)) txn.erase(key);
    }
    txn.put(alarm_key(alarm.address), encode_alarm(alarm));
    for (const std::string& key : watch_keys(alarm)) txn.put(key, "");
    co_await note_configuration(txn, alarm, before ? &*before : nullptr, now);
    co_await evaluate_at(txn, alarm.address, now);
    if (!before) co_await evaluate_parents(txn, alarm.address, now);
  });
  co_return shapes::PutMetricAlarmOutput{};
}

}  // namespace tidemill::cloudwatch
