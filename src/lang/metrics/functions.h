// Inside: what functions and operators of metric math do with series. All of them throw ExpressionError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/metrics/expression.h"

namespace tidemill::lang::metrics {

// "Scalar", "TimeSeries", "Array[TimeSeries]"
[[nodiscard]] std::string_view type_name(const Value& value);

// One operator or function of numbers. Not finite: there is no value.
[[nodiscard]] double apply(std::string_view name, double a, double b);
[[nodiscard]] std::optional<double (*)(double)> point_function(std::string_view name);  // ABS, LOG, …
[[nodiscard]] Series of_each_point(const Series& series, double (*function)(double));

[[nodiscard]] Series combine(std::string_view name, const Series& a, const Series& b);
[[nodiscard]] Series combine(std::string_view name, const Series& a, double b);
[[nodiscard]] Series combine(std::string_view name, double a, const Series& b);

// AVG, MAX, MIN, STDDEV, SUM, DATAPOINT_COUNT of numbers; nothing: there are none, or no such function.
[[nodiscard]] std::optional<double> aggregate(std::string_view name, const std::vector<double>& numbers);
[[nodiscard]] bool is_aggregate(std::string_view name);
// Of all that several series have at each time.
[[nodiscard]] Series aggregate_across(std::string_view name, const SeriesList& all);

// From one series another: DIFF, DIFF_TIME, RATE, RUNNING_SUM, MINUTE, …; nothing: there is no such function.
[[nodiscard]] std::optional<Series> transform(std::string_view name, const Series& series);
[[nodiscard]] bool is_transform(std::string_view name);

enum class Filling { number, repeat, linear, series };
struct Fill {
  Filling how = Filling::number;
  double number = 0;
  const Series* series = nullptr;
};
[[nodiscard]] Series fill(const Series& series, const Fill& with, const Environment& environment);

// At each time in the environment.
[[nodiscard]] Series constant(double number, const Environment& environment);

// At the times of `condition`. What is no series counts at all times.
[[nodiscard]] Series choose(const Series& condition, const Value& yes, const Value& no);

}  // namespace tidemill::lang::metrics
