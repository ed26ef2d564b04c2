// Inside: points in time as definitions and inputs write them: RFC 3339 with capital T and Z.
#pragma once

#include <optional>
#include <string_view>

#include "lang/states/evaluate.h"

namespace tidemill::lang::states {

// "2026-11-23T07:30:00Z", with a fraction of a second or an offset (+01:00) if need be. Nothing: it is none.
[[nodiscard]] std::optional<Time> parse_timestamp(std::string_view text);

}  // namespace tidemill::lang::states
