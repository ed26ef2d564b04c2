#include "engine/deliveries.h"

#include "base/log.h"

namespace tidemill::engine {

namespace {

std::string_view describe(store::GiveUpReason reason) {
  switch (reason) {
    case store::GiveUpReason::rejected: return "rejected";
    case store::GiveUpReason::attempts_exhausted: return "attempts exhausted";
    case store::GiveUpReason::age_exceeded: return "age exceeded";
  }
  return "";
}

Task<store::SendOutcome> send(const Deliveries::Sender& sender, const store::Delivery& delivery) {
  try {
    co_return co_await sender(delivery);
  } catch (const std::exception& error) {
    co_return store::SendOutcome{store::SendStatus::failed, error.what()};
  }
}

}  // namespace

Deliveries::Deliveries(store::Store& store, base::Clock& clock, TimerService& timers)
    : store_(store), clock_(clock), timers_(timers) {}

void Deliveries::send_with(std::string_view target_kind, Sender sender, DeadLetterPayload dead_letter_payload) {
  const std::string timer_kind = store::delivery_timer_kind(target_kind);
  timers_.handle(
      store::TimerKind{timer_kind},
      [this, sender = std::move(sender), payload = std::move(dead_letter_payload)](const store::Timer& timer) {
        return attempt(timer, sender, payload);
      },
      {.concurrent_max = kConcurrentSendsMax});
}

Task<void> Deliveries::attempt(const store::Timer& timer, const Sender& sender,
                               const DeadLetterPayload& dead_letter_payload) {
  const auto snapshot = store_.snapshot();
  const auto delivery = co_await store::load_delivery(*snapshot, timer.id);
  if (!delivery) co_return;

  const bool too_old = store::is_too_old(*delivery, clock_.now());
  store::SendOutcome outcome;
  if (!too_old) outcome = co_await send(sender, *delivery);

  const base::Time now = clock_.now();
  const store::GiveUpHook give_up = [&](store::Transaction& txn, const store::Delivery& lost,
                                        store::GiveUpReason reason) -> Task<void> {
    const std::string payload = dead_letter_payload ? dead_letter_payload(lost, reason) : lost.payload;
    co_await store::forward_to_dead_letter(txn, lost, payload, now);
    base::log_warning("delivery given up", {{"id", lost.id},
                                            {"target", lost.target},
                                            {"reason", std::string(describe(reason))},
                                            {"attempts", std::to_string(lost.attempts)}});
  };
  (void)co_await store_.transact([&](store::Transaction& txn) -> Task<store::DeliveryFate> {
    if (too_old) co_return co_await store::record_too_old(txn, timer, give_up);
    co_return co_await store::record_outcome(txn, timer, outcome, now, give_up);
  });
}

}  // namespace tidemill::engine
