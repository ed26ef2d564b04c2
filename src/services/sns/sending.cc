#include "services/sns/sending.h"

#include <algorithm>
#include <stdexcept>

#include "base/executor.h"
#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/function_target.h"
#include "engine/targets/queue_target.h"
#include "services/sns/encryption.h"
#include "services/sns/fifo.h"
#include "services/sns/subscription_attributes.h"
#include "services/sns/topic_metrics.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr std::string_view kFanOutTimer = "sns-fan-out";
constexpr std::string_view kQueueKind = "sns-sqs";
constexpr std::string_view kFunctionKind = "sns-lambda";
constexpr std::string_view kUrlKind = "sns-http";
constexpr std::string_view kDeadKind = "sns-dead";
constexpr std::string_view kLetterKind = "sns-letter";

// What one of a topic's many receivers takes, in microseconds or so (base::slice_is_over): to begin a send to it, which
// makes the envelope and asks the queue, and to note that it is to get a message.
constexpr size_t kStepsOfSend = 16;
constexpr size_t kStepsOfDelivery = 4;

std::string_view kind_of(const Subscription& subscription) {
  if (subscription.protocol == "sqs") return kQueueKind;
  return subscription.protocol == "lambda" ? kFunctionKind : kUrlKind;
}

// `topic` matters to what goes to URLs.
store::RetryPolicy retries_for(const Subscription& subscription, const Topic* topic) {
  if (!subscription.is_http() || !topic) return managed_retries();
  return retries_of(effective_delivery_policy(subscription, *topic).healthy);
}

Task<void> enqueue_one(store::Transaction& txn, const Subscription& subscription, std::string message_id,
                       const Topic* topic, base::Time now) {
  store::Delivery delivery;
  delivery.id = cat(message_id, "/", subscription.address.id);
  delivery.target_kind = kind_of(subscription);
  delivery.target = subscription.address.arn();
  delivery.payload = std::move(message_id);
  delivery.policy = retries_for(subscription, topic);
  co_await store::enqueue_delivery(txn, std::move(delivery), now);
}

// To the dead-letter queue. It goes on where the delivery that was given up has ended: the message is still needed, and
// in a group those behind it still wait.
Task<void> enqueue_burial(store::Transaction& txn, const SubscriptionAddress& subscription, std::string message_id,
                          base::Time now) {
  store::Delivery delivery;
  delivery.id = cat(message_id, "/", subscription.id, "/dead-letter");
  delivery.target_kind = kDeadKind;
  delivery.target = subscription.arn();
  delivery.payload = std::move(message_id);
  delivery.policy = managed_retries();
  co_await store::enqueue_delivery(txn, std::move(delivery), now);
}

// Who sends: what the policies of queues, of their keys and of functions must let.
wire::Principal sns_for(const SubscriptionAddress& subscription) {
  return wire::Principal::service("sns.amazonaws.com", subscription.topic.arn());
}

std::string encode_ids(const std::vector<SubscriptionPtr>& subscriptions) {
  std::string bytes;
  for (const auto& subscription : subscriptions) base::append_string(bytes, subscription->address.id);
  return bytes;
}

std::vector<std::string> decode_ids(std::string_view bytes) {
  std::vector<std::string> ids;
  base::OrderedReader reader(bytes);
  while (reader.ok() && !reader.at_end()) ids.push_back(reader.string());
  if (!reader.ok()) throw std::runtime_error("a message's list of subscriptions is damaged");
  return ids;
}

// Runs all of them at the same time, and returns when all have ended.
Task<void> run_all(std::vector<Task<void>> tasks) {
  if (tasks.size() == 1) {
    co_await std::move(tasks.front());
    co_return;
  }
  struct Shared {
    size_t running;
    base::Signal done;
  };
  Shared shared{tasks.size(), {}};
  base::Scope scope;
  for (auto& task : tasks) {
    scope.spawn([](Task<void> one, Shared& all) -> Task<void> {
      co_await std::move(one);
      if (--all.running == 0) all.done.signal();
    }(std::move(task), shared));
    if (base::slice_is_over(kStepsOfSend)) co_await base::give_way();
  }
  while (shared.running > 0) (void)co_await shared.done;
}

