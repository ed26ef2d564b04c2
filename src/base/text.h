// Making text of parts; what std::format would do, which this standard library lacks.
//
//   cat("shard ", id, " has ", count, " records")     strings, characters and integers, one after the other; nothing
//                                                   else compiles, not even what would turn into a character
//   cat(fixed(3.14159, 2), " ms")                     "3.14 ms"
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tidemill::base {

// With `digits` places after the point.
[[nodiscard]] std::string fixed(double number, int digits);

// Lower case, filled with zeros to `width`.
[[nodiscard]] std::string hex(uint64_t number, int width);

// "2026-11-21T00:22:50.123", UTC, no zone.
[[nodiscard]] std::string iso_milliseconds(Time time);

namespace detail {
inline void append_part(std::string& out, std::string_view part) { out.append(part); }
// Templates, so that nothing is converted: a double or an enumerator would be a character, too.
void append_part(std::string& out, std::same_as<char> auto part) { out.push_back(part); }
void append_part(std::string& out, std::integral auto part)
  requires(!std::same_as<decltype(part), char> && !std::same_as<decltype(part), bool>)
{
  out.append(std::to_string(part));
}
}  // namespace detail

template <class Part>
concept Catable = requires(std::string& out, const Part& part) { detail::append_part(out, part); };

[[nodiscard]] std::string cat(const auto&... parts)
  requires(Catable<std::remove_cvref_t<decltype(parts)>> && ...)
{
  std::string out;
  (detail::append_part(out, parts), ...);
  return out;
}

}  // namespace tidemill::base
