#include "services/cloudwatch/metric_keys.h"

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::cloudwatch {
namespace {

constexpr char kSeries = 's';
constexpr char kPeriod = 'd';
constexpr size_t kPrefixSize = 2;  // the key space and the part

std::string prefix(char part) { return {static_cast<char>(store::KeySpace::metric), part}; }

std::string tier_prefix(std::string_view metric_id, const Tier& tier) {
  std::string key = prefix(kPeriod);
  base::append_fixed(key, metric_id);
  base::append_u8(key, tier.number);
  return key;
}

}  // namespace

std::string series_key(const MetricId& metric) {
  std::string key = prefix(kSeries);
  for (const std::string* part : {&metric.account, &metric.region, &metric.name_space, &metric.name}) {
    base::append_string(key, *part);
  }
  for (const auto& [name, value] : metric.dimensions) {
    base::append_string(key, name);
    base::append_string(key, value);
  }
  return key;
}

store::Range all_series_range() { return store::Range::prefix(prefix(kSeries)); }

store::Range series_range(std::string_view account, std::string_view region, std::string_view name_space,
                          std::string_view name) {
  std::string key = prefix(kSeries);
  for (const std::string_view part : {account, region, name_space, name}) {
    if (part.empty()) break;
    base::append_string(key, part);
  }
  return store::Range::prefix(key);
}

MetricId metric_of_series_key(std::string_view key) {
  base::OrderedReader reader(key.substr(kPrefixSize));
  MetricId metric;
  metric.account = reader.string();
  metric.region = reader.string();
  metric.name_space = reader.string();
  metric.name = reader.string();
  while (reader.ok() && !reader.at_end()) {
    std::string name = reader.string();
    metric.dimensions.emplace_back(std::move(name), reader.string());
  }
  return metric;
}

std::string period_key(std::string_view metric_id, const Tier& tier, UnitNumber unit, Seconds begin) {
  std::string key = tier_prefix(metric_id, tier);
  base::append_u8(key, unit);
  base::append_i64(key, begin.time_since_epoch().count());
  return key;
}

store::Range periods_range(std::string_view metric_id, const Tier& tier, UnitNumber unit, Seconds begin, Seconds end) {
  return {period_key(metric_id, tier, unit, begin), period_key(metric_id, tier, unit, std::max(begin, end))};
}

Seconds begin_of_period_key(std::string_view key) {
  base::OrderedReader reader(key.substr(kPrefixSize + kMetricIdSize + 2));
  return Seconds(std::chrono::seconds(reader.i64()));
}

UnitNumber unit_of_period_key(std::string_view key) {
  return base::OrderedReader(key.substr(kPrefixSize + kMetricIdSize + 1)).u8();
}

store::Range metric_range(std::string_view metric_id) {
  return store::Range::prefix(prefix(kPeriod).append(metric_id));
}

store::Range tier_range(std::string_view metric_id, const Tier& tier) {
  return store::Range::prefix(tier_prefix(metric_id, tier));
}

}  // namespace tidemill::cloudwatch
