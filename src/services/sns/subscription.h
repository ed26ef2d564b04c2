// What a subscription is, and how it is kept: KeySpace::resource, (account, region, "sns", "subscription", topic, id),
// as JSON.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "lang/patterns/pattern.h"
#include "services/sns/address.h"
#include "services/sns/delivery_policy.h"
#include "services/sns/topic.h"
#include "store/store.h"

namespace tidemill::sns {

enum class SubscriptionStatus {
  pending,    // its endpoint has not been asked to confirm, or has not answered yet
  confirmed,
  removed,    // unsubscribed; its endpoint may still take that back with the token that it was sent
};

struct Subscription {
  SubscriptionAddress address;
  std::string protocol;  // sqs, lambda, http, https
  std::string endpoint;
  SubscriptionStatus status = SubscriptionStatus::confirmed;
  bool confirmed_by_owner = true;        // by a request that was signed
  bool needs_signature_to_leave = false;
  std::string token;                     // of the last confirmation that was sent; a secret
  base::Time token_expires;
  base::Time created;
  AttributeMap attributes;               // those that were set

  // Of the attributes.
  bool is_raw = false;
  bool filters_body = false;
  std::optional<lang::patterns::Pattern> filter;
  std::string dead_letter_queue;         // an ARN; empty: none
  std::optional<DeliveryPolicy> delivery_policy;
  std::string encoded;

  [[nodiscard]] bool is_http() const { return protocol == "http" || protocol == "https"; }
};

using SubscriptionPtr = std::shared_ptr<const Subscription>;

[[nodiscard]] std::string subscription_key(const SubscriptionAddress& address);
[[nodiscard]] store::Range subscriptions_range(const TopicAddress& topic);
[[nodiscard]] store::Range subscriptions_range(std::string_view account, std::string_view region);
// Throws std::runtime_error if the key is not one of a subscription.
[[nodiscard]] SubscriptionAddress subscription_of_key(std::string_view key);

[[nodiscard]] std::string encode_subscription(const Subscription& subscription);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Subscription decode_subscription(SubscriptionAddress address, std::string bytes);

// Keeps decoded subscriptions with their compiled filters, so that publishing decodes none. What is here is only used if
// the store still says the same. Any thread.
class SubscriptionCache {
 public:
  static constexpr size_t kSubscriptionsMax = 10'000;  // kept; beyond, the cache starts anew

  // nullptr: there is no such subscription. Reads are tracked if `reader` is a transaction.
  Task<SubscriptionPtr> find(store::Snapshot& reader, SubscriptionAddress address);
  // All of the topic, whatever their status.
  Task<std::vector<SubscriptionPtr>> of_topic(store::Snapshot& reader, TopicAddress topic);

  [[nodiscard]] SubscriptionPtr get(std::string_view key, std::string_view bytes);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, SubscriptionPtr> subscriptions_;  // by key
};

}  // namespace tidemill::sns
