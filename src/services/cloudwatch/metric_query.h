// Queries of GetMetricData and of alarms: statistics of metrics, and expressions over them (lang/metrics/expression.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/metrics/expression.h"
#include "services/cloudwatch/metric.h"
#include "services/cloudwatch/statistic.h"

namespace tidemill::cloudwatch {

struct MetricQuery {
  // Of a metric.
  struct Metric {
    MetricId id;
    int period = 60;  // seconds
    std::string statistic_text;
    Statistic statistic;
    std::optional<UnitNumber> unit;
  };

  std::string id;
  std::optional<std::string> label;
  bool is_returned = true;
  std::optional<Metric> metric;                         // this,
  std::optional<lang::metrics::Expression> expression;  // or that
  std::string expression_text;
  std::optional<int> period;  // of an expression
};

// "SUM(m1)" in query e1: throws ValidationError with what is wrong.
[[noreturn]] void throw_expression_fault(std::string_view id, const lang::metrics::ExpressionError& error);

// `parameter` is how messages call the list. Throws what AWS answers for queries that are not right by themselves, that
// have one id, or need one that there is not, or themselves.
[[nodiscard]] std::vector<MetricQuery> queries_of(std::string_view account, std::string_view region,
                                                  const std::vector<shapes::MetricDataQuery>& queries,
                                                  std::string_view parameter);
// The reverse, as the API shows them.
[[nodiscard]] shapes::MetricDataQuery shown(const MetricQuery& query);

}  // namespace tidemill::cloudwatch
