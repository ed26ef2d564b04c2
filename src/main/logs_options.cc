#include <charconv>

#include "base/text.h"
#include "main/logs_command.h"

namespace tidemill {
namespace {

using base::cat;

constexpr int64_t kAgeSecondsMax = 455LL * 24 * 3600;

}  // namespace

std::chrono::seconds parse_age(std::string_view text, std::string_view flag) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  const int64_t seconds = unit == "" || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86'400 : 0;
  if (error != std::errc() || seconds == 0 || number < 0 || number > kAgeSecondsMax / seconds) {
    throw UsageError(cat(flag, ": \"", text, "\" is not a time like 90s, 10m, 2h or 1d"));
  }
  return std::chrono::seconds(number * seconds);
}

LogsOptions parse_logs_options(std::span<const std::string_view> arguments, const Environment& environment) {
  LogsOptions options;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto& value) {
    if (name == "--follow") options.follow = true;
    else if (name == "--since") options.since = parse_age(value());
    else if (name.starts_with("-") || !options.function.empty()) return false;
    else options.function = name;
    return true;
  });
  go_to_region_of(options.function, options.client);
  if (options.function.empty()) throw UsageError("logs: whose? tidemill logs FUNCTION [--follow] [--since 10m]");
  return options;
}

}  // namespace tidemill
