// Search expressions of metric math: which metrics SEARCH means. "Use search expressions in graphs" in the user guide.
//
//   {AWS/Lambda, FunctionName} MetricName="Errors" NOT FunctionName=("a" OR "b")
//
// In braces a namespace and the names of exactly the dimensions that a metric has; then terms, of which all hold unless
// OR or NOT stand between them. A term in double quotes is a whole value, otherwise words of one, in either case:
// "Errors", "errors" and "DeadLetterErrors" have the word errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/metrics/expression.h"

namespace tidemill::lang::metrics {

// "1,024 characters" in the user guide.
inline constexpr size_t kSearchSizeMax = 1024;

struct SearchedMetric {
  std::string_view name_space;
  std::string_view name;
  const std::vector<std::pair<std::string, std::string>>& dimensions;
};

class Search {
 public:
  // Throws ExpressionError.
  static Search parse(std::string_view text);

  // Of the schema; empty: any.
  [[nodiscard]] const std::string& name_space() const { return name_space_; }
  [[nodiscard]] bool matches(const SearchedMetric& metric) const;

 private:
  friend class SearchParser;
  struct Term;
  using TermPtr = std::shared_ptr<const Term>;
  static bool holds(const Term& term, const SearchedMetric& metric);

  bool has_schema_ = false;
  std::string name_space_;
  std::vector<std::string> dimensions_;  // in order
  TermPtr term_;                         // null: all
};

}  // namespace tidemill::lang::metrics
