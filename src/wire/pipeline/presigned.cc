#include "wire/pipeline/presigned.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "net/http.h"

namespace tidemill::wire {

namespace {

using std::chrono::seconds;

constexpr int64_t kExpiresMax = 604'800;  // a week
constexpr int64_t kLatestSeconds = 1'000'000'000'000;  // later than anything, and still a base::Time
constexpr auto kSkewMax = std::chrono::minutes(15);  // of clients' clocks, as on AWS
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

Error expired(base::Time until, base::Time now) {
  Error error("AccessDenied", 403, "Request has expired");
  error.details = {{"Expires", base::iso_milliseconds(until).substr(0, 19) + "Z"},
                   {"ServerTime", base::iso_milliseconds(now).substr(0, 19) + "Z"}};
  return error;
}

Error malformed(std::string message) {
  return {"AuthorizationQueryParametersError", 400, std::move(message)};
}

using Query = std::map<std::string, std::string>;

Query query_of(std::string_view target) {
  Query query;
  for (auto& [name, value] : net::parse_query(target)) query.emplace(std::move(name), std::move(value));
  return query;
}

std::optional<Error> find_expiry_v4(const Query& query, base::Time now) {
  const auto date = query.find("X-Amz-Date");
  const auto expires = query.find("X-Amz-Expires");
  if (date == query.end() || expires == query.end()) {
    return malformed(
        "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
        "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.");
  }
  return find_expiry(date->second, expires->second, now);
}

// As clients write it, or with letters of it escaped, which verifiers decode as well.
bool is_signatures_name(std::string_view name) {
  if (!name.contains('%')) return name == "X-Amz-Signature" || name == "Signature";
  const auto decoded = net::percent_decode(name);
  return decoded && !decoded->contains('%') && is_signatures_name(*decoded);
}

}  // namespace

std::optional<Error> find_expiry(std::string_view date, std::string_view expires, base::Time now) {
  const auto begin = basic_date(date);
  if (!begin) return malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  const auto life = number_of(expires);
  if (!life) return malformed("X-Amz-Expires should be a number");
  if (*life < 0) return malformed("X-Amz-Expires must be non-negative");
  if (*life > kExpiresMax) {
    return malformed(
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 "
        "seconds");
  }
  const base::Time until = *begin + seconds(*life);
  if (now <= until) return std::nullopt;
  return expired(until, now);
}

bool is_presigned(std::string_view target) {
  const size_t query = target.find('?');
  if (query == std::string_view::npos) return false;
  for (std::string_view rest = target.substr(query + 1); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    if (is_signatures_name(part.substr(0, part.find('=')))) return true;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return false;
}

std::optional<Error> find_expiry(std::string_view target, base::Time now) {
  const Query query = query_of(target);
  if (query.contains("X-Amz-Algorithm") && query.contains("X-Amz-Signature")) return find_expiry_v4(query, now);
  const auto expires = query.find("Expires");
  if (!query.contains("AWSAccessKeyId") || !query.contains("Signature") || expires == query.end()) return std::nullopt;
  const auto until = number_of(expires->second);
  if (!until) {
    return Error("AccessDenied", 403, base::cat("Invalid date (should be seconds since epoch): ", expires->second));
  }
  const base::Time end{seconds(std::clamp<int64_t>(*until, 0, kLatestSeconds))};
  if (now <= end) return std::nullopt;
  return expired(end, now);
}

bool is_good_by_machine(std::optional<base::Time> made, base::Time until) {
  const base::Time now = base::RealClock().now();
  // What does not say when it was made was made no more than its longest life ago.
  const bool is_of_now = made ? *made - kSkewMax <= now : until <= now + seconds(kExpiresMax) + kSkewMax;
  return now <= until && is_of_now;
}

bool is_good_at(std::string_view target, base::Time now) {
  if (find_expiry(target, now)) return false;
  const Query query = query_of(target);
  if (const auto date = query.find("X-Amz-Date"); date != query.end()) {
    const auto begin = basic_date(date->second);
    return begin && *begin - kSkewMax <= now;
  }
  // It does not say when it was made: no more than its longest life ago.
  return find_expiry(target, now + seconds(kExpiresMax) + kSkewMax).has_value();
}

}  // namespace tidemill::wire
