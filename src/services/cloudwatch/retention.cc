#include "services/cloudwatch/retention.h"

#include <algorithm>

#include "services/cloudwatch/metric_keys.h"
#include "services/cloudwatch/metric_series.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kInterval = 1h;
// What has outlived its tier may stay for so much of what the tier keeps, so that values of long ago, which end one
// period after the other, are forgotten by the heap. Readers do not see them.
constexpr int kLateFraction = 24;
// Metrics that are looked at in one transaction.
constexpr size_t kMetricsAtOnce = 200;

store::Timer timer_at(base::Time due) { return {.kind = std::string(kRetentionTimer.name), .id = "all", .due = due}; }

// The units that a tier has, by one look at each.
Task<std::vector<UnitNumber>> units_of(store::Transaction& txn, std::string_view metric_id, const Tier& tier) {
  std::vector<UnitNumber> units;
  store::Range range = tier_range(metric_id, tier);
  while (true) {
    std::optional<UnitNumber> next;
    co_await txn.scan_untracked(range, store::first(1), [&](std::string_view key, std::string_view) {
      next = unit_of_period_key(key);
      return true;
    });
    if (!next) co_return units;
    units.push_back(*next);
    range.begin = period_key(metric_id, tier, static_cast<UnitNumber>(*next + 1), Seconds::min());
  }
}

// The first period of a unit that begins at or after `begin`.
Task<std::optional<Seconds>> first_period(store::Transaction& txn, const std::string& metric_id, const Tier& tier,
                                          UnitNumber unit, Seconds begin) {
  std::optional<Seconds> first;
  co_await txn.scan_untracked(periods_range(metric_id, tier, unit, begin, Seconds::max()), store::first(1),
                              [&](std::string_view key, std::string_view) {
                                first = begin_of_period_key(key);
                                return true;
                              });
  co_return first;
}

// Answers when to look at the metric again.
Task<base::Time> forget_of_metric(store::Transaction& txn, const std::string& key, const MetricSeries& series,
                                  base::Time now) {
  base::Time next = series.last_active + kHourTier.kept + kActiveStep + kInterval;
  for (const Tier& tier : kTiers) {
    const auto oldest_kept = std::chrono::floor<std::chrono::seconds>(now - tier.kept);
    for (const UnitNumber unit : co_await units_of(txn, series.id, tier)) {
      const auto outlived = co_await first_period(txn, series.id, tier, unit, Seconds::min());
      if (outlived && *outlived < oldest_kept) {
        txn.erase_range(periods_range(series.id, tier, unit, Seconds::min(), oldest_kept));
      }
      const auto kept = co_await first_period(txn, series.id, tier, unit, oldest_kept);
      if (kept) next = std::min<base::Time>(next, *kept + tier.kept + tier.kept / kLateFraction);
    }
  }
  if (now - series.last_active > kHourTier.kept + kActiveStep) {
    // Who writes to the metric reads its record, and so conflicts with this.
    (void)co_await txn.get(key);
    txn.erase(key);
    txn.erase_range(metric_range(series.id));
  }
  co_return next;
}

struct Page {
  std::vector<std::pair<std::string, MetricSeries>> metrics;
  bool is_last = true;
};

Task<Page> next_page(store::Transaction& txn, const std::string& after) {
  store::Range range = all_series_range();
  if (!after.empty()) range.begin = after + '\0';
  Page page;
  co_await txn.scan_untracked(range, store::first(kMetricsAtOnce + 1), [&](std::string_view key, std::string_view value) {
    if (page.metrics.size() == kMetricsAtOnce) {
      page.is_last = false;
      return false;
    }
    page.metrics.emplace_back(key, decode_series(value));
    return true;
  });
  co_return page;
}

}  // namespace

Task<void> start_retention(store::Transaction& txn, base::Time now) {
  const auto due = co_await store::timer_due(txn, kRetentionTimer, "all");
  if (due && *due <= now + kInterval) co_return;
  co_await store::set_timer(txn, timer_at(now + kInterval));
}

Task<void> forget_outlived(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  std::string after;
  std::optional<base::Time> next;
  for (bool is_last = false; !is_last;) {
    std::optional<base::Time> next_of_page;
    const Page page = co_await store.transact([&](store::Transaction& txn) -> Task<Page> {
      next_of_page.reset();
      Page found = co_await next_page(txn, after);
      for (const auto& [key, series] : found.metrics) {
        const base::Time again = co_await forget_of_metric(txn, key, series, clock.now());
        next_of_page = std::min(next_of_page.value_or(again), again);
      }
      co_return found;
    });
    is_last = page.is_last;
    if (next_of_page) next = std::min(next.value_or(*next_of_page), *next_of_page);
    if (!page.metrics.empty()) after = page.metrics.back().first;
  }
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !next) co_return;
    co_await store::set_timer(txn, timer_at(std::max(*next, clock.now() + kInterval)));
  });
}

}  // namespace tidemill::cloudwatch
