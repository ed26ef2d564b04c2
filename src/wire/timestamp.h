// The three ways in which the protocols write a point in time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tidemill::wire {

enum class TimestampFormat {
  epoch_seconds,  // 1560209851.963: seconds since 1970 as a JSON number, at most milliseconds
  date_time,      // 2019-06-10T23:37:31.963Z
  http_date,      // Mon, 10 Jun 2019 23:37:31 GMT
};

[[nodiscard]] std::string format_timestamp(base::Time time, TimestampFormat format);
// Nothing if `text` is not of that format or not between the years 1 and 9999.
[[nodiscard]] std::optional<base::Time> parse_timestamp(std::string_view text, TimestampFormat format);
// Seconds since 1970; nothing beyond the years 1 and 9999.
[[nodiscard]] std::optional<base::Time> time_from_seconds(double seconds);

}  // namespace tidemill::wire
