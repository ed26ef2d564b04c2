#include "engine/deliveries.h"

#include <cassert>
#include <deque>
#include <map>

#include "base/future.h"

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

// Of a URL only where it leads: its path or user may be a secret.
std::string shown(const std::string& target) {
  const size_t scheme = target.find("://");
  if (scheme == std::string::npos) return target;
  const std::string rest = target.substr(scheme + 3);
  const std::string authority = rest.substr(0, rest.find_first_of("/?#"));
  return target.substr(0, scheme + 3) + authority.substr(authority.rfind('@') + 1);
}

Task<store::SendOutcome> send_with_sender(const Deliveries::Sender& sender, const store::Delivery& delivery) {
  try {
    co_return co_await sender(delivery);
  } catch (const std::exception& error) {
    co_return store::SendOutcome{store::SendStatus::failed, error.what()};
  }
}

}  // namespace

// Who is under way to which target. All on one executor.
class Deliveries::Lanes {
 public:
  // A place on the way to a target; free again when it goes.
  class Place {
   public:
    Place(Lanes& lanes, std::string target) : lanes_(lanes), target_(std::move(target)) {}
    Place(const Place&) = delete;
    ~Place() { lanes_.leave(target_); }

   private:
    Lanes& lanes_;
    const std::string target_;
  };

  // nullptr: too many wait already.
  Task<std::unique_ptr<Place>> enter(std::string target) {
    Lane& lane = lanes_[target];
    if (lane.under_way < kSendsPerTargetMax) {
      ++lane.under_way;
      co_return std::make_unique<Place>(*this, std::move(target));
    }
    if (lane.waiting.size() >= kWaitingPerTargetMax) co_return nullptr;
    Waiting waiting{*this, target, std::make_shared<base::Future<bool>>()};
    lane.waiting.push_back(waiting.turn);
    (void)co_await *waiting.turn;
    waiting.turn = nullptr;  // the place is this one's now
    co_return std::make_unique<Place>(*this, std::move(target));
  }

 private:
  using Turn = std::shared_ptr<base::Future<bool>>;
  struct Lane {
    size_t under_way = 0;
    std::deque<Turn> waiting;
  };
  // Stops waiting if its coroutine is destroyed, be it between its turn and going on.
  struct Waiting {
    Lanes& lanes;
    const std::string& target;
    Turn turn;
    ~Waiting() {
      if (!turn) return;
      if (turn->has_value()) lanes.leave(target);
      else std::erase(lanes.lanes_[target].waiting, turn);
    }
  };

  void leave(const std::string& target) {
    const auto lane = lanes_.find(target);
    if (!lane->second.waiting.empty()) {
      lane->second.waiting.front()->set(true);
      lane->second.waiting.pop_front();
    } else if (--lane->second.under_way == 0) {
      lanes_.erase(lane);
    }
  }

  std::map<std::string, Lane> lanes_;
};

Deliveries::Deliveries(store::Store& store, base::Clock& clock, TimerService& timers)
    : store_(store), clock_(clock), timers_(timers) {}

void Deliveries::send_with(std::string_view target_kind, Sender sender, DeadLetterPayload dead_letter_payload,
                           EndHook on_end, SendOptions options) {
  const bool may_hang = options.targets == Targets::may_hang;
  const std::string timer_kind = store::delivery_timer_kind(target_kind);
  const Kind& kind = kinds_[std::string(target_kind)] = {
      std::move(sender), std::move(dead_letter_payload), std::move(on_end), std::move(options.on_put_off),
      may_hang ? std::make_shared<Lanes>() : nullptr, std::move(options.lane_of)};
  timers_.handle(
      store::TimerKind{timer_kind}, [this, &kind](const store::Timer& timer) { return attempt(timer, kind); },
      {.concurrent_max = may_hang ? kConcurrentSendsToTargetsMax : options.concurrent_max,
       .is_shared_out = options.is_shared_out});
}

// Without holding on to a snapshot: sending may take minutes, in which the store could clear away nothing.
Task<std::optional<store::Delivery>> Deliveries::load(const std::string& id) {
  const auto snapshot = store_.snapshot();
  co_return co_await store::load_delivery(*snapshot, id);
}

Task<bool> Deliveries::send_ahead(const store::Delivery& delivery) {
  const Kind& kind = kinds_.at(delivery.target_kind);
  assert(!kind.lanes && !kind.on_end);
  store::SendOutcome outcome = co_await send_with_sender(kind.sender, delivery);
  if (outcome.status == store::SendStatus::delivered) co_return true;
  ahead_[delivery.id] = std::move(outcome);
  co_return false;
}

Task<Deliveries::Attempt> Deliveries::send(const store::Timer& timer, const store::Delivery& delivery, const Kind& kind) {
  if (auto made = unrecorded_.take(timer)) co_return Attempt{.outcome = *std::move(made)};
  if (const auto made = ahead_.extract(delivery.id)) co_return Attempt{.outcome = std::move(made.mapped())};
  std::unique_ptr<Lanes::Place> place;
  if (kind.lanes) {
    place = co_await kind.lanes->enter(kind.lane_of ? kind.lane_of(delivery) : delivery.target);
    if (!place) co_return Attempt{.outcome = {store::SendStatus::unavailable, "too much waits for the target"}};
  }
  if (store::is_too_old(delivery, clock_.now())) co_return Attempt{.is_too_old = true};
  co_return Attempt{.outcome = co_await send_with_sender(kind.sender, delivery)};
}

Task<void> Deliveries::attempt(const store::Timer& timer, const Kind& kind) {
  auto delivery = co_await load(timer.id);
  if (!delivery) co_return;

  const auto [too_old, outcome] = co_await send(timer, *delivery, kind);

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
  store::DeliveryFate ended{};
  try {
    ended = co_await store_.transact([&](store::Transaction& txn) -> Task<store::DeliveryFate> {
      if (too_old) co_return co_await store::record_too_old(txn, timer, give_up);
      const store::DeliveryFate fate = co_await store::record_outcome(txn, timer, outcome, now, give_up);
      if (fate == store::DeliveryFate::done && kind.on_end) co_await kind.on_end(txn, *delivery, std::nullopt);
      co_return fate;
    });
  } catch (const std::exception&) {
    if (!too_old) unrecorded_.keep(timer, outcome, outcome.error.size() + outcome.answer.size());
    throw;  // the timer stands, and runs again
  }
  const bool put_off = ended == store::DeliveryFate::rescheduled && outcome.status == store::SendStatus::unavailable;
  if (put_off && kind.on_put_off) kind.on_put_off(*delivery);
  if (ended != store::DeliveryFate::given_up) co_return;
  tell_given_up(*delivery, why_given_up, outcome.error.empty() ? delivery->last_error : outcome.error);
}

void Deliveries::tell_given_up(const store::Delivery& delivery, store::GiveUpReason reason, std::string error) {
  given_up_.warn({{"kind", delivery.target_kind},
                  {"target", shown(delivery.target)},
                  {"reason", std::string(describe(reason))}},
                 {{"id", delivery.id}, {"error", std::move(error)}});
}

}  // namespace tidemill::engine
