// Points and spans of time as FHIR writes them: the fewer digits, the longer the span (FHIR R4, "Search", date).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tidemill::lang::fhir {

// Half open: begin <= moment < end.
struct TimeRange {
  base::Time begin;
  base::Time end;
  bool operator==(const TimeRange&) const = default;
};

inline constexpr base::Time kBeginningOfTime = base::Time::min();
inline constexpr base::Time kEndOfTime = base::Time::max();

// "2024", "2024-03", "2024-03-14", "2024-03-14T08:30", "…T08:30:15", "…T08:30:15.123" with "Z", "+02:00" or nothing
// (UTC) behind a time; a space stands for the '+' that it was in a query. Years 0001 to 9999. Nothing: it is none.
[[nodiscard]] std::optional<TimeRange> parse_time(std::string_view text);

// "2024-03-14T08:30:15.123Z": an instant, in milliseconds.
[[nodiscard]] std::string write_instant(base::Time time);

// How a search compares.
enum class Prefix { eq, ne, gt, lt, ge, le, sa, eb };

// "ge2024" -> ge and "2024"; eq where there is none. Nothing: two letters that are no prefix ("ap" is not supported).
struct Prefixed {
  Prefix prefix = Prefix::eq;
  std::string_view value;
};
[[nodiscard]] std::optional<Prefixed> split_prefix(std::string_view text);

// Whether what a resource says (`target`) stands to what is searched for as the prefix says.
[[nodiscard]] bool compare(Prefix prefix, const TimeRange& target, const TimeRange& searched);

}  // namespace tidemill::lang::fhir
