// Where metrics lie in the store: KeySpace::metric, a part, and
//   's' string(account) string(region) string(namespace) string(name), string(name) string(value) of each dimension
//                                                     a metric: its id, and when values last came (metric_series.h)
//   'd' metric id, u8 tier, u8 unit, i64 seconds      what came in the period that begins then: a base::Distribution
//
// Tiers are periods of one second (only of values that came with that resolution), a minute, five minutes and an hour.
// Each value is counted in all of them at once, so that what is older only needs to be forgotten: AWS keeps them for
// three hours, 15, 63 and 455 days.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "services/cloudwatch/metric.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

inline constexpr size_t kMetricIdSize = 16;

struct Tier {
  uint8_t number = 0;
  std::chrono::seconds period;
  std::chrono::seconds kept;
};
inline constexpr Tier kSecondTier{0, std::chrono::seconds(1), std::chrono::hours(3)};
inline constexpr Tier kMinuteTier{1, std::chrono::minutes(1), std::chrono::days(15)};
inline constexpr Tier kFiveMinutesTier{2, std::chrono::minutes(5), std::chrono::days(63)};
inline constexpr Tier kHourTier{3, std::chrono::hours(1), std::chrono::days(455)};
inline constexpr std::array kTiers = {kSecondTier, kMinuteTier, kFiveMinutesTier, kHourTier};

using Seconds = std::chrono::sys_seconds;

[[nodiscard]] std::string series_key(const MetricId& metric);
// All metrics; those of an account's region; of a namespace there; of a name in it. Empty parts are left out.
[[nodiscard]] store::Range all_series_range();
[[nodiscard]] store::Range series_range(std::string_view account, std::string_view region, std::string_view name_space,
                                        std::string_view name);
[[nodiscard]] MetricId metric_of_series_key(std::string_view key);

[[nodiscard]] std::string period_key(std::string_view metric_id, const Tier& tier, UnitNumber unit, Seconds begin);
[[nodiscard]] store::Range periods_range(std::string_view metric_id, const Tier& tier, UnitNumber unit, Seconds begin,
                                         Seconds end);
[[nodiscard]] Seconds begin_of_period_key(std::string_view key);
[[nodiscard]] UnitNumber unit_of_period_key(std::string_view key);
// Everything of a metric, or of one of its tiers.
[[nodiscard]] store::Range metric_range(std::string_view metric_id);
[[nodiscard]] store::Range tier_range(std::string_view metric_id, const Tier& tier);

}  // namespace tidemill::cloudwatch
