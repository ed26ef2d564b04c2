#include "services/cloudwatch/metric_reader.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

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

using Visit = std::function<void(Seconds, const base::Distribution&)>;

// Merges what comes in the order of time into the periods of a span, and shows each when the next begins.
class Periods {
 public:
  Periods(const Span& span, const Visit& visit) : span_(span), visit_(visit) {}

  void add(Seconds time, base::Distribution values) {
    const Seconds begin = span_.begin + (time - span_.begin) / span_.period * span_.period;
    if (begin_ == begin) {
      values_.merge(values);
      return;
    }
    show_last();
    begin_ = begin;
    values_ = std::move(values);
  }
  void show_last() {
    if (begin_) visit_(*begin_, values_);
    begin_.reset();
  }

 private:
  const Span span_;
  const Visit& visit_;
  std::optional<Seconds> begin_;
  base::Distribution values_;
};

// What is stored of one unit in one tier.
Task<void> read_tier(store::Snapshot& reader, std::string_view series, const Tier& tier, UnitNumber unit, Span span,
                     const Visit& visit) {
  Periods periods(span, visit);
  const store::Range range = periods_range(series, tier, unit, span.begin, span.end);
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    auto values = base::Distribution::decode(value);
    if (!values) throw std::runtime_error("a stored period of a metric is damaged");
    periods.add(begin_of_period_key(key), *std::move(values));
    return true;
  });
  periods.show_last();
}

// Of periods below a minute. Values of standard resolution belong to the beginning of their minute. Of a minute that
// has values by the second, those of the minute are the same again.
Task<void> read_seconds(store::Snapshot& reader, std::string_view series, UnitNumber unit, Span span,
                        const Visit& visit) {
  std::vector<Seconds> shown;
  co_await read_tier(reader, series, kSecondTier, unit, span, [&](Seconds begin, const base::Distribution& values) {
    shown.push_back(begin);
    visit(begin, values);
  });
  co_await read_tier(reader, series, kMinuteTier, unit, span, [&](Seconds begin, const base::Distribution& values) {
    const auto first = std::ranges::lower_bound(shown, begin);
    if (first == shown.end() || *first >= begin + kMinuteTier.period) visit(begin, values);
  });
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

Task<void> read_metric(store::Snapshot& reader, MetricId metric, Span span, std::optional<UnitNumber> unit,
                       const PeriodVisitor& visit) {
  const auto stored = co_await reader.get(series_key(metric));
  if (!stored) co_return;
  const MetricSeries series = decode_series(*stored);
  for (UnitNumber one = unit.value_or(0); one <= unit.value_or(kUnitNumberMax); ++one) {
    const Visit show = [&](Seconds begin, const base::Distribution& values) { visit(one, begin, values); };
    if (span.period < kMinuteTier.period)
      co_await read_seconds(reader, series.id, one, span, show);
    else
      co_await read_tier(reader, series.id, tier_for(span), one, span, show);
  }
}

Task<std::vector<Reduced>> read_statistic(store::Snapshot& reader, MetricId metric, Span span,
                                          std::optional<UnitNumber> unit, Statistic statistic) {
  std::vector<Reduced> most;
  std::vector<Reduced> points;  // of the unit that is read
  UnitNumber of = 0;
  const auto end_unit = [&] {
    if (points.size() > most.size()) std::swap(points, most);
    points.clear();
  };
  co_await read_metric(reader, std::move(metric), span, unit,
                       [&](UnitNumber number, Seconds begin, const base::Distribution& values) {
                         if (std::exchange(of, number) != number) end_unit();
                         points.push_back({begin, statistic.of(values), values.count()});
                       });
  end_unit();
  std::ranges::sort(most, {}, &Reduced::begin);
  co_return most;
}

}  // namespace tidemill::cloudwatch
