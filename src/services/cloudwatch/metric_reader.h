// Reads what came to a metric, in periods.
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "base/clock.h"
#include "base/distribution.h"
#include "services/cloudwatch/metric_keys.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

using Points = std::map<Seconds, base::Distribution>;  // by the beginnings of their periods

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

// By unit; of one unit only if it is given. Periods without values are left out.
Task<std::map<UnitNumber, Points>> read_metric(store::Snapshot& reader, MetricId metric, Span span,
                                               std::optional<UnitNumber> unit);

// The unit that has most; empty: there is nothing. For those who do not ask for a unit and get one series.
[[nodiscard]] Points one_series(std::map<UnitNumber, Points> by_unit);

}  // namespace tidemill::cloudwatch
