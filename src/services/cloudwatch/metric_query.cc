#include "services/cloudwatch/metric_query.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "services/cloudwatch/errors.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

void check_id(const std::string& id, const std::string& at, std::set<std::string>& ids) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (id.empty() || id[0] < 'a' || id[0] > 'z' || !std::ranges::all_of(id, is_part)) {
    throw does_not_fit(
        cat("The value ", id, " for parameter ", at, ".Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$."));
  }
  if (!ids.insert(id).second) {
    throw does_not_fit("The values for parameter id in MetricDataQueries are not unique.");
  }
}

MetricQuery::Metric metric_of(std::string_view account, std::string_view region, const shapes::MetricStat& stat,
                              const std::string& at) {
  if (!stat.metric.namespace_ || !stat.metric.metric_name) {
    throw errors::missing_required_parameter_exception(
        cat("The parameters ", at, ".MetricStat.Metric.Namespace and MetricName are required."));
  }
  const auto statistic = Statistic::parse(stat.stat);
  if (!statistic) throw invalid_value(at + ".MetricStat.Stat", stat.stat);
  MetricQuery::Metric metric{.period = stat.period, .statistic_text = stat.stat, .statistic = *statistic};
  metric.id = {.account = std::string(account),
               .region = std::string(region),
               .name_space = *stat.metric.namespace_,
               .name = *stat.metric.metric_name,
               .dimensions = dimensions_of(stat.metric.dimensions, at + ".MetricStat.Metric.Dimensions")};
  if (stat.unit) metric.unit = number_of_unit(*stat.unit);
  return metric;
}

MetricQuery query_of(std::string_view account, std::string_view region, const shapes::MetricDataQuery& in,
                     const std::string& at) {
  if (in.metric_stat && in.expression) {
    throw errors::invalid_parameter_combination_exception(
        cat("The parameters ", at, ".Expression and ", at,
            ".MetricStat are mutually exclusive and you have specified both."));
  }
  if (!in.metric_stat && !in.expression) {
    throw errors::missing_required_parameter_exception(cat("The parameter ", at, ".MetricStat is required."));
  }
  MetricQuery query{.id = in.id, .label = in.label, .is_returned = in.return_data.value_or(true)};
  if (query.label && query.label->find("${") != std::string::npos) {
    throw not_supported(cat("a dynamic label in ", at, ".Label"));
  }
  if (in.metric_stat) {
    query.metric = metric_of(account, region, *in.metric_stat, at);
    return query;
  }
  query.expression_text = *in.expression;
  query.period = in.period;
  try {
    query.expression = lang::metrics::Expression::parse(query.expression_text);
  } catch (const lang::metrics::ExpressionError& error) {
    throw_expression_fault(query.id, error);
  }
  return query;
}

// Each needs only what there is, and not itself.
void check_references(const std::vector<MetricQuery>& queries) {
  std::map<std::string, const MetricQuery*> by_id;
  for (const MetricQuery& query : queries) by_id[query.id] = &query;
  enum class Mark { none, open, done };
  std::map<std::string, Mark> marks;
  const std::function<void(const MetricQuery&)> visit = [&](const MetricQuery& query) {
    Mark& mark = marks[query.id];
    if (mark == Mark::done) return;
    if (mark == Mark::open) {
      throw_expression_fault(query.id, lang::metrics::ExpressionError("The expression refers to itself"));
    }
    mark = Mark::open;
    if (query.expression) {
      for (const std::string& id : query.expression->ids()) {
        const auto found = by_id.find(id);
        if (found == by_id.end()) {
          throw_expression_fault(query.id, lang::metrics::ExpressionError(cat("'", id, "' is not defined")));
        }
        visit(*found->second);
      }
    }
    marks[query.id] = Mark::done;
  };
  for (const MetricQuery& query : queries) visit(query);
}

}  // namespace

void throw_expression_fault(std::string_view id, const lang::metrics::ExpressionError& error) {
  throw does_not_fit(cat("Error in expression '", id, "': ", error.what()));
}

std::vector<MetricQuery> queries_of(std::string_view account, std::string_view region,
                                    const std::vector<shapes::MetricDataQuery>& queries, std::string_view parameter) {
  std::vector<MetricQuery> result;
  std::set<std::string> ids;
  for (const shapes::MetricDataQuery& in : queries) {
    const std::string at = cat(parameter, ".member.", result.size() + 1);
    check_id(in.id, at, ids);
    result.push_back(query_of(account, region, in, at));
  }
  check_references(result);
  return result;
}

shapes::MetricDataQuery shown(const MetricQuery& query) {
  shapes::MetricDataQuery out{.id = query.id};
  out.label = query.label;
  out.return_data = query.is_returned;
  if (query.expression) {
    out.expression = query.expression_text;
    out.period = query.period;
    return out;
  }
  const MetricQuery::Metric& metric = *query.metric;
  shapes::MetricStat& stat = out.metric_stat.emplace();
  stat.metric.namespace_ = metric.id.name_space;
  stat.metric.metric_name = metric.id.name;
  stat.metric.dimensions = shown(metric.id.dimensions);
  stat.period = metric.period;
  stat.stat = metric.statistic_text;
  if (metric.unit) stat.unit = std::string(unit_of_number(*metric.unit));
  return out;
}

}  // namespace tidemill::cloudwatch
