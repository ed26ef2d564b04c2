// Tokens, and ConfirmSubscription.
#include "services/sns/confirmation.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "base/text.h"
#include "services/sns/errors.h"
#include "services/sns/operations.h"

namespace tidemill::sns {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kIdDigits = 32;
constexpr std::array<size_t, 4> kDashes{8, 13, 18, 23};  // of a UUID

// The subscription's id without its dashes, and a secret.
std::string make_token(const std::string& subscription_id) {
  std::array<unsigned char, kSecretBytes> secret{};
  if (RAND_bytes(secret.data(), kSecretBytes) != 1) throw std::runtime_error("no random bytes");
  std::string token;
  for (const char c : subscription_id) {
    if (c != '-') token += c;
  }
  for (const unsigned char byte : secret) token += base::hex(byte, 2);
  return token;
}

// "": the token has none.
std::string id_of_token(std::string_view token) {
  if (token.size() < kIdDigits) return "";
  std::string id(token.substr(0, kIdDigits));
  for (const size_t dash : kDashes) id.insert(dash, 1, '-');
  return id;
}

bool is_token_of(const Subscription& subscription, std::string_view token, base::Time now) {
  return subscription.token.size() == token.size() && subscription.token_expires > now &&
         CRYPTO_memcmp(subscription.token.data(), token.data(), token.size()) == 0;
}

bool is_true(const std::optional<std::string>& text) { return text && (*text == "true" || *text == "True"); }

}  // namespace

bool is_unsigned(const wire::Context& context) { return context.principal.kind() == wire::Principal::Kind::anonymous; }

Task<void> ask_endpoint(store::Transaction& txn, Service& service, const Topic& topic, Subscription& subscription,
                        std::string type, base::Time now) {
  subscription.token = make_token(subscription.address.id);
  subscription.token_expires = now + kTokenValidity;
  txn.put(subscription_key(subscription.address), encode_subscription(subscription));
  co_await store::set_timer(
      txn, {std::string(kTokenTimer), subscription.address.arn(), subscription.token_expires, ""});
  co_await service.sending().enqueue_letter(txn, topic, subscription, std::move(type), now);
}

Task<void> forget_token(Service& service, const store::Timer& timer) {
  const auto address = parse_subscription_arn(timer.id);
  if (!address) throw std::runtime_error("a timer of a subscription is damaged");
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const SubscriptionPtr subscription = co_await service.subscriptions().find(txn, *address);
    if (!subscription || subscription->status == SubscriptionStatus::confirmed) co_return;
    txn.erase(subscription_key(*address));
  });
}

Task<shapes::ConfirmSubscriptionOutput> confirm_subscription(Service& service, wire::Context& context,
                                                             const shapes::ConfirmSubscriptionInput& request) {
  const TopicAddress topic = topic_of_anyone(request.topic_arn);
  const SubscriptionAddress address{topic, id_of_token(request.token)};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await find_topic(txn, topic)) throw invalid_parameter("Token");
    const SubscriptionPtr found = co_await service.subscriptions().find(txn, address);
    if (!found || !is_token_of(*found, request.token, context.now())) {
      throw errors::invalid_parameter_exception("Invalid token");
    }
    if (found->status == SubscriptionStatus::confirmed) co_return;
    Subscription subscription = *found;
    subscription.status = SubscriptionStatus::confirmed;
    subscription.confirmed_by_owner = !is_unsigned(context);
    subscription.needs_signature_to_leave = !is_unsigned(context) && is_true(request.authenticate_on_unsubscribe);
    txn.put(subscription_key(address), encode_subscription(subscription));
  });
  co_return shapes::ConfirmSubscriptionOutput{.subscription_arn = address.arn()};
}

}  // namespace tidemill::sns
