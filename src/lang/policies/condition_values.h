// Inside: comparing what is no plain text. What cannot be read is like nothing: unordered, not equal, in no block.
#pragma once

#include <compare>
#include <string_view>

namespace tidemill::lang::policies {

// Decimal numbers, exactly.
[[nodiscard]] std::partial_ordering compare_numbers(std::string_view a, std::string_view b);

// ISO 8601 ("2026-11-23", "2026-11-23T07:30Z", "2026-11-23T07:30:00.5+01:00") or seconds since 1970.
[[nodiscard]] std::partial_ordering compare_dates(std::string_view a, std::string_view b);

// Both are base64.
[[nodiscard]] bool is_same_binary(std::string_view a, std::string_view b);

// Whether an address of version 4 or 6 is in "203.0.113.0/24", or is "2001:db8::1". An address of version 4 that is
// mapped into version 6 (::ffff:203.0.113.7) counts as what it is.
[[nodiscard]] bool is_in_block(std::string_view address, std::string_view block);

}  // namespace tidemill::lang::policies
