#include "main/admin.h"

#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "base/uuid.h"
#include "main/own_answer.h"
#include "main/version.h"
#include "wire/large_work.h"
#include "wire/timestamp.h"

namespace tidemill {

namespace {

namespace json = base::json;

constexpr size_t kClockRequestMax = 4 << 10;
// The store's versions have room until 2112 (store::Version).
constexpr base::Time kLatestTime = std::chrono::sys_days(std::chrono::year(2100) / 1 / 1);

std::string_view path_of(const net::Request& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

// 1760000000.25
std::string seconds_text(base::Time time) {
  const int64_t micros = time.time_since_epoch().count();
  std::string text = std::to_string(micros / 1'000'000);
  if (const int64_t rest = micros % 1'000'000; rest != 0) {
    std::string fraction = std::to_string(1'000'000 + rest).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += '.' + fraction;
  }
  return text;
}

// What has been added since `before`, kind by kind.
json::Object difference(const Admin::Counts& now, const Admin::Counts& before) {
  json::Object added;
  for (const auto& [kind, count] : now) {
    const auto known = before.find(kind);
    const uint64_t more = count - (known == before.end() ? 0 : known->second);
    if (more > 0) added.set(kind, more);
  }
  return added;
}

struct Advance {
  std::optional<base::Time> target;
  std::string error;
};

Advance refused(std::string why) { return {std::nullopt, std::move(why)}; }

Advance by(base::Time now, std::optional<base::Duration> step) {
  if (!step) return refused("\"advance\" must be seconds or a duration like \"PT1H30M\", not negative and below 100 years");
  if (now + *step > kLatestTime) return refused("the clock cannot be turned beyond the year 2099");
  return {now + *step, {}};
}

std::optional<base::Duration> from_seconds(std::optional<double> seconds) {
  if (!seconds || !(*seconds >= 0) || *seconds > std::chrono::duration<double>(kAdvanceMax).count()) return std::nullopt;
  return base::Duration(std::llround(*seconds * 1e6));
}

Advance understand(std::string_view body, base::Time now) {
  const auto document = json::parse(body);
  if (document && document->is_object()) {
    if (const auto other = other_member(*document, {"advance", "to"})) {
      return refused(base::cat("the body has no \"", *other, "\": it is an \"advance\" or a \"to\""));
    }
  }
  const json::Value* advance = document ? document->find("advance") : nullptr;
  const json::Value* to = document ? document->find("to") : nullptr;
  if ((advance == nullptr) == (to == nullptr)) {
    return refused("the body must be {\"advance\": seconds or \"PT1H\"} or {\"to\": \"2026-01-01T00:00:00Z\"}");
  }
  if (advance) return by(now, advance->is_string() ? parse_iso_duration(advance->string()) : from_seconds(advance->to_double()));
  const auto time = to->is_string() ? wire::parse_timestamp(to->string(), wire::TimestampFormat::date_time) : std::nullopt;
  if (!time) return refused("\"to\" must be a time like \"2026-01-01T00:00:00Z\"");
  if (*time < now) return refused("\"to\" is in the past: the clock does not go back");
  if (*time > kLatestTime) return refused("the clock cannot be turned beyond the year 2099");
  return {*time, {}};
}

}  // namespace

std::optional<base::Duration> parse_iso_duration(std::string_view text) {
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  double seconds = 0;
  bool in_time = false;
  std::string_view units = "WD";  // those still allowed, in order
  bool any = false;
  while (!text.empty()) {
    if (text.front() == 'T' && !in_time) {
      in_time = true;
      any = false;
      units = "HMS";
      text.remove_prefix(1);
      continue;
    }
    if (text.front() == '-' || text.front() == '+') return std::nullopt;
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    text.remove_prefix(static_cast<size_t>(result.ptr - text.data()));
    if (result.ec != std::errc() || text.empty() || !std::isfinite(value)) return std::nullopt;
    const size_t place = units.find(text.front());
    if (place == std::string_view::npos) return std::nullopt;
    switch (text.front()) {
      case 'W': seconds += value * 7 * 86400; break;
      case 'D': seconds += value * 86400; break;
      case 'H': seconds += value * 3600; break;
      case 'M': seconds += value * 60; break;
      case 'S': seconds += value; break;
      default: return std::nullopt;
    }
    units.remove_prefix(place + 1);
    text.remove_prefix(1);
    any = true;
  }
  if (!any) return std::nullopt;
  return from_seconds(seconds);
}

Admin::Admin(base::Clock& clock, base::VirtualClock* virtual_clock, std::string_view mode, store::Store& store,
             base::Metrics& metrics)
    : clock_(clock), virtual_clock_(virtual_clock), mode_(mode), store_(store), metrics_(metrics) {}

std::vector<wire::OwnPath> Admin::own_paths() {
  const auto answering = [this](net::Request& request) { return handle(request); };
  return {{"/_tidemill/health", false, answering},
          {.path = "/_tidemill/", .is_prefix = true, .handler = answering, .needs_rights = true},
          {"/metrics", false, answering}};
}

Task<net::Response> Admin::handle(net::Request& request) {
  const std::string_view path = path_of(request);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (path == "/_tidemill/clock" && request.method == "POST") co_return co_await turn_clock(request);
  if (const auto found = handlers_.find(path); found != handlers_.end()) co_return co_await found->second(request);
  if (path != "/_tidemill/health" && path != "/_tidemill/clock" && path != "/metrics") {
    std::string others;
    for (const auto& [other, handler] : handlers_) others += ", " + other;
    co_return refusal(404, "there is /_tidemill/health, /_tidemill/clock" + others + " and /metrics");
  }
  if (!reads) co_return wrong_method();
  if (path == "/metrics") {
    co_return own_answer(200, "text/plain; version=0.0.4; charset=utf-8", co_await write_metrics());
  }
  co_return path == "/_tidemill/health" ? health() : time();
}

Task<std::string> Admin::write_metrics() {
  if (!wire::may_use_threads()) return Task<std::string>::ready(metrics_.prometheus_text());
  return writing_.run_joined([this] { return metrics_.prometheus_text(); });
}

net::Response Admin::health() const {
  bool failed = store_.metrics().failed;
  const std::string reason = condition_->pause_reason();
  if (failed && reason.empty()) failed = store_.metrics().failed;  // it may have gone on between the two
  json::Object body{{"status", !failed ? "ok" : reason.empty() ? "failed" : "paused"}, {"version", std::string(kVersion)}};
  if (failed && !reason.empty()) body.set("reason", reason);
  return own_answer(failed ? 503 : 200, "application/json", json::write(body) + "\n");
}

net::Response Admin::time(const Counts& ran_before, bool tells_what_ran) const {
  const base::Time now = clock_.now();
  std::string body = "{\"now\":" + seconds_text(now) + ",\"time\":\"" +
                     wire::format_timestamp(now, wire::TimestampFormat::date_time) + "\",\"mode\":\"" +
                     std::string(mode_) + "\"";
  if (tells_what_ran) body += ",\"ran\":" + json::write(difference(counts_(), ran_before));
  return own_answer(200, "application/json", body + "}\n");
}

Task<net::Response> Admin::turn_clock(net::Request& request) {
  if (!virtual_clock_) co_return refusal(400, "the real clock cannot be turned: start the server with --clock virtual");
  const std::string body = co_await request.body->read_all(kClockRequestMax);
  const Advance advance = understand(body, clock_.now());
  if (!advance.target) co_return refusal(400, advance.error);
  request.activity = {};  // or we would wait for ourselves
  const Counts ran_before = counts_();
  const base::Future<bool> quiet;
  virtual_clock_->advance_to(*advance.target, [quiet] { quiet.set(true); });
  co_await quiet;
  co_return time(ran_before, true);
}

}  // namespace tidemill