std::string encode_letter(std::string_view type, std::string_view id, const TopicAddress& topic, std::string_view body) {
  std::string bytes;
  base::append_string(bytes, type);
  base::append_string(bytes, id);
  base::append_string(bytes, topic.arn());
  base::append_fixed(bytes, body);
  return bytes;
}

}  // namespace

void Sending::register_with(engine::TimerService& timers, engine::Deliveries& deliveries) {
  timers.handle(store::TimerKind{kFanOutTimer}, [this](const store::Timer& timer) { return fan_out(timer); },
                {.concurrent_max = engine::kConcurrentSendsMax});
  for (const std::string_view kind : {kQueueKind, kFunctionKind, kUrlKind, kDeadKind}) {
    deliveries.send_with(
        kind, [this](const store::Delivery& delivery) { return send_delivery(delivery); }, {},
        [this](store::Transaction& txn, const store::Delivery& delivery, std::optional<store::GiveUpReason> reason) {
          return end_delivery(txn, delivery, reason);
        },
        {.targets = kind == kUrlKind ? engine::Targets::may_hang : engine::Targets::answer});
  }
  deliveries.send_with(kLetterKind, [this](const store::Delivery& delivery) { return send_letter(delivery); }, {}, {},
                       {.targets = engine::Targets::may_hang});
}

// A transaction's body may run again: what has been signed stays signed.
Task<void> Sending::sign(Message& message, const std::vector<SubscriptionPtr>& receivers) {
  for (const SubscriptionPtr& receiver : receivers) {
    if (!gets_signature(*receiver)) continue;
    const SigningKeyPtr key = co_await signer_.key();
    sign_for(message, receiver->protocol, *key);
  }
}

Task<void> Sending::enqueue(store::Transaction& txn, const Topic& topic, Message& message,
                            const std::vector<SubscriptionPtr>& receivers, base::Time now) {
  if (receivers.empty()) co_return;
  co_await sign(message, receivers);
  std::vector<SubscriptionPtr> queues;
  uint32_t deliveries = 0;
  for (const SubscriptionPtr& receiver : receivers) {
    if (!topic.is_fifo() && receiver->protocol == "sqs") {
      queues.push_back(receiver);
      continue;
    }
    ++deliveries;
    if (topic.is_fifo() && !co_await join_lane(txn, topic, receiver->address.id, message)) continue;
    co_await enqueue_one(txn, *receiver, message.id, &topic, now);
    if (base::slice_is_over(kStepsOfDelivery)) co_await base::give_way();
  }
  if (!queues.empty()) {
    ++deliveries;
    store::put_timer(txn, {std::string(kFanOutTimer), message.id, now, topic.address.arn() + '\n' + encode_ids(queues)});
  }
  keep_message(txn, message, deliveries);
}

Task<void> Sending::fan_out(const store::Timer& timer) {
  const size_t line = timer.payload.find('\n');
  const auto topic = parse_topic_arn(timer.payload.substr(0, line));
  if (line == std::string::npos || !topic) throw std::runtime_error("a message's list of subscriptions is damaged");
  auto snapshot = platform_.store.snapshot();
  auto message = co_await load_message(*snapshot, timer.id);
  std::vector<SubscriptionPtr> receivers;
  for (std::string& id : decode_ids(std::string_view(timer.payload).substr(line + 1))) {
    auto receiver = co_await subscriptions_.find(*snapshot, {*topic, std::move(id)});
    if (receiver && receiver->status == SubscriptionStatus::confirmed) receivers.push_back(std::move(receiver));
  }
  snapshot.reset();  // sending may take long, and the store keeps what a snapshot sees
  if (!message) receivers.clear();
  std::vector<store::SendOutcome> outcomes(receivers.size());
  if (!receivers.empty()) {
    const auto closed = co_await open(*message);
    if (closed) std::ranges::fill(outcomes, *closed);
  }
  std::vector<Task<void>> sends;
  for (size_t i = 0; i < receivers.size(); ++i) {
    if (outcomes[i].status != store::SendStatus::delivered) continue;  // it stays closed for now
    sends.push_back([](Sending& self, const Message& what, const Subscription& whom,
                       store::SendOutcome& outcome) -> Task<void> {
      try {
        outcome = co_await self.send(what, whom);
      } catch (const std::exception& error) {
        outcome = {store::SendStatus::failed, error.what()};
      }
    }(*this, *message, *receivers[i], outcomes[i]));
  }
  if (!sends.empty()) co_await run_all(std::move(sends));
  const auto ended = [&](store::SendStatus status) {
    return static_cast<double>(std::ranges::count(outcomes, status, &store::SendOutcome::status));
  };
  if (const double count = ended(store::SendStatus::delivered)) {
    measure_topic(platform_, *topic, kNotificationsDelivered, 1, count);
  }
  if (const double count = ended(store::SendStatus::rejected)) {
    measure_topic(platform_, *topic, kNotificationsFailed, 1, count);
  }
  for (size_t i = 0; i < receivers.size(); ++i) {
    if (outcomes[i].status != store::SendStatus::rejected) continue;
    given_up_.warn({{"kind", std::string(kind_of(*receivers[i]))}, {"target", receivers[i]->address.arn()}, {"reason", "rejected"}},
                   {{"id", message->id}, {"error", outcomes[i].error}});
    if (base::slice_is_over(kStepsOfDelivery)) co_await base::give_way();
  }

  const base::Time now = platform_.clock.now();
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    uint32_t remaining = 0;
    for (size_t i = 0; i < receivers.size(); ++i) {
      if (outcomes[i].status == store::SendStatus::delivered) continue;
      const bool is_rejected = outcomes[i].status == store::SendStatus::rejected;
      if (is_rejected && receivers[i]->dead_letter_queue.empty()) continue;
      if (is_rejected) co_await enqueue_burial(txn, receivers[i]->address, message->id, now);
      else co_await enqueue_one(txn, *receivers[i], message->id, nullptr, now);
      ++remaining;
      if (base::slice_is_over(kStepsOfDelivery)) co_await base::give_way();
    }
    co_await release_message(txn, timer.id, 1, remaining);
  });
}

