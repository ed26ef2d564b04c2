#include "services/sns/subscription.h"

#include <stdexcept>

#include "base/json_members.h"
#include "base/ordered.h"
#include "services/sns/subscription_attributes.h"
#include "store/resources.h"

namespace tidemill::sns {
namespace {

constexpr store::ResourceType kSubscriptions{"sns", "subscription"};

std::string topic_prefix(const TopicAddress& topic) {
  std::string key = store::resource_prefix(kSubscriptions, topic.account, topic.region);
  base::append_string(key, topic.name);
  return key;
}

constexpr auto kSubscriptionMembers = [](auto& member, auto& subscription) {
  member("protocol", subscription.protocol);
  member("endpoint", subscription.endpoint);
  member("status", subscription.status);
  member.check(static_cast<size_t>(subscription.status) <= static_cast<size_t>(SubscriptionStatus::removed), "status");
  member("confirmed_by_owner", subscription.confirmed_by_owner);
  member("needs_signature_to_leave", subscription.needs_signature_to_leave);
  member("token", subscription.token);
  member("token_expires_us", subscription.token_expires);
  member("created_us", subscription.created);
  member("attributes", subscription.attributes);
};

}  // namespace

std::string subscription_key(const SubscriptionAddress& address) {
  std::string key = topic_prefix(address.topic);
  base::append_string(key, address.id);
  return key;
}

store::Range subscriptions_range(const TopicAddress& topic) { return store::Range::prefix(topic_prefix(topic)); }

store::Range subscriptions_range(std::string_view account, std::string_view region) {
  return store::resources_range(kSubscriptions, account, region);
}

SubscriptionAddress subscription_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(1));
  SubscriptionAddress address;
  address.topic.account = reader.string();
  address.topic.region = reader.string();
  const bool is_ours = reader.string() == kSubscriptions.service && reader.string() == kSubscriptions.type;
  address.topic.name = reader.string();
  address.id = reader.string();
  if (!is_ours || !reader.ok() || !reader.at_end()) throw std::runtime_error("a subscription's key is not readable");
  return address;
}

std::string encode_subscription(const Subscription& subscription) {
  return json::encode(subscription, kSubscriptionMembers);
}

Subscription decode_subscription(SubscriptionAddress address, std::string bytes) {
  Subscription subscription =
      json::decode("subscription", bytes, kSubscriptionMembers, Subscription{.address = std::move(address)});
  apply_subscription_attributes(subscription);
  subscription.encoded = std::move(bytes);
  return subscription;
}

SubscriptionPtr SubscriptionCache::get(std::string_view key, std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = subscriptions_.find(std::string(key));
    if (found != subscriptions_.end() && found->second->encoded == bytes) return found->second;
  }
  auto subscription =
      std::make_shared<const Subscription>(decode_subscription(subscription_of_key(key), std::string(bytes)));
  const std::lock_guard lock(mutex_);
  if (subscriptions_.size() >= kSubscriptionsMax) subscriptions_.clear();
  subscriptions_.insert_or_assign(std::string(key), subscription);
  return subscription;
}

Task<SubscriptionPtr> SubscriptionCache::find(store::Snapshot& reader, SubscriptionAddress address) {
  const std::string key = subscription_key(address);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return nullptr;
  co_return get(key, *bytes);
}

Task<std::vector<SubscriptionPtr>> SubscriptionCache::of_topic(store::Snapshot& reader, TopicAddress topic) {
  std::vector<SubscriptionPtr> result;
  const store::Range range = subscriptions_range(topic);
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    result.push_back(get(key, value));
    return true;
  });
  co_return result;
}

}  // namespace tidemill::sns
