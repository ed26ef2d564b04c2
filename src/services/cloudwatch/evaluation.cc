#include "services/cloudwatch/evaluation.h"

#include <algorithm>
#include <ranges>
#include <span>

#include "base/json.h"
#include "base/json_decimal.h"
#include "base/text.h"
#include "services/cloudwatch/metric_math.h"
#include "services/cloudwatch/metric_reader.h"
#include "services/cloudwatch/statistic.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;
namespace StateValue = shapes::StateValue;
namespace Operator = shapes::ComparisonOperator;

// Of the datapoints that a state is for so many are told, the newest; so reasons have AWS's 1,023 characters at most.
constexpr int kListedPointsMax = 5;
// AWS's limit ("StateReasonData" of SetAlarmState in the API reference).
constexpr size_t kReasonDataMax = 4'000;

bool breaches(const Alarm& alarm, double value) {
  if (alarm.comparison == Operator::kGreaterThanOrEqualToThreshold) return value >= alarm.threshold;
  if (alarm.comparison == Operator::kGreaterThanThreshold) return value > alarm.threshold;
  if (alarm.comparison == Operator::kLessThanThreshold) return value < alarm.threshold;
  return value <= alarm.threshold;
}

std::string_view words_of(const Alarm& alarm) {
  if (alarm.comparison == Operator::kGreaterThanOrEqualToThreshold) return "greater than or equal to";
  if (alarm.comparison == Operator::kGreaterThanThreshold) return "greater than";
  if (alarm.comparison == Operator::kLessThanThreshold) return "less than";
  return "less than or equal to";
}

std::string shown(double value) { return json::decimal_text(value); }

// The state by the counts of the guide's tables: of `existing` datapoints, at most as many as there are evaluation
// periods, `breaching` breach; the others of the evaluation periods are missing.
std::string state_of(const Alarm& alarm, int existing, int breaching) {
  const int missing = alarm.evaluation_periods - existing;
  const int wanted = alarm.datapoints();
  const auto alarm_if = [](bool holds) { return std::string(holds ? StateValue::kAlarm : StateValue::kOk); };
  if (alarm.treat_missing_data == "breaching") return alarm_if(breaching + missing >= wanted);
  if (alarm.treat_missing_data == "notBreaching") return alarm_if(breaching >= wanted);
  if (alarm.treat_missing_data == "ignore") {
    if (breaching >= wanted) return alarm_if(true);
    const bool says_nothing = existing == 0 || (missing > 0 && breaching == existing);
    return says_nothing ? alarm.state.value : alarm_if(false);
  }
  if (existing == 0) return std::string(StateValue::kInsufficientData);
  return alarm_if(breaching >= std::min(wanted, existing));
}

// "21/11/26 23:19:00"
std::string shown_time(base::Time time) {
  const std::string iso = base::iso_milliseconds(time);
  return cat(iso.substr(8, 2), "/", iso.substr(5, 2), "/", iso.substr(2, 2), " ", iso.substr(11, 8));
}

std::string reason_of(const Alarm& alarm, const Verdict& verdict, const std::vector<AlarmPoint>& used, int breaching) {
  if (used.empty() && verdict.state != StateValue::kInsufficientData && alarm.treat_missing_data != "ignore") {
    const int periods = alarm.evaluation_periods;
    return cat("Threshold Crossed: no datapoints were received for ", periods, periods == 1 ? " period" : " periods",
               " and ", periods, periods == 1 ? " missing datapoint was" : " missing datapoints were", " treated as [",
               alarm.treat_missing_data == "breaching" ? "Breaching" : "NonBreaching", "].");
  }
  if (used.empty()) {
    return cat("Insufficient Data: ", alarm.evaluation_periods,
               alarm.evaluation_periods == 1 ? " datapoint was unknown." : " datapoints were unknown.");
  }
  const bool is_alarm = verdict.state == StateValue::kAlarm;
  const int count = is_alarm ? breaching : static_cast<int>(used.size()) - breaching;
  std::string list;
  int listed = 0;
  for (const AlarmPoint& point : used) {
    if (breaches(alarm, point.value) != is_alarm) continue;
    if (listed++ == kListedPointsMax) break;
    list += cat(list.empty() ? "" : ", ", shown(point.value), " (", shown_time(point.begin), ")");
  }
  const std::string out_of = alarm.datapoints_to_alarm ? cat(" out of the last ", alarm.evaluation_periods) : "";
  // From five on the list stands in a sentence of its own.
  const bool is_long = count >= kListedPointsMax;
  const bool is_one = count == 1;
  std::string reason = cat("Threshold Crossed: ", count, out_of,
                           is_one && out_of.empty() ? " datapoint" : " datapoints", is_long ? "" : cat(" [", list, "]"),
                           is_one ? " was " : " were ", is_alarm ? "" : "not ", words_of(alarm), " the threshold (",
                           shown(alarm.threshold), ")");
  if (is_long) {
    reason += cat(". The most recent datapoints", is_alarm ? " which crossed the threshold: [" : ": [", list, "]");
  }
  if (!alarm.datapoints_to_alarm) return reason + ".";
  const int needed = is_alarm ? alarm.datapoints() : alarm.evaluation_periods - alarm.datapoints() + 1;
  return reason + cat(" (minimum ", needed, needed == 1 ? " datapoint" : " datapoints",
                      is_alarm ? " for OK -> ALARM transition)." : " for ALARM -> OK transition).");
}

