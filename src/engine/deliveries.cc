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

void Deliveries::send_with(std::string_view target_kind, Sender sender, DeadLetterPayload dead_letter_payload,
                           EndHook on_end, size_t concurrent_max) {
  const std::string timer_kind = store::delivery_timer_kind(target_kind);
  timers_.handle(
      store::TimerKind{timer_kind},
      [this, kind = Kind{std::move(sender), std::move(dead_letter_payload), std::move(on_end)}](
          const store::Timer& timer) { return attempt(timer, kind); },
      {.concurrent_max = concurrent_max});
}

// Without holding on to a snapshot: sending may take minutes, in which the store could clear away nothing.
Task<std::optional<store::Delivery>> Deliveries::load(const std::string& id) {
  const auto snapshot = store_.snapshot();
  co_return co_await store::load_delivery(*snapshot, id);
}

Task<void> Deliveries::attempt(const store::Timer& timer, const Kind& kind) {
  auto delivery = co_await load(timer.id);
  if (!delivery) co_return;

  const bool too_old = store::is_too_old(*delivery, clock_.now());
  store::SendOutcome outcome;
  if (!too_old) outcome = co_await send(kind.sender, *delivery);

  delivery->last_answer = outcome.answer;

  const base::Time now = clock_.now();
  store::GiveUpReason why_given_up{};
  const store::GiveUpHook give_up = [&](store::Transaction& txn, const store::Delivery& lost,
                                        store::GiveUpReason reason) -> Task<void> {
    const std::string payload = kind.dead_letter_payload ? kind.dead_letter_payload(lost, reason) : lost.payload;
    co_await store::forward_to_dead_letter(txn, lost, payload, now);
    if (kind.on_end) co_await kind.on_end(txn, lost, reason);
    why_given_up = reason;
  };
  const store::DeliveryFate ended = co_await store_.transact([&](store::Transaction& txn) -> Task<store::DeliveryFate> {
    if (too_old) co_return co_await store::record_too_old(txn, timer, give_up);
    const store::DeliveryFate fate = co_await store::record_outcome(txn, timer, outcome, now, give_up);
    if (fate == store::DeliveryFate::done && kind.on_end) co_await kind.on_end(txn, *delivery, std::nullopt);
    co_return fate;
  });
  if (ended != store::DeliveryFate::given_up) co_return;
  base::log_warning("delivery given up", {{"id", delivery->id},
                                          {"kind", delivery->target_kind},  // not the target: a URL may hold a password
                                          {"reason", std::string(describe(why_given_up))},
                                          {"error", outcome.error}});
}

}  // namespace tidemill::engine
