#include "services/s3/http_rules.h"

#include <charconv>
#include <map>

#include "base/text.h"
#include "services/s3/bucket.h"
#include "services/s3/cors.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "wire/respond.h"
#include "wire/virtual_host.h"

namespace tidemill::s3 {
namespace {

using std::chrono::seconds;

constexpr int64_t kExpiresMax = 604'800;  // a week
constexpr size_t kDateSize = 16;          // 20260314T000000Z

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "20260314T000000Z"; nothing if it is not of that form.
std::optional<base::Time> basic_date(std::string_view text) {
  if (text.size() != kDateSize || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  const auto part = [&](size_t at, size_t size) { return number_of(text.substr(at, size)).value_or(-1); };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(part(0, 4))),
                                         std::chrono::month(static_cast<unsigned>(part(4, 2))),
                                         std::chrono::day(static_cast<unsigned>(part(6, 2)))};
  if (!date.ok()) return std::nullopt;
  return base::Time(std::chrono::sys_days(date)) + std::chrono::hours(part(9, 2)) + std::chrono::minutes(part(11, 2)) +
         seconds(part(13, 2));
}

wire::Error expired(base::Time until, base::Time now) {
  return errors::error("AccessDenied", 403, "Request has expired",
                       {{"Expires", base::iso_milliseconds(until).substr(0, 19) + "Z"},
                        {"ServerTime", base::iso_milliseconds(now).substr(0, 19) + "Z"}});
}

wire::Error malformed(std::string message) {
  return errors::error("AuthorizationQueryParametersError", 400, std::move(message));
}

std::optional<wire::Error> find_expiry_v4(const std::map<std::string, std::string>& query, base::Time now) {
  const auto date = query.find("X-Amz-Date");
  const auto expires = query.find("X-Amz-Expires");
  if (date == query.end() || expires == query.end()) {
    return malformed(
        "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
        "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.");
  }
  const auto begin = basic_date(date->second);
  if (!begin) return malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  const auto life = number_of(expires->second);
  if (!life) return malformed("X-Amz-Expires should be a number");
  if (*life < 0) return malformed("X-Amz-Expires must be non-negative");
  if (*life > kExpiresMax) return malformed("X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds");
  const base::Time until = *begin + seconds(*life);
  if (now <= until) return std::nullopt;
  return expired(until, now);
}

net::Response refuse(const wire::Error& error) {
  return wire::answer_error(wire::error_style(shapes::ops::GetObject::info, wire::Encoding::own), error,
                            wire::new_request_id(true));
}

// "a, b" -> a and b.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    std::string_view word = list.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return words;
}

std::string first_segment(std::string_view target) {
  target = target.substr(0, target.find('?'));
  if (target.starts_with('/')) target.remove_prefix(1);
  return net::percent_decode(target.substr(0, target.find('/'))).value_or("");
}

}  // namespace

struct HttpRules::Rules {
  bool has_bucket = false;
  std::vector<shapes::CORSRule> rules;
};

std::optional<wire::Error> find_expiry(std::string_view target, base::Time now) {
  std::map<std::string, std::string> query;
  for (auto& [name, value] : net::parse_query(target)) query.emplace(std::move(name), std::move(value));
  if (query.contains("X-Amz-Algorithm") && query.contains("X-Amz-Signature")) return find_expiry_v4(query, now);
  const auto expires = query.find("Expires");
  if (!query.contains("AWSAccessKeyId") || !query.contains("Signature") || expires == query.end()) return std::nullopt;
  const auto until = number_of(expires->second);
  if (!until) {
    return errors::error("AccessDenied", 403,
                         base::cat("Invalid date (should be seconds since epoch): ", expires->second));
  }
  const base::Time end{seconds(*until)};
  if (now <= end) return std::nullopt;
  return expired(end, now);
}

bool HttpRules::concern(const net::Request& request) {
  return request.method == "OPTIONS" || request.target.find("Signature=") != std::string::npos ||
         request.headers.find("origin");
}

Task<HttpRules::Rules> HttpRules::rules_for(const net::Request& request) {
  const auto host_bucket = wire::bucket_of_host(request.headers.get("host"), own_host_,
                                                [](std::string_view) { return true; });
  const auto snapshot = service_.store().snapshot();
  // A host's first label may be no bucket but another service's name.
  for (const std::string& name : {host_bucket.value_or(""), first_segment(request.target)}) {
    if (name.empty()) continue;
    const auto bucket = co_await find_bucket(*snapshot, name);
    if (bucket) co_return Rules{true, rules_of(*bucket)};
  }
  co_return Rules{};
}

Task<net::Response> HttpRules::preflight(const net::Request& request) {
  CrossOriginRequest asked{std::string(request.headers.get("origin")),
                           std::string(request.headers.get("access-control-request-method")),
                           split(request.headers.get("access-control-request-headers"))};
  if (asked.origin.empty() || asked.method.empty()) {
    co_return refuse(errors::error("BadRequest", 400, "Insufficient information. Origin request header needed."));
  }
  const Rules found = co_await rules_for(request);
  const shapes::CORSRule* rule = find_rule(found.rules, asked);
  if (!rule) {
    const char* why = found.rules.empty() ? "CORSResponse: CORS is not enabled for this bucket."
                                          : "CORSResponse: This CORS request is not allowed. This is usually because the "
                                            "evalution of Origin, request method / Access-Control-Request-Method or "
                                            "Access-Control-Request-Headers are not whitelisted by the resource's CORS "
                                            "spec.";
    co_return refuse(errors::error("AccessForbidden", 403, why,
                                   {{"Method", asked.method}, {"ResourceType", found.has_bucket ? "OBJECT" : "BUCKET"}}));
  }
  net::Response response;
  response.headers.add("x-amz-request-id", wire::new_request_id(true));
  add_cors_headers(response.headers, *rule, asked);
  co_return response;
}

Task<std::optional<net::Response>> HttpRules::answer(const net::Request& request) {
  if (request.method == "OPTIONS") co_return co_await preflight(request);
  if (request.target.find("Signature=") == std::string::npos) co_return std::nullopt;
  const auto error = find_expiry(request.target, service_.clock().now());
  if (!error) co_return std::nullopt;
  co_return refuse(*error);
}

Task<void> HttpRules::add_headers(const net::Request& request, net::Response& response) {
  const CrossOriginRequest asked{std::string(request.headers.get("origin")), request.method, {}};
  if (asked.origin.empty()) co_return;
  const Rules found = co_await rules_for(request);
  if (const shapes::CORSRule* rule = find_rule(found.rules, asked)) add_cors_headers(response.headers, *rule, asked);
}

}  // namespace tidemill::s3
