// Inside: patterns of messages that are fields with white space between them; what stands in "quotes" or [brackets] is
// one field.
//
//   [ip, user, time, request = "*.html*", status = 4* || status = 5*, size > 1000]
//   [level = ERROR, ...]     and any further fields
//   [..., last != 0]         at most one ellipsis
//
// A message matches if it has as many fields and all conditions hold. Fields without a name are called by number.
#pragma once

#include <memory>

#include "lang/logs/filter_pattern.h"
#include "lang/logs/pattern_text.h"

namespace tidemill::lang::logs {

// From '[' on. Throws PatternError.
std::shared_ptr<const FilterPattern::Matcher> parse_fields_pattern(PatternText& text);

}  // namespace tidemill::lang::logs
