#include "services/sns/delivery_policy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

using base::cat;
using std::chrono::seconds;

constexpr int kRetriesMax = 100;
constexpr int kDelaySecondsMax = 3600;
constexpr int kTotalSecondsMax = 3600;
constexpr std::array<std::string_view, 4> kBackoffs{"linear", "arithmetic", "geometric", "exponential"};
constexpr std::array<std::string_view, 12> kContentTypes{
    "application/json", "application/octet-stream", "application/soap+xml", "application/x-www-form-urlencoded",
    "application/xml",  "application/atom+xml",     "text/css",             "text/csv",
    "text/html",        "text/plain",               "text/xml",             "text/plain; charset=utf-8"};

constexpr int kManagedAttempts = 100'015;
constexpr int kManagedNoDelay = 3;
constexpr int kManagedMinDelay = 2;
constexpr int kManagedBackoff = 10;
constexpr seconds kManagedDelayMin{1};
constexpr seconds kManagedDelayMax{20};
constexpr base::Duration kNeverTooOld = std::chrono::hours(24) * 365;  // the attempts end first

wire::Error refuse(std::string_view what) { return invalid_parameter(cat("DeliveryPolicy: ", what)); }

bool is_set(const json::Value* value) { return value && !value->is_null(); }

const json::Object& object_of(std::string_view name, const json::Value& value) {
  if (!value.is_object()) throw refuse(cat(name, " must be an object"));
  return value.object();
}

int number_of(std::string_view name, const json::Value& value, int min, int max) {
  const auto number = value.to_int64();
  if (!number || *number < min || *number > max) {
    throw refuse(cat("healthyRetryPolicy.", name, " must be a number from ", min, " to ", max));
  }
  return static_cast<int>(*number);
}

// The delays between the phases' ends, `count` of them, from min to max.
base::Duration backoff_delay(const HealthyRetryPolicy& policy, int index, int count) {
  const double min = policy.min_delay_seconds, max = policy.max_delay_seconds;
  const double part = count < 2 ? 1 : static_cast<double>(index) / (count - 1);
  double delay = 0;
  if (policy.backoff == "linear") delay = min + (max - min) * part;
  else if (policy.backoff == "arithmetic") delay = min + (max - min) * part * (part + 1) / 2;  // steps grow evenly
  else if (policy.backoff == "geometric") delay = min * std::pow(max / min, part);
  else delay = min + (max - min) * (std::pow(2.0, part * count) - 1) / (std::pow(2.0, count) - 1);
  return base::Duration(std::llround(std::clamp(delay, min, max) * 1e6));
}

int backoff_retries(const HealthyRetryPolicy& policy) {
  return policy.retries - policy.no_delay_retries - policy.min_delay_retries - policy.max_delay_retries;
}

std::vector<base::Duration> delays_of(const HealthyRetryPolicy& policy) {
  std::vector<base::Duration> delays(policy.no_delay_retries);
  delays.insert(delays.end(), policy.min_delay_retries, seconds(policy.min_delay_seconds));
  const int count = backoff_retries(policy);
  for (int i = 0; i < count; ++i) delays.push_back(backoff_delay(policy, i, count));
  delays.insert(delays.end(), policy.max_delay_retries, seconds(policy.max_delay_seconds));
  return delays;
}

void check_whole(const HealthyRetryPolicy& policy) {
  if (policy.max_delay_seconds < policy.min_delay_seconds) {
    throw refuse("healthyRetryPolicy.maxDelayTarget must not be less than minDelayTarget");
  }
  if (backoff_retries(policy) < 0) {
    throw refuse("healthyRetryPolicy.numRetries must not be less than the sum of the retries of its phases");
  }
  base::Duration total{};
  for (const base::Duration delay : delays_of(policy)) total += delay;
  if (total > seconds(kTotalSecondsMax)) {
    throw refuse(cat("the total of all delays of healthyRetryPolicy must not exceed ", kTotalSecondsMax, " seconds"));
  }
}

HealthyRetryPolicy read_healthy(const json::Value& value) {
  HealthyRetryPolicy policy;
  for (const auto& [name, member] : object_of("healthyRetryPolicy", value)) {
    if (member.is_null()) continue;
    if (name == "minDelayTarget") policy.min_delay_seconds = number_of(name, member, 1, kDelaySecondsMax);
    else if (name == "maxDelayTarget") policy.max_delay_seconds = number_of(name, member, 1, kDelaySecondsMax);
    else if (name == "numRetries") policy.retries = number_of(name, member, 0, kRetriesMax);
    else if (name == "numNoDelayRetries") policy.no_delay_retries = number_of(name, member, 0, kRetriesMax);
    else if (name == "numMinDelayRetries") policy.min_delay_retries = number_of(name, member, 0, kRetriesMax);
    else if (name == "numMaxDelayRetries") policy.max_delay_retries = number_of(name, member, 0, kRetriesMax);
    else if (name != "backoffFunction") throw refuse(cat("unknown member ", name, " of healthyRetryPolicy"));
    else if (!member.is_string() || std::ranges::find(kBackoffs, member.string()) == kBackoffs.end())
      throw refuse("healthyRetryPolicy.backoffFunction must be linear, arithmetic, geometric or exponential");
    else policy.backoff = member.string();
  }
  check_whole(policy);
  return policy;
}

