#include "services/cloudwatch/metric_math.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "lang/metrics/search.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_series.h"

namespace tidemill::cloudwatch {

using base::cat;
using lang::metrics::ExpressionError;
using lang::metrics::SearchCall;
using lang::metrics::Series;
using lang::metrics::SeriesList;
using lang::metrics::Value;

class MetricMath::QueryEnvironment : public lang::metrics::Environment {
 public:
  QueryEnvironment(const MetricMath& math, Span span) : math_(math) {
    begin = span.begin.time_since_epoch().count();
    end = span.end.time_since_epoch().count();
    period = span.period.count();
  }
  [[nodiscard]] const Value* find(const std::string& id) const override {
    const auto found = math_.values_.find(id);
    return found == math_.values_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::vector<std::pair<std::string, const Series*>> metrics() const override {
    std::vector<std::pair<std::string, const Series*>> all;
    for (const MetricQuery& query : math_.queries_) {
      const Value* value = query.metric ? find(query.id) : nullptr;
      if (value) all.emplace_back(query.id, &std::get<Series>(*value));
    }
    return all;
  }
  [[nodiscard]] const SeriesList* found(const SearchCall& call) const override {
    const auto at = searched_.find(call);
    return at == searched_.end() ? nullptr : &at->second;
  }
  std::map<SearchCall, SeriesList> searched_;

 private:
  const MetricMath& math_;
};

MetricMath::MetricMath(store::Snapshot& reader, const std::vector<MetricQuery>& queries, Place place, TimeRange range,
                       base::Time now)
    : reader_(reader), queries_(queries), place_(std::move(place)), range_(range), now_(now) {
  for (const MetricQuery& query : queries_) (void)span_of_period(period_of(query));
}

Span MetricMath::span_of_period(int period) const { return span_of(range_.begin, range_.end, period, now_); }

const MetricQuery* MetricMath::find(const std::string& id) const {
  const auto found = std::ranges::find(queries_, id, &MetricQuery::id);
  return found == queries_.end() ? nullptr : &*found;
}

// Of an expression that says none: the shortest of all metrics'.
int MetricMath::period_of(const MetricQuery& query) const {
  if (query.metric) return query.metric->period;
  if (query.period) return *query.period;
  int shortest = 0;
  for (const MetricQuery& other : queries_) {
    if (other.metric && (shortest == 0 || other.metric->period < shortest)) shortest = other.metric->period;
  }
  return shortest == 0 ? kSearchPeriodSeconds : shortest;
}

Task<Series> MetricMath::read(MetricId metric, int period, const Statistic& statistic,
                              std::optional<UnitNumber> unit) const {
  Series series{.label = metric.name, .period = period};
  const auto points = co_await read_statistic(reader_, metric, span_of_period(period), unit, statistic);
  for (const Reduced& point : points) {
    if (point.value) series.points.push_back({point.begin.time_since_epoch().count(), *point.value});
  }
  co_return series;
}

Task<SeriesList> MetricMath::search(const MetricQuery& query, const SearchCall& call) const {
  const lang::metrics::Search wanted = lang::metrics::Search::parse(call.text);
  const auto statistic = Statistic::parse(call.statistic);
  if (!statistic) throw ExpressionError(cat("The statistic ", call.statistic, " of a SEARCH is invalid"));
  std::vector<MetricId> metrics;
  const base::Time active_since = now_ - kListedFor;
  co_await reader_.scan(series_range(place_.account, place_.region, wanted.name_space(), ""), store::Direction::forward,
                        [&](std::string_view key, std::string_view value) {
                          MetricId metric = metric_of_series_key(key);
                          if (!wanted.matches({metric.name_space, metric.name, metric.dimensions})) return true;
                          if (decode_series(value).last_active + kActiveStep < active_since) return true;
                          metrics.push_back(std::move(metric));
                          return metrics.size() < kSearchedMetricsMax;
                        });
  const int period = call.period != 0 ? static_cast<int>(call.period) : query.period.value_or(kSearchPeriodSeconds);
  std::set<std::string> names;
  for (const MetricId& metric : metrics) names.insert(metric.name);
  SeriesList found;
  size_t points = 0;
  for (const MetricId& metric : metrics) {
    Series series = co_await read(metric, period, *statistic, std::nullopt);
    std::string label;
    for (const auto& [name, value] : metric.dimensions) label += cat(label.empty() ? "" : " ", value);
    if (names.size() > 1 || label.empty()) label += cat(label.empty() ? "" : " ", metric.name);
    series.label = std::move(label);
    points += series.points.size();
    if (points > kMathPointsMax) throw ExpressionError("There are too many datapoints");
    found.push_back(std::move(series));
  }
  co_return found;
}

void MetricMath::count(const Value& value) {
  if (const auto* one = std::get_if<Series>(&value)) points_ += one->points.size();
  if (const auto* many = std::get_if<SeriesList>(&value)) {
    for (const Series& series : *many) points_ += series.points.size();
  }
  if (points_ > kMathPointsMax) throw does_not_fit("The queries of the request come to too many datapoints.");
}

Task<Value> MetricMath::compute(const MetricQuery& query) {
  if (query.metric) {
    const MetricQuery::Metric& metric = *query.metric;
    Series series = co_await read(metric.id, metric.period, metric.statistic, metric.unit);
    series.label = query.label.value_or(label_of(query, queries_));
    co_return series;
  }
  // Queries need no one that needs them (queries_of).
  for (const std::string& id : query.expression->ids()) (void)co_await value_of(*find(id));
  if (query.expression->uses_metrics()) {
    for (const MetricQuery& other : queries_) {
      if (other.metric) (void)co_await value_of(other);
    }
  }
  QueryEnvironment environment(*this, span_of_period(period_of(query)));
  try {
    for (const SearchCall& call : query.expression->searches()) {
      environment.searched_.emplace(call, co_await search(query, call));
    }
    co_return co_await query.expression->evaluate(environment);
  } catch (const ExpressionError& error) {
    throw_expression_fault(query.id, error);
  }
}

Task<const Value*> MetricMath::value_of(const MetricQuery& query) {
  const auto known = values_.find(query.id);
  if (known != values_.end()) co_return &known->second;
  Value value = co_await compute(query);
  count(value);
  co_return &values_.emplace(query.id, std::move(value)).first->second;
}

Task<std::vector<Series>> MetricMath::series_of(const MetricQuery& query) {
  Value value = co_await compute(query);
  if (auto* one = std::get_if<Series>(&value)) {
    if (query.expression) one->label = query.label.value_or(query.id);
    co_return std::vector<Series>{std::move(*one)};
  }
  auto* many = std::get_if<SeriesList>(&value);
  if (!many) throw_expression_fault(query.id, ExpressionError("The expression must return a time series"));
  for (Series& series : *many) {
    if (query.label) series.label = cat(*query.label, " ", series.label);
  }
  co_return std::move(*many);
}

std::string label_of(const MetricQuery& query, const std::vector<MetricQuery>& all) {
  if (!query.metric) return query.id;
  std::set<std::string> statistics;
  std::set<int> periods;
  for (const MetricQuery& other : all) {
    if (!other.metric) continue;
    statistics.insert(other.metric->statistic_text);
    periods.insert(other.metric->period);
  }
  // What tells the series apart: recorded against AWS by others, "metric1 Sum 60".
  std::string label = query.metric->id.name;
  if (statistics.size() > 1) label += cat(" ", query.metric->statistic_text);
  if (periods.size() > 1) label += cat(" ", query.metric->period);
  return label;
}

}  // namespace tidemill::cloudwatch
