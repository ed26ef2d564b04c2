// Evaluates queries (metric_query.h) over what is stored.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/cloudwatch/metric_query.h"
#include "services/cloudwatch/metric_reader.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

// A SEARCH finds no more, as on AWS.
inline constexpr size_t kSearchedMetricsMax = 500;
// Of a SEARCH that says none, nor its query.
inline constexpr int kSearchPeriodSeconds = 300;
// What all queries together may hold that others need.
inline constexpr size_t kMathPointsMax = 2'000'000;

// Of which time. Its periods are those of the queries; where they begin is span_of's matter.
struct TimeRange {
  base::Time begin;
  base::Time end;
};

class MetricMath {
 public:
  // Whose metrics a SEARCH finds.
  struct Place {
    std::string account;
    std::string region;
  };
  // All outlive this. Throws what span_of does.
  MetricMath(store::Snapshot& reader, const std::vector<MetricQuery>& queries, Place place, TimeRange range,
             base::Time now);

  // The value of a query, computed once. Throws ValidationError. Valid while this lives.
  Task<const lang::metrics::Value*> value_of(const MetricQuery& query);

  // The same of what is to be shown: one series or several.
  Task<std::vector<lang::metrics::Series>> series_of(const MetricQuery& query);

 private:
  class QueryEnvironment;
  [[nodiscard]] Span span_of_period(int period) const;
  [[nodiscard]] int period_of(const MetricQuery& query) const;
  Task<lang::metrics::Value> compute(const MetricQuery& query);
  Task<lang::metrics::Series> read(MetricId metric, int period, const Statistic& statistic,
                                   std::optional<UnitNumber> unit) const;
  Task<lang::metrics::SeriesList> search(const MetricQuery& query, const lang::metrics::SearchCall& call) const;
  [[nodiscard]] const MetricQuery* find(const std::string& id) const;
  void count(const lang::metrics::Value& value);

  store::Snapshot& reader_;
  const std::vector<MetricQuery>& queries_;
  const Place place_;
  const TimeRange range_;
  const base::Time now_;
  std::map<std::string, lang::metrics::Value> values_;  // by id
  size_t points_ = 0;
};

// What a query is called where it has no label: "m Sum 60" as far as the queries differ in these; of expressions its
// id.
[[nodiscard]] std::string label_of(const MetricQuery& query, const std::vector<MetricQuery>& all);

}  // namespace tidemill::cloudwatch
