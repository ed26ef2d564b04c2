#include "services/cloudwatch/metric_reader.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_series.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;

constexpr int kPeriodSecondsMax = 86'400;

Seconds floor_to(Seconds time, std::chrono::seconds step) {
  const int64_t seconds = time.time_since_epoch().count();
  const int64_t size = step.count();
  return Seconds(std::chrono::seconds(seconds - ((seconds % size) + size) % size));
}

bool is_period(int seconds) {
  constexpr int kShort[] = {1, 5, 10, 20, 30};
  if (std::ranges::find(kShort, seconds) != std::end(kShort)) return true;
  return seconds > 0 && seconds % 60 == 0 && seconds <= kPeriodSecondsMax;
}

// The coarsest tier whose periods make up those that are asked for.
const Tier& tier_for(const Span& span) {
  const Tier* best = &kSecondTier;
  for (const Tier& tier : kTiers) {
    if (span.period % tier.period == 0s && floor_to(span.begin, tier.period) == span.begin) best = &tier;
  }
  return *best;
}

// What is stored of one unit in one tier.
Task<Points> read_tier(store::Snapshot& reader, std::string_view series, const Tier& tier, UnitNumber unit, Span span) {
  Points points;
  const store::Range range = periods_range(series, tier, unit, span.begin, span.end);
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    const auto values = base::Distribution::decode(value);
    if (!values) throw std::runtime_error("a stored period of a metric is damaged");
    const auto steps = (begin_of_period_key(key) - span.begin) / span.period;
    points[span.begin + steps * span.period].merge(*values);
    return true;
  });
  co_return points;
}

// Values of standard resolution belong to the beginning of their minute, as periods below one show them. Of a minute
// that has values by the second, those of the minute are the same again.
void add_minutes(Points& points, const Points& minutes) {
  for (const auto& [begin, values] : minutes) {
    const auto first = points.lower_bound(begin);
    if (first == points.end() || first->first >= begin + kMinuteTier.period) points.emplace(begin, values);
  }
}

}  // namespace

Span span_of(base::Time start, base::Time end, int period_seconds, base::Time now) {
  if (!is_period(period_seconds)) throw invalid_value("Period", std::to_string(period_seconds));
  const base::Duration age = now - start;
  const Tier& tier = age > kFiveMinutesTier.kept ? kHourTier : age > kMinuteTier.kept ? kFiveMinutesTier : kMinuteTier;
  if (tier.number != kMinuteTier.number && period_seconds % tier.period.count() != 0) {
    throw errors::invalid_parameter_value_exception(base::cat("The parameter Period must be a multiple of ",
                                                              tier.period.count(), " for a StartTime so long ago."));
  }
  Span span;
  span.period = std::chrono::seconds(period_seconds);
  span.begin = floor_to(std::chrono::floor<std::chrono::seconds>(start), span.period < 60s ? span.period : tier.period);
  span.end = std::chrono::ceil<std::chrono::seconds>(end);
  return span;
}

Task<std::map<UnitNumber, Points>> read_metric(store::Snapshot& reader, MetricId metric, Span span,
                                               std::optional<UnitNumber> unit) {
  std::map<UnitNumber, Points> result;
  const auto stored = co_await reader.get(series_key(metric));
  if (!stored) co_return result;
  const MetricSeries series = decode_series(*stored);
  const Tier& tier = tier_for(span);
  for (UnitNumber one = unit.value_or(0); one <= unit.value_or(kUnitNumberMax); ++one) {
    Points points = co_await read_tier(reader, series.id, tier, one, span);
    if (span.period < kMinuteTier.period) {
      add_minutes(points, co_await read_tier(reader, series.id, kMinuteTier, one, span));
    }
    if (!points.empty()) result.emplace(one, std::move(points));
  }
  co_return result;
}

Points one_series(std::map<UnitNumber, Points> by_unit) {
  const auto most = std::ranges::max_element(by_unit, {}, [](const auto& entry) { return entry.second.size(); });
  return most == by_unit.end() ? Points{} : std::move(most->second);
}

}  // namespace tidemill::cloudwatch
