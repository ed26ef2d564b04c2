#include "services/cloudwatch/retention.h"

#include <algorithm>

#include "services/cloudwatch/metric_keys.h"
#include "services/cloudwatch/metric_series.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kInterval = 1h;
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

Task<void> forget_of_metric(store::Transaction& txn, const std::string& key, const MetricSeries& series,
                            base::Time now) {
  for (const Tier& tier : kTiers) {
    const auto oldest_kept = std::chrono::floor<std::chrono::seconds>(now - tier.kept);
    for (const UnitNumber unit : co_await units_of(txn, series.id, tier)) {
      const store::Range outlived = periods_range(series.id, tier, unit, Seconds::min(), oldest_kept);
      bool is_any = false;
      co_await txn.scan_untracked(outlived, store::first(1),
                                  [&](std::string_view, std::string_view) { return is_any = true; });
      if (is_any) txn.erase_range(outlived);
    }
  }
  if (now - series.last_active > kHourTier.kept + kActiveStep) {
    // Who writes to the metric reads its record, and so conflicts with this.
    (void)co_await txn.get(key);
    txn.erase(key);
    txn.erase_range(metric_range(series.id));
  }
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
  if (co_await store::timer_due(txn, kRetentionTimer, "all")) co_return;
  co_await store::set_timer(txn, timer_at(now + kInterval));
}

Task<void> forget_outlived(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  std::string after;
  bool is_any = false;
  for (bool is_last = false; !is_last;) {
    const Page page = co_await store.transact([&](store::Transaction& txn) -> Task<Page> {
      Page found = co_await next_page(txn, after);
      for (const auto& [key, series] : found.metrics) co_await forget_of_metric(txn, key, series, clock.now());
      co_return found;
    });
    is_last = page.is_last;
    is_any = is_any || !page.metrics.empty();
    if (!page.metrics.empty()) after = page.metrics.back().first;
  }
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !is_any) co_return;
    co_await store::set_timer(txn, timer_at(clock.now() + kInterval));
  });
}

}  // namespace tidemill::cloudwatch
