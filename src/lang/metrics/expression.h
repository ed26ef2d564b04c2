// Metric math: expressions over metrics, as GetMetricData and alarms have them. "Using math expressions with CloudWatch
// metrics" in the user guide.
//
//   const Expression expression = Expression::parse("100 * errors / SUM(METRICS())");   // throws ExpressionError
//   for (const std::string& id : expression.ids()) …        // which other queries it needs
//   const Value value = co_await expression.evaluate(env);  // throws ExpressionError
//
// Operators, by strength: ^; unary - ; * /; + -; == != < <= > >= (which give 1 and 0); AND &&; OR ||. Two series are
// combined at the times that both have; a scalar or a series with an array of series, one by one. What is no number
// (x/0, LOG(0)) is left out.
#pragma once

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "lang/metrics/series.h"

namespace tidemill::lang::metrics {

// How deep calls, parentheses and operators may nest.
inline constexpr int kExpressionDepthMax = 64;
// "2,048 characters" in the API reference.
inline constexpr size_t kExpressionSizeMax = 2048;
// What one value may hold, over all its series: beyond, the expression is refused.
inline constexpr size_t kPointsMax = 1'000'000;

class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A call of SEARCH: which metrics it means (search.h says how to find out), and how they are read.
struct SearchCall {
  std::string text;
  std::string statistic;
  int64_t period = 0;  // 0: not given
  auto operator<=>(const SearchCall&) const = default;
};

// What an expression stands in.
class Environment {
 public:
  virtual ~Environment() = default;

  // Of another query; null: there is none.
  [[nodiscard]] virtual const Value* find(const std::string& id) const = 0;
  // All queries that are metrics themselves, each with its id: METRICS().
  [[nodiscard]] virtual std::vector<std::pair<std::string, const Series*>> metrics() const = 0;
  // What a SEARCH has found.
  [[nodiscard]] virtual const SeriesList* found(const SearchCall& call) const = 0;
  // begin <= time < end, in seconds, and the steps between where no series says them: TIME_SERIES, FILL.
  int64_t begin = 0;
  int64_t end = 0;
  int64_t period = 60;
};

struct Node;

// Immutable, any thread.
class Expression {
 public:
  static Expression parse(std::string_view text);

  [[nodiscard]] const std::set<std::string>& ids() const { return ids_; }
  // Whether METRICS() is called.
  [[nodiscard]] bool uses_metrics() const { return uses_metrics_; }
  [[nodiscard]] const std::set<SearchCall>& searches() const { return searches_; }

  // Lets others have their turn. The environment outlives the task.
  Task<Value> evaluate(const Environment& environment) const;

 private:
  friend class ExpressionParser;
  std::shared_ptr<const Node> root_;
  std::set<std::string> ids_;
  std::set<SearchCall> searches_;
  bool uses_metrics_ = false;
};

}  // namespace tidemill::lang::metrics
