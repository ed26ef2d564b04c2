// `tidemill logs FUNCTION`: shows what a function has printed, and with --follow what it prints from now on. A client
// of the Logs API like any other: it asks the server at --endpoint, and has no other way in.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "main/client.h"

namespace tidemill {

struct LogsOptions {
  std::string function;                 // its name or ARN, qualified or not; or, if it begins with '/', a log group
  bool follow = false;
  std::chrono::seconds since{600};      // from how long ago on
  ClientOptions client;
};

// What follows the word "logs". Throws UsageError.
LogsOptions parse_logs_options(std::span<const std::string_view> arguments, const Environment& environment);

// "90s", "10m", "2h", "1d", or a number of seconds.
std::chrono::seconds parse_age(std::string_view text, std::string_view flag = "--since");

// Whether a stream of a function's log is of one of the versions; none are all.
[[nodiscard]] bool is_of_versions(std::string_view stream, const std::vector<std::string>& versions);

// Prints to standard output until it is done, or is interrupted; the program's exit code.
int show_logs(const LogsOptions& options);

}  // namespace tidemill
