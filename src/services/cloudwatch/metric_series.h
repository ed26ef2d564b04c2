// A metric that has had values: its record.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/cloudwatch/metric_keys.h"

namespace tidemill::cloudwatch {

// Metrics without values for so long are not listed any more, as on AWS.
inline constexpr base::Duration kListedFor = std::chrono::days(14);
// How exactly it is kept when values last came.
inline constexpr base::Duration kActiveStep = std::chrono::minutes(5);

struct MetricSeries {
  std::string id;          // kMetricIdSize random bytes
  base::Time last_active;  // when values last came, to within kActiveStep
};

[[nodiscard]] MetricSeries new_series(base::Time now);
[[nodiscard]] std::string encode_series(const MetricSeries& series);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] MetricSeries decode_series(std::string_view bytes);

}  // namespace tidemill::cloudwatch
