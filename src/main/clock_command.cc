#include "main/clock_command.h"

#include <cstdio>

#include "base/text.h"
#include "main/admin.h"
#include "wire/timestamp.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;

constexpr std::string_view kUsage =
    "clock: tidemill clock show, tidemill clock advance 2h, or tidemill clock set 2026-12-24T08:00:00Z";

std::string body_of(std::string_view member, std::string text) {
  return json::write(json::Object{{std::string(member), std::move(text)}});
}

std::string advance_by(std::string_view text) {
  auto duration = iso_duration_of(text);
  if (!duration) {
    throw UsageError(cat("clock advance: \"", text, "\" is not a duration like 90s, 10m, 2h, 1d12h, 1w or PT1H30M"));
  }
  return body_of("advance", *std::move(duration));
}

// A day alone is its midnight.
std::string set_to(std::string_view text) {
  constexpr std::string_view kDay = "2026-12-24";
  const std::string time = text.size() == kDay.size() ? cat(text, "T00:00:00Z") : std::string(text);
  if (!wire::parse_timestamp(time, wire::TimestampFormat::date_time)) {
    throw UsageError(cat("clock set: \"", text, "\" is not a time like 2026-12-24T08:00:00Z or 2026-12-24"));
  }
  return body_of("to", time);
}

void print(const json::Value& clock) {
  const auto text = [&](std::string_view name) {
    const json::Value* value = clock.find(name);
    return value && value->is_string() ? value->string() : "?";
  };
  std::printf("%s %s\n", text("time").c_str(), text("mode").c_str());
  const json::Value* ran = clock.find("ran");
  if (!ran || !ran->is_object()) return;
  if (ran->object().empty()) std::printf("nothing was due\n");
  for (const auto& [kind, count] : ran->object()) std::printf("%8s %s\n", json::write(count).c_str(), kind.c_str());
}

}  // namespace

std::optional<std::string> iso_duration_of(std::string_view text) {
  if (parse_iso_duration(text)) return std::string(text);
  std::string date, time;
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    if (digits == 0 || digits == text.size()) return std::nullopt;
    const char unit = text[digits];
    const bool is_date = unit == 'w' || unit == 'd';
    if (!is_date && unit != 'h' && unit != 'm' && unit != 's') return std::nullopt;
    (is_date ? date : time) += cat(text.substr(0, digits), static_cast<char>(unit - 'a' + 'A'));
    text.remove_prefix(digits + 1);
  }
  std::string iso = cat("P", date, time.empty() ? "" : "T", time);
  if (!parse_iso_duration(iso)) return std::nullopt;
  return iso;
}

ClockOptions parse_clock_options(std::span<const std::string_view> arguments, const Environment& environment) {
  ClockOptions options;
  std::vector<std::string_view> words;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto&) {
    if (name.starts_with("-")) return false;
    words.push_back(name);
    return true;
  });
  if (words.size() == 2 && words[0] == "advance")
    options.request = advance_by(words[1]);
  else if (words.size() == 2 && words[0] == "set")
    options.request = set_to(words[1]);
  else if (words.size() != 1 || words[0] != "show")
    throw UsageError(std::string(kUsage));
  return options;
}

int turn_clock(const ClockOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    ApiClient client(loop, options.client);
    print(options.request.empty() ? co_await client.get("tidemill", "/_tidemill/clock")
                                  : co_await client.post("/_tidemill/clock", options.request));
    co_return 0;
  });
}

}  // namespace tidemill
