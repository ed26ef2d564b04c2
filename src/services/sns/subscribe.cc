// Subscribes a queue or a function at once, and a URL once it has confirmed that it wants to be. The same subscription once
// more is answered as the first time.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/uuid.h"
#include "net/http_client.h"
#include "services/sns/confirmation.h"
#include "services/sns/errors.h"
#include "services/sns/operations.h"
#include "services/sns/subscription_attributes.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr std::array<std::string_view, 4> kProtocols{"sqs", "lambda", "http", "https"};
constexpr std::array<std::string_view, 5> kRefusedProtocols{"email", "email-json", "sms", "application", "firehose"};

void check_protocol(const std::string& protocol) {
  if (std::ranges::find(kProtocols, protocol) != kProtocols.end()) return;
  if (std::ranges::find(kRefusedProtocols, protocol) != kRefusedProtocols.end()) {
    throw not_supported(cat("the protocol ", protocol));
  }
  throw invalid_parameter(cat("Amazon SNS does not support this protocol string: ", protocol));
}

// "arn:aws:lambda:REGION:ACCOUNT:function:NAME", perhaps with a qualifier, with something in every part.
bool is_function_arn(std::string_view arn) {
  constexpr size_t kFieldsMin = 7, kSizeMax = 256;
  return arn.starts_with("arn:aws:lambda:") && arn.size() <= kSizeMax && arn.find("::") == std::string_view::npos &&
         !arn.ends_with(':') && static_cast<size_t>(std::ranges::count(arn, ':')) + 1 >= kFieldsMin;
}

void check_endpoint(const TopicAddress& topic, const std::string& protocol, const std::string& endpoint) {
  if (endpoint.empty()) throw invalid_parameter("Endpoint");
  if (topic.is_fifo() && protocol != "sqs") {
    throw invalid_parameter(
        cat("Endpoint Reason: FIFO topics deliver to Amazon SQS queues, not to the protocol ", protocol));
  }
  if (protocol == "sqs") {
    if (!is_queue_arn(endpoint)) throw invalid_parameter("SQS endpoint ARN");
    if (endpoint.ends_with(kFifoSuffix) && !topic.is_fifo()) {
      throw invalid_parameter(
          "Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics");
    }
    return;
  }
  if (protocol == "lambda") {
    if (!is_function_arn(endpoint)) throw invalid_parameter("Lambda endpoint ARN");
    return;
  }
  const auto url = net::parse_http_url(endpoint);
  if (!url || url->is_tls != (protocol == "https")) {
    throw invalid_parameter("Endpoint must match the specified protocol");
  }
}

SubscriptionPtr find_same(const std::vector<SubscriptionPtr>& subscriptions, const Subscription& wanted) {
  for (const SubscriptionPtr& one : subscriptions) {
    if (one->protocol == wanted.protocol && one->endpoint == wanted.endpoint) return one;
  }
  return nullptr;
}

}  // namespace

Task<shapes::SubscribeOutput> subscribe(Service& service, wire::Context& context,
                                        const shapes::SubscribeInput& request) {
  const TopicAddress address = topic_of(context, request.topic_arn);
  const AttributeMap attributes = request.attributes.value_or(AttributeMap{});
  const auto snapshot = service.store().snapshot();
  (void)co_await load_topic(*snapshot, address);  // told before what is wrong with the rest
  check_protocol(request.protocol);
  check_endpoint(address, request.protocol, request.endpoint.value_or(""));
  Subscription wanted{.address = {address, base::new_uuid()},
                      .protocol = request.protocol,
                      .endpoint = *request.endpoint,
                      .created = context.now()};
  apply_subscription_attributes(wanted, attributes, true);

  // What the answer is about: what was asked for, or what was there.
  const Subscription subscription = co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<Subscription> {
        const Topic topic = co_await load_topic(txn, address);
        Subscription made = wanted;
        const SubscriptionPtr existing = find_same(co_await service.subscriptions().of_topic(txn, address), wanted);
        if (existing && existing->status == SubscriptionStatus::removed) {
          txn.erase(subscription_key(existing->address));
        } else if (existing) {
          if (!has_same_attributes(*existing, attributes)) {
            throw invalid_attribute("Subscription already exists with different attributes");
          }
          if (existing->status == SubscriptionStatus::confirmed) co_return *existing;
          made = *existing;  // asked once more
        }
        if (made.is_http()) {
          made.status = SubscriptionStatus::pending;
          made.confirmed_by_owner = false;
          co_await ask_endpoint(txn, service, topic, made, "SubscriptionConfirmation", context.now());
        } else {
          txn.put(subscription_key(made.address), encode_subscription(made));
        }
        co_return made;
      });
  const bool shows_arn =
      subscription.status == SubscriptionStatus::confirmed || request.return_subscription_arn.value_or(false);
  co_return shapes::SubscribeOutput{.subscription_arn = shows_arn ? subscription.address.arn() : "pending confirmation"};
}

}  // namespace tidemill::sns
