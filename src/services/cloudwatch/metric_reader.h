// Reads what came to a metric, in periods. What came in one takes up to some ten kilobytes, and a span may have twenty
// thousand: so each is reduced to what is asked of it before the next is read.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/distribution.h"
#include "services/cloudwatch/metric_keys.h"
#include "services/cloudwatch/statistic.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

// Of which time and in which steps.
struct Span {
  Seconds begin;
  Seconds end;                  // not included
  std::chrono::seconds period;
};

// begin <= time < end as the request gave them, with the beginning where AWS puts it: on a whole minute, five minutes or
// hour by how long ago it is, and of periods below a minute on a multiple of the period. Throws InvalidParameterValue
// for a period that there is not (1, 5, 10, 20, 30 and multiples of 60 seconds; of 300 and 3,600 for what is older than
// 15 and 63 days).
[[nodiscard]] Span span_of(base::Time start, base::Time end, int period_seconds, base::Time now);

// Shown a period that has values: its unit and beginning, and what came.
using PeriodVisitor = std::function<void(UnitNumber, Seconds, const base::Distribution&)>;

// Unit by unit, or of one if it is given; of each in the order of time, but of periods below a minute those last that
// come of values by the minute.
Task<void> read_metric(store::Snapshot& reader, MetricId metric, Span span, std::optional<UnitNumber> unit,
                       const PeriodVisitor& visit);

struct Reduced {
  Seconds begin;
  std::optional<double> value;  // nothing: the values do not say it
  double samples = 0;
};

// In the order of time. Without a unit: of the one that has most, for those who get one series.
Task<std::vector<Reduced>> read_statistic(store::Snapshot& reader, MetricId metric, Span span,
                                          std::optional<UnitNumber> unit, Statistic statistic);

}  // namespace tidemill::cloudwatch