std::string read_content_type(const json::Value& value) {
  std::string type{kDefaultContentType};
  for (const auto& [name, member] : object_of("requestPolicy", value)) {
    if (name != "headerContentType") throw refuse(cat("unknown member ", name, " of requestPolicy"));
    if (member.is_null()) continue;
    if (!member.is_string()) throw refuse("requestPolicy.headerContentType must be a string");
    std::string lower = member.string();
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
    if (std::ranges::find(kContentTypes, lower) == kContentTypes.end()) {
      throw refuse(cat("requestPolicy.headerContentType: ", member.string(), " is not one of the types that are allowed"));
    }
    type = member.string();
  }
  return type;
}

// `prefix`: "default" in the policy of a topic.
DeliveryPolicy read_policy(const json::Object& object, bool is_topic) {
  DeliveryPolicy policy;
  const auto is = [&](const std::string& name, std::string_view topics, std::string_view subscriptions) {
    return name == (is_topic ? topics : subscriptions);
  };
  for (const auto& [name, value] : object) {
    if (value.is_null()) continue;
    if (is(name, "defaultHealthyRetryPolicy", "healthyRetryPolicy")) {
      policy.healthy = read_healthy(value);
    } else if (is(name, "defaultRequestPolicy", "requestPolicy")) {
      policy.content_type = read_content_type(value);
    } else if (is(name, "defaultThrottlePolicy", "throttlePolicy")) {
      if (is_set(value.find("maxReceivesPerSecond"))) throw not_supported("DeliveryPolicy maxReceivesPerSecond");
    } else if (is_topic && name == "disableSubscriptionOverrides") {
      if (!value.is_boolean()) throw refuse("disableSubscriptionOverrides must be true or false");
      policy.disables_overrides = value.boolean();
    } else if (is_topic || (name != "guaranteed" && name != "sicklyRetryPolicy")) {
      throw refuse(cat("unknown member ", name));
    } else if (!value.is_boolean() || value.boolean()) {
      throw not_supported(cat("DeliveryPolicy ", name));
    }
  }
  return policy;
}

json::Value parse_document(std::string_view text) {
  auto document = json::parse(text);
  if (!document || !document->is_object()) throw refuse("failed to parse JSON.");
  return *std::move(document);
}

json::Object describe(const HealthyRetryPolicy& policy) {
  return {{"minDelayTarget", policy.min_delay_seconds},     {"maxDelayTarget", policy.max_delay_seconds},
          {"numRetries", policy.retries},                   {"numMaxDelayRetries", policy.max_delay_retries},
          {"numNoDelayRetries", policy.no_delay_retries},   {"numMinDelayRetries", policy.min_delay_retries},
          {"backoffFunction", std::string_view(policy.backoff)}};
}

}  // namespace

DeliveryPolicy parse_topic_delivery_policy(std::string_view text) {
  const json::Value document = parse_document(text);
  for (const auto& [name, value] : document.object()) {
    if (name != "http") throw refuse(cat("unknown member ", name));
  }
  const json::Value* http = document.find("http");
  return is_set(http) ? read_policy(object_of("http", *http), true) : DeliveryPolicy();
}

DeliveryPolicy parse_subscription_delivery_policy(std::string_view text) {
  return read_policy(parse_document(text).object(), false);
}

std::string describe_for_topic(const DeliveryPolicy& policy) {
  return json::write(json::Object{
      {"http", json::Object{{"defaultHealthyRetryPolicy", describe(policy.healthy)},
                            {"disableSubscriptionOverrides", policy.disables_overrides},
                            {"defaultRequestPolicy",
                             json::Object{{"headerContentType", std::string_view(policy.content_type)}}}}}});
}

std::string describe_for_subscription(const DeliveryPolicy& policy) {
  return json::write(
      json::Object{{"healthyRetryPolicy", describe(policy.healthy)},
                   {"sicklyRetryPolicy", nullptr},
                   {"throttlePolicy", nullptr},
                   {"requestPolicy", json::Object{{"headerContentType", std::string_view(policy.content_type)}}},
                   {"guaranteed", false}});
}

store::RetryPolicy retries_of(const HealthyRetryPolicy& policy) {
  return {.delays = delays_of(policy), .attempts_max = policy.retries + 1, .age_max = kNeverTooOld};
}

store::RetryPolicy managed_retries() {
  store::RetryPolicy policy{.attempts_max = kManagedAttempts, .age_max = kNeverTooOld};
  policy.delays.assign(kManagedNoDelay, base::Duration());
  policy.delays.insert(policy.delays.end(), kManagedMinDelay, kManagedDelayMin);
  const double ratio = static_cast<double>(kManagedDelayMax.count()) / static_cast<double>(kManagedDelayMin.count());
  for (int i = 0; i < kManagedBackoff; ++i) {
    const double delay = std::pow(ratio, static_cast<double>(i) / (kManagedBackoff - 1));
    policy.delays.push_back(base::Duration(std::llround(delay * 1e6)));
  }
  policy.delays.push_back(kManagedDelayMax);
  return policy;
}

}  // namespace tidemill::sns
