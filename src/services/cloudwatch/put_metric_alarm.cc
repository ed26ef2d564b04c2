// Makes an alarm, or gives one that is there another configuration; its state stays, and is looked at anew.
#include <algorithm>

#include "base/text.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/statistic.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

// "PutMetricAlarm" in the API reference.
constexpr int kWindowSecondsMax = 7 * 86'400;
constexpr int kShortWindowSecondsMax = 86'400;

wire::Error missing(std::string_view name) {
  return does_not_fit(cat("The parameter ", name, " is required."));
}

std::vector<std::string> actions_of(const std::optional<std::vector<std::string>>& actions, std::string_view name) {
  if (!actions) return {};
  for (const std::string& arn : *actions) {
    if (!is_action(arn)) throw not_supported(cat("the action ", arn, " in ", name, ": there are topics and functions"));
  }
  return *actions;
}

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
    throw does_not_fit(
        "DatapointsToAlarm must be less than or equal to EvaluationPeriods");
  }
}

void read_statistic(const shapes::PutMetricAlarmInput& in, Alarm& alarm) {
  if (in.statistic && in.extended_statistic) {
    throw does_not_fit(
        "The parameters Statistic and ExtendedStatistic are mutually exclusive and you have specified both.");
  }
  if (!in.statistic && !in.extended_statistic) {
    throw does_not_fit(
        "At least one of the parameters Statistic and ExtendedStatistic must be specified.");
  }
  alarm.is_extended = in.extended_statistic.has_value();
  alarm.statistic = alarm.is_extended ? *in.extended_statistic : *in.statistic;
  const auto statistic = Statistic::parse(alarm.statistic);
  if (!statistic || statistic->is_extended() != alarm.is_extended) {
    throw invalid_value("ExtendedStatistic", alarm.statistic);
  }
}

Alarm alarm_of(const wire::Context& context, const shapes::PutMetricAlarmInput& in) {
  namespace Operator = shapes::ComparisonOperator;
  if (in.comparison_operator == Operator::kLessThanLowerOrGreaterThanUpperThreshold ||
      in.comparison_operator == Operator::kLessThanLowerThreshold ||
      in.comparison_operator == Operator::kGreaterThanUpperThreshold) {
    throw not_supported(cat("the ComparisonOperator ", in.comparison_operator, ": there are no anomaly detectors"));
  }
  if (!in.metric_name) throw missing("MetricName");
  if (!in.namespace_) throw missing("Namespace");
  if (!in.period) throw missing("Period");
  if (!in.threshold) throw missing("Threshold");
  constexpr std::string_view kTreatments[] = {"breaching", "notBreaching", "ignore", "missing"};
  if (in.treat_missing_data && std::ranges::find(kTreatments, *in.treat_missing_data) == std::end(kTreatments)) {
    throw invalid_value("TreatMissingData", *in.treat_missing_data);
  }
  Alarm alarm{.address = {context.account, context.region, in.alarm_name},
              .description = in.alarm_description.value_or(""),
              .has_description = in.alarm_description.has_value(),
              .actions_enabled = in.actions_enabled.value_or(true),
              .ok_actions = actions_of(in.ok_actions, "OKActions"),
              .alarm_actions = actions_of(in.alarm_actions, "AlarmActions"),
              .insufficient_data_actions = actions_of(in.insufficient_data_actions, "InsufficientDataActions"),
              .name_space = *in.namespace_,
              .metric_name = *in.metric_name,
              .dimensions = dimensions_of(in.dimensions, "Dimensions"),
              .period_seconds = *in.period,
              .unit = in.unit.value_or(""),
              .evaluation_periods = in.evaluation_periods,
              .datapoints_to_alarm = in.datapoints_to_alarm,
              .threshold = *in.threshold,
              .comparison = in.comparison_operator,
              .treat_missing_data = in.treat_missing_data.value_or(""),
              .configured = context.now()};
  read_statistic(in, alarm);
  check_period(alarm);
  if (in.tags) {
    for (const shapes::Tag& tag : *in.tags) alarm.tags.insert_or_assign(tag.key, tag.value);
  }
  return alarm;
}

}  // namespace

Task<shapes::PutMetricAlarmOutput> put_metric_alarm(Service& service, wire::Context& context,
                                                    const shapes::PutMetricAlarmInput& request) {
  const Alarm wanted = alarm_of(context, request);
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Alarm alarm = wanted;
    const auto before = co_await find_alarm(txn, alarm.address);
    if (before) {
      txn.erase(watch_key(*before));
      alarm.state = before->state;
      alarm.tags = before->tags;  // AWS ignores those of an update
    } else {
      alarm.state = {.reason = "Unchecked: Initial alarm creation", .updated = now, .transitioned = now};
    }
    txn.put(alarm_key(alarm.address), encode_alarm(alarm));
    txn.put(watch_key(alarm), "");
    co_await add_history(txn, alarm, now, shapes::HistoryItemType::kConfigurationUpdate,
                         cat("Alarm \"", alarm.address.name, before ? "\" updated" : "\" created"),
                         configuration_data(before ? "Update" : "Create", alarm));
    co_await evaluate_at(txn, alarm.address, now);
  });
  co_return shapes::PutMetricAlarmOutput{};
}

}  // namespace tidemill::cloudwatch