// Nothing: it is open. Otherwise how an attempt to deliver it has ended: a key that is disabled may be enabled again.
Task<std::optional<store::SendOutcome>> Sending::open(Message& message) {
  try {
    co_await open_texts(data_keys_, platform_, message);
    co_return std::nullopt;
  } catch (const std::exception& error) {
    co_return store::SendOutcome{store::SendStatus::failed, cat("the message cannot be decrypted: ", error.what())};
  }
}

Task<Envelope> Sending::envelope(const Message& message, const Subscription& subscription) {
  std::string path;
  if (!message.signatures.empty() && gets_signature(subscription)) path = (co_await signer_.key())->certificate_path();
  co_return Envelope{message, subscription, links_, std::move(path)};
}

Task<store::SendOutcome> Sending::send(const Message& message, const Subscription& subscription) {
  const Envelope around = co_await envelope(message, subscription);
  if (subscription.protocol == "sqs") {
    const engine::QueueMessage queue_message = around.queue_message(subscription.endpoint);
    co_return co_await engine::send_to_queue(platform_, subscription.endpoint, queue_message,
                                             sns_for(subscription.address));
  }
  auto snapshot = platform_.store.snapshot();
  const auto topic = co_await find_topic(*snapshot, subscription.address.topic);
  snapshot.reset();
  const std::string content_type =
      topic ? effective_delivery_policy(subscription, *topic).content_type : std::string(kDefaultContentType);
  net::HttpCall call = around.http_call(content_type);
  co_return co_await engine::post_to_url(http_, std::move(call));
}

Task<store::SendOutcome> Sending::send_delivery(const store::Delivery& delivery) {
  const auto address = parse_subscription_arn(delivery.target);
  if (!address) throw std::runtime_error("a delivery of a topic is damaged");
  const bool is_to_url = delivery.target_kind == kUrlKind;
  const auto measured = [&](store::SendOutcome outcome) {
    if (outcome.status == store::SendStatus::delivered) measure_topic(platform_, address->topic, kNotificationsDelivered);
    else if (is_to_url) measure_topic(platform_, address->topic, kNotificationsFailed);
    return outcome;
  };
  auto snapshot = platform_.store.snapshot();
  const SubscriptionPtr subscription = co_await subscriptions_.find(*snapshot, *address);
  if (delivery.target_kind == kDeadKind) co_return co_await bury(*snapshot, delivery, subscription);
  // Whoever has left gets no more.
  if (!subscription || subscription->status != SubscriptionStatus::confirmed) co_return store::SendOutcome{};
  auto message = co_await load_message(*snapshot, delivery.payload);
  snapshot.reset();  // a function or a URL may take minutes
  if (!message) co_return store::SendOutcome{store::SendStatus::rejected, "the message is gone"};
  if (auto closed = co_await open(*message)) co_return *std::move(closed);
  if (subscription->protocol != "lambda") co_return measured(co_await send(*message, *subscription));
  const Envelope around = co_await envelope(*message, *subscription);
  const std::string event = around.function_event();
  co_return measured(co_await engine::invoke_function(
      platform_, subscription->endpoint, event, message->trace_header, sns_for(subscription->address)));
}

