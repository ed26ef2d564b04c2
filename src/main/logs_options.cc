#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "main/logs_command.h"

namespace tidemill {
namespace {

using base::cat;

constexpr int64_t kAgeSecondsMax = 455LL * 24 * 3600;

void take_environment(LogsOptions& options, const Environment& environment) {
  const auto take = [&](const char* name, std::string& into) {
    if (const auto value = environment(name); value && !value->empty()) into = *value;
  };
  take("AWS_ENDPOINT_URL", options.endpoint);
  take("AWS_DEFAULT_REGION", options.region);
  take("AWS_REGION", options.region);
  take("AWS_ACCESS_KEY_ID", options.access_key);
}

// They go into a header.
void check_plain(std::string_view name, std::string_view value) {
  const bool is_plain = std::ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (value.empty() || !is_plain) throw UsageError(cat(name, ": \"", value, "\" cannot be one"));
}

}  // namespace

std::chrono::seconds parse_age(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  const int64_t seconds = unit == "" || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86'400 : 0;
  if (error != std::errc() || seconds == 0 || number < 0 || number > kAgeSecondsMax / seconds) {
    throw UsageError(cat("--since: \"", text, "\" is not a time like 90s, 10m, 2h or 1d"));
  }
  return std::chrono::seconds(number * seconds);
}

LogsOptions parse_logs_options(std::span<const std::string_view> arguments, const Environment& environment) {
  LogsOptions options;
  take_environment(options, environment);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].starts_with("--") ? arguments[i].find('=') : std::string_view::npos;
    const std::string_view name = arguments[i].substr(0, equals);
    const auto value = [&] {
      if (equals != std::string_view::npos) return arguments[i].substr(equals + 1);
      if (i + 1 == arguments.size()) throw UsageError(cat(name, " needs a value"));
      return arguments[++i];
    };
    if (name == "--follow" && equals == std::string_view::npos) options.follow = true;
    else if (name == "--since") options.since = parse_age(value());
    else if (name == "--endpoint") options.endpoint = value();
    else if (name == "--region") options.region = value();
    else if (name.starts_with("-")) throw UsageError(cat("unknown flag \"", name, "\"; tidemill --help shows what there is"));
    else if (options.function.empty()) options.function = name;
    else throw UsageError(cat("unexpected argument \"", name, "\""));
  }
  if (options.function.empty()) throw UsageError("logs: whose? tidemill logs FUNCTION [--follow] [--since 10m]");
  check_plain("--region", options.region);
  check_plain("AWS_ACCESS_KEY_ID", options.access_key);
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  return options;
}

}  // namespace tidemill
