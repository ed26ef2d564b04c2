// Several metrics' statistics at once. Answers are cut into pages of so many datapoints; a token says where the next one
// begins.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_reader.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/page_token.h"
#include "services/cloudwatch/statistic.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;

// "GetMetricData" in the API reference.
constexpr size_t kQueriesMax = 500;
constexpr size_t kDatapointsMax = 100'800;

struct Query {
  std::string id;
  std::string label;
  MetricId metric;
  Span span;
  Statistic statistic;
  std::optional<UnitNumber> unit;
  bool is_returned = true;
};

void check_id(const std::string& id, const std::string& at, std::set<std::string>& ids) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (id[0] < 'a' || id[0] > 'z' || !std::ranges::all_of(id, is_part)) {
    throw does_not_fit(cat("The value ", id, " for parameter ", at, ".Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$."));
  }
  if (!ids.insert(id).second) {
    throw does_not_fit("The values for parameter id in MetricDataQueries are not unique.");
  }
}

Query query_of(const shapes::MetricDataQuery& in, const std::string& at, const wire::Context& context,
               const shapes::GetMetricDataInput& request) {
  if (!in.metric_stat) {
    throw errors::missing_required_parameter_exception(cat("The parameter ", at, ".MetricStat is required."));
  }
  const shapes::MetricStat& stat = *in.metric_stat;
  if (!stat.metric.namespace_ || !stat.metric.metric_name) {
    throw errors::missing_required_parameter_exception(
        cat("The parameters ", at, ".MetricStat.Metric.Namespace and MetricName are required."));
  }
  const auto statistic = Statistic::parse(stat.stat);
  if (!statistic) throw invalid_value(at + ".MetricStat.Stat", stat.stat);
  Query query{.id = in.id,
              .label = in.label.value_or(*stat.metric.metric_name),
              .span = span_of(request.start_time, request.end_time, stat.period, context.now()),
              .statistic = *statistic,
              .is_returned = in.return_data.value_or(true)};
  if (query.label.find("${") != std::string::npos) throw not_supported(cat("a dynamic label in ", at, ".Label"));
  query.metric = {.account = context.account,
                  .region = context.region,
                  .name_space = *stat.metric.namespace_,
                  .name = *stat.metric.metric_name,
                  .dimensions = dimensions_of(stat.metric.dimensions, at + ".MetricStat.Metric.Dimensions")};
  if (stat.unit) query.unit = number_of_unit(*stat.unit);
  return query;
}

std::vector<Query> queries_of(const wire::Context& context, const shapes::GetMetricDataInput& request) {
  if (request.metric_data_queries.size() > kQueriesMax) throw collection_too_large("MetricDataQueries", kQueriesMax);
  if (request.start_time >= request.end_time) {
    throw errors::invalid_parameter_value_exception(
        "The parameter StartTime must be less than the parameter EndTime.");
  }
  std::vector<Query> queries;
  std::set<std::string> ids;
  std::set<std::string> statistics;
  std::set<int> periods;
  for (const shapes::MetricDataQuery& in : request.metric_data_queries) {
    if (!in.metric_stat) continue;
    statistics.insert(in.metric_stat->stat);
    periods.insert(in.metric_stat->period);
  }
  for (const shapes::MetricDataQuery& in : request.metric_data_queries) {
    const std::string at = cat("MetricDataQueries.member.", queries.size() + 1);
    check_id(in.id, at, ids);
    Query& query = queries.emplace_back(query_of(in, at, context, request));
    if (in.label) continue;
    // What tells the series apart: recorded against AWS by others, "metric1 Sum 60".
    if (statistics.size() > 1) query.label += cat(" ", in.metric_stat->stat);
    if (periods.size() > 1) query.label += cat(" ", in.metric_stat->period);
  }
  return queries;
}

using Series = std::vector<std::pair<Seconds, double>>;

Task<Series> evaluate(store::Snapshot& snapshot, const Query& query, bool ascending) {
  Series series;
  for (const auto& [begin, values] : one_series(co_await read_metric(snapshot, query.metric, query.span, query.unit))) {
    if (const auto value = query.statistic.of(values)) series.emplace_back(begin, *value);
    if (base::slice_is_over()) co_await base::give_way();
  }
  if (!ascending) std::ranges::reverse(series);
  co_return series;
}

}  // namespace

Task<shapes::GetMetricDataOutput> get_metric_data(Service& service, wire::Context& context,
                                                  const shapes::GetMetricDataInput& request) {
  const std::vector<Query> queries = queries_of(context, request);
  const bool ascending = request.scan_by == shapes::ScanBy::kTimestampAscending;
  size_t left = std::min(kDatapointsMax, static_cast<size_t>(request.max_datapoints.value_or(kDatapointsMax)));
  const PagePlace from = request.next_token ? decode_page_token(*request.next_token) : PagePlace{};
  co_await service.platform_writer().write_now();
  const auto snapshot = service.store().snapshot();
  shapes::GetMetricDataOutput out;
  out.metric_data_results.emplace();
  out.messages.emplace();
  for (size_t i = from.item; i < queries.size(); ++i) {
    const Query& query = queries[i];
    if (!query.is_returned) continue;
    if (left == 0) {
      out.next_token = encode_page_token({i, 0});
      break;
    }
    const Series series = co_await evaluate(*snapshot, query, ascending);
    const size_t begin = i == from.item ? std::min(from.offset, series.size()) : 0;
    const size_t end = std::min(series.size(), begin + left);
    left -= end - begin;
    shapes::MetricDataResult& result = out.metric_data_results->emplace_back();
    result = {.id = query.id, .label = query.label};
    result.status_code = end == series.size() ? "Complete" : "PartialData";
    result.timestamps.emplace();
    result.values.emplace();
    for (size_t point = begin; point < end; ++point) {
      result.timestamps->push_back(series[point].first);
      result.values->push_back(series[point].second);
    }
    if (end < series.size()) {
      out.next_token = encode_page_token({i, end});
      break;
    }
  }
  co_return out;
}

}  // namespace tidemill::cloudwatch