Task<void> Sending::end_delivery(store::Transaction& txn, const store::Delivery& delivery,
                                 std::optional<store::GiveUpReason> reason) {
  const auto address = parse_subscription_arn(delivery.target);
  const auto message = co_await load_message(txn, delivery.payload);
  if (!address || !message) co_return;
  const SubscriptionPtr subscription = co_await subscriptions_.find(txn, *address);
  if (reason && delivery.target_kind != kUrlKind) {
    const bool is_dead = delivery.target_kind == kDeadKind;
    measure_topic(platform_, address->topic, is_dead ? kNotRedriven : kNotificationsFailed);
  }
  if (reason && delivery.target_kind != kDeadKind && subscription && !subscription->dead_letter_queue.empty()) {
    co_await enqueue_burial(txn, *address, delivery.payload, platform_.clock.now());
    co_return;
  }
  if (message->topic.is_fifo()) {
    auto next = co_await leave_lane(txn, address->id, *message);
    if (next) {
      // Also for one that has left: its lane must run empty.
      Subscription receiver;
      receiver.address = *address;
      receiver.protocol = "sqs";
      co_await enqueue_one(txn, receiver, *std::move(next), nullptr, platform_.clock.now());
    }
  }
  co_await release_message(txn, delivery.payload, 1);
}

// To the dead-letter queue, as it would have reached the subscriber; nowhere if there is none any more.
Task<store::SendOutcome> Sending::bury(store::Snapshot& snapshot, const store::Delivery& delivery,
                                       SubscriptionPtr subscription) {
  auto message = co_await load_message(snapshot, delivery.payload);
  if (!message || !subscription || subscription->dead_letter_queue.empty()) co_return store::SendOutcome{};
  if (auto closed = co_await open(*message)) co_return *std::move(closed);
  const Envelope around = co_await envelope(*message, *subscription);
  const engine::QueueMessage letter = around.queue_message(subscription->dead_letter_queue);
  store::SendOutcome outcome =
      co_await engine::send_to_queue(platform_, subscription->dead_letter_queue, letter, sns_for(subscription->address));
  if (outcome.status == store::SendStatus::delivered) measure_topic(platform_, message->topic, kRedriven);
  co_return outcome;
}

Task<void> Sending::enqueue_letter(store::Transaction& txn, const Topic& topic, const Subscription& subscription,
                                   std::string type, base::Time now) {
  const SigningKeyPtr key = co_await signer_.key();
  const Letter letter{.type = std::move(type),
                      .message_id = base::new_uuid(),
                      .topic = topic.address,
                      .token = subscription.token,
                      .timestamp = now,
                      .signature_version = topic.signature_version};
  store::Delivery delivery;
  delivery.id = cat(letter.message_id, "/", subscription.address.id);
  delivery.target_kind = kLetterKind;
  delivery.target = subscription.endpoint;
  delivery.payload =
      encode_letter(letter.type, letter.message_id, topic.address, letter_document(letter, links_, *key));
  delivery.policy = retries_of(effective_delivery_policy(subscription, topic).healthy);
  co_await store::enqueue_delivery(txn, std::move(delivery), now);
}

Task<store::SendOutcome> Sending::send_letter(const store::Delivery& delivery) {
  base::OrderedReader reader(delivery.payload);
  const std::string type = reader.string();
  const std::string id = reader.string();
  const auto topic = parse_topic_arn(reader.string());
  std::string body(reader.rest());
  if (!reader.ok() || !topic) throw std::runtime_error("a letter to an endpoint is damaged");
  net::HttpCall call = call_of(type, id, *topic, "", delivery.target, std::move(body));
  call.headers.add("Content-Type", std::string(kDefaultContentType));
  co_return co_await engine::post_to_url(http_, std::move(call));
}

}  // namespace tidemill::sns
