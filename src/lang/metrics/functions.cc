#include "lang/metrics/functions.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/text.h"
#include "lang/metrics/node.h"

namespace tidemill::lang::metrics {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Arity {
  std::string_view name;
  size_t min = 1;
  size_t max = 1;
};
constexpr Arity kFunctions[] = {
    {"ABS"},         {"AVG"},          {"CEIL"},          {"DATAPOINT_COUNT"},
    {"DATE"},        {"DAY"},          {"DIFF"},          {"DIFF_TIME"},
    {"EPOCH"},       {"FILL", 2, 2},   {"FIRST"},         {"FLOOR"},
    {"HOUR"},        {"IF", 2, 3},     {"LAST"},          {"LOG"},
    {"LOG10"},       {"MAX"},          {"METRICS", 0, 1}, {"METRIC_COUNT"},
    {"MIN"},         {"MINUTE"},       {"MONTH"},         {"PERIOD"},
    {"RATE"},        {"REMOVE_EMPTY"}, {"RUNNING_SUM"},   {"SEARCH", 2, 3},
    {"SLICE", 2, 3}, {"SORT", 3, 4},   {"STDDEV"},        {"SUM"},
    {"TIME_SERIES"}, {"YEAR"},
};
// Known to AWS.
constexpr std::string_view kNotHere[] = {"ANOMALY_DETECTION_BAND", "DB_PERF_INSIGHTS", "INSIGHT_RULE_METRIC", "LAMBDA",
                                         "SERVICE_QUOTA"};

// What is no number is no point.
void add_point(Series& out, int64_t time, double value) {
  if (std::isfinite(value)) out.points.push_back({time, value});
}

template <class Function>
Series map_points(const Series& series, Function function) {
  Series out{.label = series.label, .period = series.period};
  out.points.reserve(series.points.size());
  for (const Point& point : series.points) add_point(out, point.time, function(point.value));
  return out;
}

double from_calendar(std::string_view name, int64_t time) {
  const std::chrono::sys_seconds moment{std::chrono::seconds(time)};
  const auto midnight = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(midnight);
  if (name == "MINUTE")
    return static_cast<double>(std::chrono::floor<std::chrono::minutes>(moment - midnight).count() % 60);
  if (name == "HOUR") return static_cast<double>(std::chrono::floor<std::chrono::hours>(moment - midnight).count());
  if (name == "DAY") return std::chrono::weekday(midnight).iso_encoding();  // 1 is Monday
  if (name == "DATE") return static_cast<unsigned>(date.day());
  if (name == "MONTH") return static_cast<unsigned>(date.month());
  if (name == "YEAR") return static_cast<int>(date.year());
  return static_cast<double>(time);  // EPOCH
}

constexpr std::string_view kCalendar[] = {"MINUTE", "HOUR", "DAY", "DATE", "MONTH", "YEAR", "EPOCH"};

// From each point and the one before it.
template <class Function>
Series map_steps(const Series& series, Function function) {
  Series out{.label = series.label, .period = series.period};
  for (size_t i = 1; i < series.points.size(); ++i) {
    add_point(out, series.points[i].time, function(series.points[i - 1], series.points[i]));
  }
  return out;
}

const Point* find_point(const Series& series, int64_t time) {
  const auto found = std::ranges::lower_bound(series.points, time, {}, &Point::time);
  return found != series.points.end() && found->time == time ? &*found : nullptr;
}

}  // namespace

bool is_option_word(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kWords = {"REPEAT", "LINEAR", "ASC", "DESC",  "AVG",
                                                             "MAX",    "MIN",    "SUM", "STDDEV"};
  return std::ranges::find(kWords, name) != kWords.end();
}

void check_call(const std::string& name, size_t arguments) {
  const auto found = std::ranges::find(kFunctions, name, &Arity::name);
  if (found == std::end(kFunctions)) {
    if (std::ranges::find(kNotHere, name) != std::end(kNotHere)) {
      throw ExpressionError(base::cat("Tidemill does not support the function ", name));
    }
    throw ExpressionError(base::cat("Unsupported function '", name, "'"));
  }
  if (arguments < found->min || arguments > found->max) {
    throw ExpressionError(base::cat("The function ", name, " does not take ", arguments, " arguments"));
  }
}

std::string_view type_name(const Value& value) {
  constexpr std::string_view kNames[] = {"Scalar", "TimeSeries", "Array[TimeSeries]"};
  return kNames[value.index()];
}

double apply(std::string_view name, double a, double b) {
  if (name == "+") return a + b;
  if (name == "-") return a - b;
  if (name == "*") return a * b;
  if (name == "/") return b == 0 ? kNone : a / b;
  if (name == "^") return std::pow(a, b);
  if (name == "==") return a == b;
  if (name == "!=") return a != b;
  if (name == "<") return a < b;
  if (name == "<=") return a <= b;
  if (name == ">") return a > b;
  if (name == ">=") return a >= b;
  if (name == "AND") return a != 0 && b != 0;
  return a != 0 || b != 0;  // OR
}

std::optional<double (*)(double)> point_function(std::string_view name) {
  if (name == "ABS") return [](double value) { return std::abs(value); };
  if (name == "CEIL") return [](double value) { return std::ceil(value); };
  if (name == "FLOOR") return [](double value) { return std::floor(value); };
  if (name == "LOG") return [](double value) { return std::log(value); };
  if (name == "LOG10") return [](double value) { return std::log10(value); };
  return std::nullopt;
}

