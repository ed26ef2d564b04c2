// Inside: dates by pictures, which are those of fn:format-dateTime of XPath 3.1 (www.w3.org/TR/xpath-functions-31,
// section 9.8.4), and in ISO 8601. Times are milliseconds since 1970 in UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::lang::jsonata {

inline constexpr std::string_view kIsoPicture = "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]";

// `zone` is ±hhmm. Throws D3110 if the time is beyond what dates can say, D3132 to D3135.
[[nodiscard]] std::string format_date(double millis, std::string_view picture, std::string_view zone);
// Nothing: the text does not look like the picture. What stands left of the first given component is taken from `now`.
// Throws D3132 to D3136.
[[nodiscard]] std::optional<double> parse_date(std::string_view text, std::string_view picture, double now);
// Throws D3110.
[[nodiscard]] double parse_iso_date(std::string_view text);

}  // namespace tidemill::lang::jsonata
