// `tidemill clock`: shows a server's clock, and turns it forward if it runs with --clock virtual or auto; then it says
// what ran on the way. POST /_tidemill/clock does the work (admin.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "main/client.h"

namespace tidemill {

struct ClockOptions {
  std::string request;  // the body of the POST; empty: only show it
  ClientOptions client;
};

// What follows the word "clock". Throws UsageError.
ClockOptions parse_clock_options(std::span<const std::string_view> arguments, const Environment& environment);

// "90s", "2h", "1d12h", "1w", or as ISO 8601 has it, "PT1H30M": as the latter. Nothing if it is neither.
std::optional<std::string> iso_duration_of(std::string_view text);

// Prints to standard output; the program's exit code.
int turn_clock(const ClockOptions& options);

}  // namespace tidemill