Series of_each_point(const Series& series, double (*function)(double)) { return map_points(series, function); }

Series combine(std::string_view name, const Series& a, const Series& b) {
  Series out{.label = a.label, .period = std::max(a.period, b.period)};
  auto other = b.points.begin();
  for (const Point& point : a.points) {
    while (other != b.points.end() && other->time < point.time) ++other;
    if (other == b.points.end()) break;
    if (other->time != point.time) continue;
    add_point(out, point.time, apply(name, point.value, other->value));
  }
  return out;
}

Series combine(std::string_view name, const Series& a, double b) {
  return map_points(a, [&](double value) { return apply(name, value, b); });
}

Series combine(std::string_view name, double a, const Series& b) {
  return map_points(b, [&](double value) { return apply(name, a, value); });
}

bool is_aggregate(std::string_view name) {
  return name == "AVG" || name == "MAX" || name == "MIN" || name == "STDDEV" || name == "SUM" ||
         name == "DATAPOINT_COUNT";
}

std::optional<double> aggregate(std::string_view name, const std::vector<double>& numbers) {
  if (name == "DATAPOINT_COUNT") return static_cast<double>(numbers.size());
  if (numbers.empty()) return std::nullopt;
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  const double average = sum / static_cast<double>(numbers.size());
  if (name == "SUM") return sum;
  if (name == "AVG") return average;
  if (name == "MAX") return std::ranges::max(numbers);
  if (name == "MIN") return std::ranges::min(numbers);
  if (name != "STDDEV") return std::nullopt;
  double squares = 0;
  for (const double number : numbers) squares += (number - average) * (number - average);
  return std::sqrt(squares / static_cast<double>(numbers.size()));
}

Series aggregate_across(std::string_view name, const SeriesList& all) {
  Series out;
  std::map<int64_t, std::vector<double>> by_time;
  for (const Series& series : all) {
    out.period = std::max(&series == &all.front() ? 0 : out.period, series.period);
    for (const Point& point : series.points) by_time[point.time].push_back(point.value);
  }
  for (const auto& [time, numbers] : by_time) {
    const auto value = aggregate(name, numbers);
    if (value) add_point(out, time, *value);
  }
  return out;
}

bool is_transform(std::string_view name) {
  return name == "DIFF" || name == "DIFF_TIME" || name == "RATE" || name == "RUNNING_SUM" ||
         std::ranges::find(kCalendar, name) != std::end(kCalendar);
}

std::optional<Series> transform(std::string_view name, const Series& series) {
  if (name == "DIFF") return map_steps(series, [](const Point& a, const Point& b) { return b.value - a.value; });
  if (name == "DIFF_TIME") {
    return map_steps(series, [](const Point& a, const Point& b) { return static_cast<double>(b.time - a.time); });
  }
  if (name == "RATE") {
    return map_steps(series, [](const Point& a, const Point& b) {
      return (b.value - a.value) / static_cast<double>(b.time - a.time);
    });
  }
  if (name == "RUNNING_SUM") {
    double sum = 0;
    return map_points(series, [&](double value) { return sum += value; });
  }
  if (std::ranges::find(kCalendar, name) == std::end(kCalendar)) return std::nullopt;
  Series out = series;
  for (Point& point : out.points) point.value = from_calendar(name, point.time);
  return out;
}

Series fill(const Series& series, const Fill& with, const Environment& environment) {
  Series out{.label = series.label, .period = series.period};
  const int64_t period = std::max<int64_t>(series.period, 1);
  // Where the series stands, or where one of its period would.
  const int64_t phase = series.points.empty() ? 0 : ((series.points.front().time % period) + period) % period;
  int64_t time = environment.begin - (((environment.begin - phase) % period) + period) % period;
  if (time < environment.begin) time += period;
  auto next = series.points.begin();
  const Point* last = nullptr;
  for (; time < environment.end; time += period) {
    if (out.points.size() > kPointsMax) throw ExpressionError("There are too many periods to fill");
    while (next != series.points.end() && next->time < time) last = &*next++;
    if (next != series.points.end() && next->time == time) {
      out.points.push_back(*next);
      last = &*next++;
      continue;
    }
    if (with.how == Filling::number) {
      add_point(out, time, with.number);
    } else if (with.how == Filling::repeat) {
      if (last) out.points.push_back({time, last->value});
    } else if (with.how == Filling::linear) {
      if (!last || next == series.points.end()) continue;
      const double part = static_cast<double>(time - last->time) / static_cast<double>(next->time - last->time);
      add_point(out, time, std::lerp(last->value, next->value, part));  // exact between equal ends
    } else if (const Point* other = find_point(*with.series, time)) {
      out.points.push_back({time, other->value});
    }
  }
  return out;
}

Series constant(double number, const Environment& environment) {
  Series out{.period = environment.period};
  if (!std::isfinite(number)) return out;
  return fill(out, {.number = number}, environment);
}

Series choose(const Series& condition, const Value& yes, const Value& no) {
  Series out{.label = condition.label, .period = condition.period};
  for (const Point& point : condition.points) {
    const Value& chosen = point.value != 0 ? yes : no;
    if (const auto* number = std::get_if<double>(&chosen)) {
      add_point(out, point.time, *number);
    } else if (const auto* series = std::get_if<Series>(&chosen)) {
      if (const Point* found = find_point(*series, point.time)) out.points.push_back(*found);
    }
  }
  return out;
}

}  // namespace tidemill::lang::metrics
