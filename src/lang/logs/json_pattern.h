// Inside: patterns of messages that are JSON.
//
//   { $.user.id = 7 && ($.events[0].kind != "x*" || $.tags[*] = %^a%) && $.note NOT EXISTS && $.old IS TRUE }
//
// A selector is '$' and steps: .name  .*  [3]  [*]  ["name"]. One with a wildcard holds if any of its values does.
// A comparison of a member that is not there does not hold, != neither.
#pragma once

#include <memory>

#include "lang/logs/filter_pattern.h"
#include "lang/logs/pattern_text.h"

namespace tidemill::lang::logs {

// Wildcards in one pattern, and in one selector.
inline constexpr int kWildcardsMax = 3;

// From '{' on. Throws PatternError.
std::shared_ptr<const FilterPattern::Matcher> parse_json_pattern(PatternText& text);

}  // namespace tidemill::lang::logs
