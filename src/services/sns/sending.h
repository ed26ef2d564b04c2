// How messages leave. A message to queues leaves them all in one go, by a timer that is due at once (one write, however
// many queues there are); what a queue did not take becomes a delivery of its own, which is tried again by the policy.
// Functions and URLs, which may take long, have deliveries of their own from the beginning, and so has each message of a
// FIFO topic, of which only the first of a group and subscriber is under way at a time. All share the one stored message.
//
//   timer "sns-fan-out"           id: message id; payload: the subscriptions' ids
//   deliveries "sns-sqs", "sns-lambda", "sns-http"    target: the subscription's ARN; payload: the message id
//   deliveries "sns-dead"         the same, to the subscription's dead-letter queue
//   deliveries "sns-letter"       target: a URL; payload: what is posted
#pragma once

#include <vector>

#include "engine/data_keys.h"
#include "engine/deliveries.h"
#include "engine/targets/http_target.h"
#include "engine/timer_service.h"
#include "services/sns/envelope.h"
#include "services/sns/signer.h"
#include "services/sns/subscription.h"
#include "wire/context.h"

namespace tidemill::sns {

class Sending {
 public:
  // All outlive this.
  Sending(wire::Platform& platform, SubscriptionCache& subscriptions, Signer& signer, Links links,
          engine::HttpSend http)
      : platform_(platform),
        subscriptions_(subscriptions),
        signer_(signer),
        links_(std::move(links)),
        data_keys_(platform.clock),
        http_(std::move(http)) {}

  // Before the timers start.
  void register_with(engine::TimerService& timers, engine::Deliveries& deliveries);

  // Keeps the message, with the signatures that its receivers need, and sets it off to them.
  Task<void> enqueue(store::Transaction& txn, const Topic& topic, Message& message,
                     const std::vector<SubscriptionPtr>& receivers, base::Time now);

  // Of topics that encrypt.
  [[nodiscard]] engine::DataKeys& data_keys() { return data_keys_; }

  // Asks the endpoint of a subscription. `token` is what it may answer with.
  Task<void> enqueue_letter(store::Transaction& txn, const Topic& topic, const Subscription& subscription,
                            std::string type, base::Time now);

 private:
  Task<void> sign(Message& message, const std::vector<SubscriptionPtr>& receivers);
  Task<void> fan_out(const store::Timer& timer);
  Task<store::SendOutcome> send(const Message& message, const Subscription& subscription);
  Task<store::SendOutcome> send_delivery(const store::Delivery& delivery);
  Task<store::SendOutcome> send_letter(const store::Delivery& delivery);
  Task<void> end_delivery(store::Transaction& txn, const store::Delivery& delivery,
                          std::optional<store::GiveUpReason> reason);
  Task<store::SendOutcome> bury(store::Snapshot& snapshot, const store::Delivery& delivery,
                                SubscriptionPtr subscription);
  Task<std::optional<store::SendOutcome>> open(Message& message);
  [[nodiscard]] Task<Envelope> envelope(const Message& message, const Subscription& subscription);

  wire::Platform& platform_;
  SubscriptionCache& subscriptions_;
  Signer& signer_;
  const Links links_;
  engine::DataKeys data_keys_;
  const engine::HttpSend http_;
  base::SeldomLog given_up_{"delivery given up"};  // as those of Deliveries, before they are any of theirs
};

}  // namespace tidemill::sns
