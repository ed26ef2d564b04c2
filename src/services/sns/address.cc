#include "services/sns/address.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr size_t kArnFieldsMin = 6;
constexpr size_t kIdSizeMax = 64;

std::vector<std::string_view> split(std::string_view arn) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0;;) {
    const size_t end = arn.find(':', begin);
    fields.push_back(arn.substr(begin, end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::optional<TopicAddress> topic_of_fields(const std::vector<std::string_view>& fields, size_t count) {
  if (fields.size() != count || fields[0] != "arn" || fields[1] != "aws" || fields[2] != "sns") return std::nullopt;
  if (fields[3].empty() || fields[4].empty() || !is_topic_name(fields[5])) return std::nullopt;
  return TopicAddress{std::string(fields[4]), std::string(fields[3]), std::string(fields[5])};
}

wire::Error malformed(std::string_view parameter, std::string_view arn) {
  const size_t count = split(arn).size();
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

std::string TopicAddress::arn() const { return cat("arn:aws:sns:", region, ":", account, ":", name); }
std::string SubscriptionAddress::arn() const { return cat(topic.arn(), ":", id); }

bool is_topic_name(std::string_view name) {
  if (name.size() > kTopicNameSizeMax) return false;
  if (name.ends_with(kFifoSuffix)) name.remove_suffix(kFifoSuffix.size());
  return !name.empty() && std::ranges::all_of(name, is_name_character);
}

std::optional<TopicAddress> parse_topic_arn(std::string_view arn) { return topic_of_fields(split(arn), kArnFieldsMin); }

std::optional<SubscriptionAddress> parse_subscription_arn(std::string_view arn) {
  const auto fields = split(arn);
  auto topic = topic_of_fields(fields, kArnFieldsMin + 1);
  if (!topic || fields.back().empty() || fields.back().size() > kIdSizeMax) return std::nullopt;
  return SubscriptionAddress{*std::move(topic), std::string(fields.back())};
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
  check_account(context, topic);
  return topic;
}

SubscriptionAddress subscription_of(const wire::Context& context, std::string_view arn) {
  SubscriptionAddress subscription = subscription_of_anyone(arn);
  check_account(context, subscription.topic);
  return subscription;
}

}  // namespace tidemill::sns
