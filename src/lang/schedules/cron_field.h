// Inside: one field of a cron expression.
#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <string_view>

namespace tidemill::lang::schedules {

struct FieldKind {
  int min;
  int max;
  std::span<const std::string_view> names;  // the first means `min`
  bool wraps = true;                        // "22-2" is 22 to the end and from the beginning to 2
};

// Bit n: the value min + n.
using FieldValues = std::bitset<256>;

// "*", "1,3-5,0/10": values, ranges and steps.
[[nodiscard]] std::optional<FieldValues> parse_field(const FieldKind& kind, std::string_view text);

// "7" or "JUL", in either case.
[[nodiscard]] std::optional<int> parse_field_value(const FieldKind& kind, std::string_view text);

}  // namespace tidemill::lang::schedules
