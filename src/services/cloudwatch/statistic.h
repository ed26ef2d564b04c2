// Statistics: what a period's values are reduced to. "Statistics definitions" in the user guide:
//   SampleCount Average Sum Minimum Maximum
//   p99.9                       percentile
//   tm90 tm(10%:90%) tm(:500)   trimmed mean; wm the same with what is trimmed at the bounds; also as 90 = (0%:90%)
//   tc ts                       how many are within, and their sum
//   PR(:300) PR(100:2000)       percent of the values above the first and up to the second
//   IQM                         tm(25%:75%)
#pragma once

#include <optional>
#include <string_view>

#include "base/distribution.h"

namespace tidemill::cloudwatch {

class Statistic {
 public:
  // Nothing: it is none.
  static std::optional<Statistic> parse(std::string_view text);

  // Nothing: the values do not say it, since where they lie is not known.
  [[nodiscard]] std::optional<double> of(const base::Distribution& values) const;
  [[nodiscard]] bool is_extended() const { return kind_ >= Kind::percentile; }

 private:
  enum class Kind {
    sample_count,
    average,
    sum,
    minimum,
    maximum,
    percentile,
    trimmed_mean,
    winsorized_mean,
    trimmed_count,
    trimmed_sum,
    percent_rank,
  };
  static std::optional<Statistic> parse_range(Kind kind, std::string_view text);
  [[nodiscard]] std::optional<double> trimmed(const base::Distribution& values) const;

  Kind kind_ = Kind::average;
  double percent_ = 0;  // of a percentile
  // Of the others. Bounds are percentages of the values or values.
  bool is_percent_ = true;
  std::optional<double> low_;
  std::optional<double> high_;
};

}  // namespace tidemill::cloudwatch
