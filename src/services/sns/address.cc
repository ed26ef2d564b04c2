#include "services/sns/address.h"

#include <algorithm>

#include "base/text.h"
#include "services/sns/errors.h"
#include "wire/arn.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr std::string_view kService = "sns";
constexpr size_t kArnFieldsMin = 6;
constexpr size_t kIdSizeMax = 64;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// The ARN of a topic in parts, of which the resource may be more than its name.
std::optional<TopicAddress> topic_of_parts(const std::optional<wire::Arn>& parts, std::string_view name) {
  if (!parts || parts->region.empty() || parts->account.empty() || !is_topic_name(name)) return std::nullopt;
  return TopicAddress{std::string(parts->account), std::string(parts->region), std::string(name)};
}

wire::Error malformed(std::string_view parameter, std::string_view arn) {
  const auto count = static_cast<size_t>(std::ranges::count(arn, ':')) + 1;
  if (count >= kArnFieldsMin) return invalid_parameter(parameter);
  return invalid_parameter(
      cat(parameter, " Reason: An ARN must have at least ", kArnFieldsMin, " elements, not ", count));
}

void check_account(const wire::Context& context, const TopicAddress& topic) {
  if (topic.account == context.account) return;
  throw errors::authorization_error_exception(
      cat("User: arn:aws:iam::", context.account, ":root is not authorized to access the resource: ", topic.arn()));
}

}  // namespace

std::string TopicAddress::arn() const {
  return wire::Arn{.service = kService, .region = region, .account = account, .resource = name}.text();
}
std::string SubscriptionAddress::arn() const { return cat(topic.arn(), ":", id); }

bool is_topic_name(std::string_view name) {
  if (name.size() > kTopicNameSizeMax) return false;
  if (name.ends_with(kFifoSuffix)) name.remove_suffix(kFifoSuffix.size());
  return !name.empty() && std::ranges::all_of(name, is_name_character);
}

std::optional<TopicAddress> parse_topic_arn(std::string_view arn) {
  const auto parts = wire::parse_arn_of(kService, arn);
  return topic_of_parts(parts, parts ? parts->resource : "");
}

std::optional<SubscriptionAddress> parse_subscription_arn(std::string_view arn) {
  const auto parts = wire::parse_arn_of(kService, arn);
  const size_t colon = parts ? parts->resource.find(':') : std::string_view::npos;
  if (colon == std::string_view::npos) return std::nullopt;
  auto topic = topic_of_parts(parts, parts->resource.substr(0, colon));
  const std::string_view id = parts->resource.substr(colon + 1);
  if (!topic || id.empty() || id.size() > kIdSizeMax || id.contains(':')) return std::nullopt;
  return SubscriptionAddress{*std::move(topic), std::string(id)};
}

TopicAddress topic_of_anyone(std::string_view arn) {
  auto topic = parse_topic_arn(arn);
  if (!topic) throw malformed("TopicArn", arn);
  return *std::move(topic);
}

SubscriptionAddress subscription_of_anyone(std::string_view arn) {
  auto subscription = parse_subscription_arn(arn);
  if (!subscription) throw malformed("SubscriptionArn", arn);
  return *std::move(subscription);
}

TopicAddress topic_of(const wire::Context& context, std::string_view arn) {
  TopicAddress topic = topic_of_anyone(arn);
  if (topic.region != context.region) throw invalid_parameter("TopicArn");
  check_account(context, topic);
  return topic;
}

SubscriptionAddress subscription_of(const wire::Context& context, std::string_view arn) {
  SubscriptionAddress subscription = subscription_of_anyone(arn);
  check_account(context, subscription.topic);
  return subscription;
}

}  // namespace tidemill::sns