// With the newest `count` of the datapoints.
std::string reason_data_of(const Alarm& alarm, const std::vector<AlarmPoint>& used, size_t count, base::Time now) {
  const std::span<const AlarmPoint> told = std::span(used).first(count);
  std::string out;
  json::Writer writer(out);
  const auto time = [&](std::string_view name, base::Time at) {
    writer.key(name);
    writer.string(base::iso_milliseconds(at) + "+0000");
  };
  writer.begin_object();
  writer.key("version");
  writer.string("1.0");
  time("queryDate", now);
  if (!used.empty()) time("startDate", used.back().begin);
  if (!alarm.unit.empty()) {
    writer.key("unit");
    writer.string(alarm.unit);
  }
  if (!alarm.is_math()) {
    writer.key("statistic");
    writer.string(alarm.statistic);
  }
  writer.key("period");
  writer.integer(alarm.period_seconds);
  writer.key("recentDatapoints");
  writer.begin_array();
  for (const AlarmPoint& point : told | std::views::reverse) json::write_decimal(writer, point.value);
  writer.end_array();
  writer.key("threshold");
  json::write_decimal(writer, alarm.threshold);
  writer.key("evaluatedDatapoints");
  writer.begin_array();
  for (const AlarmPoint& point : told) {
    writer.begin_object();
    time("timestamp", point.begin);
    if (!alarm.is_math()) {
      writer.key("sampleCount");
      json::write_decimal(writer, point.samples);
    }
    writer.key("value");
    json::write_decimal(writer, point.value);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  return out;
}

// As many of the newest as there is room for.
std::string reason_data_of(const Alarm& alarm, const std::vector<AlarmPoint>& used, base::Time now) {
  size_t count = used.size();
  while (true) {
    std::string data = reason_data_of(alarm, used, count, now);
    if (data.size() <= kReasonDataMax || count == 0) return data;
    count = std::min(count - 1, count * kReasonDataMax / data.size());
  }
}

// Of what an alarm's queries return.
Task<std::vector<AlarmPoint>> read_math(store::Snapshot& reader, const Alarm& alarm, Span span, base::Time now) {
  const auto& [account, region, name] = alarm.address;
  std::vector<AlarmPoint> points;
  try {
    const std::vector<MetricQuery> queries = queries_of(account, region, alarm.metrics, "Metrics");
    MetricMath math(reader, queries, {account, region}, {span.begin, span.end}, now);
    const auto returned = std::ranges::find_if(queries, &MetricQuery::is_returned);
    const auto all = co_await math.series_of(*returned);
    if (all.size() != 1) co_return points;  // of several nobody knows which is meant
    for (const lang::metrics::Point& point : all.front().points) {
      points.push_back({Seconds(std::chrono::seconds(point.time)), point.value});
    }
  } catch (const wire::Error&) {
    // An expression without a value: there is no data.
  }
  co_return points;
}

// In the order of time.
Task<std::vector<AlarmPoint>> read_span(store::Snapshot& reader, const Alarm& alarm, Span span, base::Time now) {
  if (alarm.is_math()) co_return co_await read_math(reader, alarm, span, now);
  std::optional<UnitNumber> unit;
  if (!alarm.unit.empty()) unit = number_of_unit(alarm.unit);
  const auto statistic = Statistic::parse(alarm.statistic);
  std::vector<AlarmPoint> points;
  if (!statistic) co_return points;
  const auto read = co_await read_statistic(reader, alarm.metric(), span, unit, *statistic);
  for (const Reduced& point : read) {
    if (point.value) points.push_back({point.begin, *point.value, point.samples});
  }
  co_return points;
}

}  // namespace

Verdict judge(const Alarm& alarm, const std::vector<AlarmPoint>& points, base::Time now) {
  std::vector<AlarmPoint> used = points;
  if (used.size() > static_cast<size_t>(alarm.evaluation_periods))
    used.resize(static_cast<size_t>(alarm.evaluation_periods));
  const auto breaching = static_cast<int>(
      std::ranges::count_if(used, [&](const AlarmPoint& point) { return breaches(alarm, point.value); }));
  Verdict verdict{.state = state_of(alarm, static_cast<int>(used.size()), breaching), .saw_data = !used.empty()};
  verdict.reason = reason_of(alarm, verdict, used, breaching);
  verdict.reason_data = reason_data_of(alarm, used, now);
  return verdict;
}

base::Time next_period(const Alarm& alarm, base::Time now) {
  const int64_t seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return base::Time(std::chrono::seconds((seconds / alarm.period_seconds + 1) * alarm.period_seconds));
}

Task<std::vector<AlarmPoint>> read_points(store::Snapshot& reader, const Alarm& alarm, base::Time now) {
  const std::chrono::seconds period(alarm.period_seconds);
  const auto end = std::chrono::floor<std::chrono::seconds>(next_period(alarm, now) - period);
  const Span span{.begin = end - (alarm.evaluation_periods + kMorePeriods) * period, .end = end, .period = period};
  auto points = co_await read_span(reader, alarm, span, now);
  std::ranges::reverse(points);
  co_return points;
}

Task<std::optional<base::Time>> end_of_coming_data(store::Snapshot& reader, const Alarm& alarm, base::Time now) {
  const std::chrono::seconds period(alarm.period_seconds);
  const auto begin = std::chrono::floor<std::chrono::seconds>(next_period(alarm, now) - period);
  const Span span{.begin = begin, .end = begin + (kAheadMax / period + 1) * period, .period = period};
  const auto points = co_await read_span(reader, alarm, span, now);
  if (points.empty()) co_return std::nullopt;
  co_return points.front().begin + period;
}

}  // namespace tidemill::cloudwatch
