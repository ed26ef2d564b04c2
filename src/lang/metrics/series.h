// A metric's values in time, and what expressions make of them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tidemill::lang::metrics {

struct Point {
  int64_t time = 0;  // seconds since 1970: the beginning of its period
  double value = 0;
  bool operator==(const Point&) const = default;
};

struct Series {
  std::string label;
  int64_t period = 60;        // seconds
  std::vector<Point> points;  // in the order of time, one for a time; what is missing is left out
  bool operator==(const Series&) const = default;
};

using SeriesList = std::vector<Series>;

// A scalar (S), a time series (TS) or an array of time series (TS[]).
using Value = std::variant<double, Series, SeriesList>;

}  // namespace tidemill::lang::metrics
