#include "services/sqs/receiver.h"

#include <algorithm>

#include "services/sqs/errors.h"

namespace tidemill::sqs {

// A place in the line, also if whoever holds it is destroyed.
class Receiver::Place {
 public:
  Place(Receiver& receiver, WaiterPtr waiter) : receiver_(receiver) {
    const std::lock_guard lock(receiver_.mutex_);
    if (receiver_.waiting_.size() >= kWaitingMax) throw store::Overloaded("too many receivers wait for one queue");
    waiter->joined = receiver_.passes_;
    place_ = receiver_.waiting_.insert(receiver_.waiting_.end(), std::move(waiter));
  }
  ~Place() {
    const std::lock_guard lock(receiver_.mutex_);
    const bool was_first = place_ == receiver_.waiting_.begin();
    if ((*place_)->wants_end) --receiver_.wanting_end_;
    receiver_.waiting_.erase(place_);
    // Whoever is first now takes over looking after the time.
    if (was_first && !receiver_.waiting_.empty()) receiver_.waiting_.front()->request.signal.signal();
    receiver_.wake_first_if_needed();
  }
  Place(const Place&) = delete;

 private:
  Receiver& receiver_;
  std::list<WaiterPtr>::iterator place_;
};

// The time in which one waiter leads: ends it also if the leader is destroyed or fails.
class Receiver::Pass {
 public:
  explicit Pass(Receiver& receiver) : receiver_(receiver) {
    const std::lock_guard lock(receiver_.mutex_);
    number_ = receiver_.passes_;
    receiver_.is_later_unknown_ = false;
    for (const WaiterPtr& waiter : receiver_.waiting_) {
      if (served_.size() == kServedPerPassMax) break;
      if (waiter->is_done) continue;
      waiter->is_served = true;
      served_.push_back(waiter);
    }
    latest_arrival_ = receiver_.arrivals_.latest();
    began_ = receiver_.clock_.now();
    floor_ = receiver_.floor(began_);
    if (receiver_.is_later_kept_) later_ = receiver_.later_;
    // Before the snapshot of the transaction, so that whatever it does not show is at the horizon or later.
    horizon_ = receiver_.arrivals_.horizon(began_);
  }
  ~Pass() {
    const std::lock_guard lock(receiver_.mutex_);
    receiver_.running_ = false;
    if (!has_result_) {
      receiver_.dirty_ = true;
      receiver_.later_ = base::Time::min();
    }
    for (const WaiterPtr& waiter : served_) {
      waiter->is_served = false;
      if (waiter->is_done) waiter->request.signal.signal();
    }
    receiver_.wake_those_who_want_the_end();
    receiver_.wake_first_if_needed();
  }
  Pass(const Pass&) = delete;

  void set_result(TakeResult result) {
    const std::lock_guard lock(receiver_.mutex_);
    has_result_ = true;
    for (size_t i = 0; i < served_.size(); ++i) {
      if (result.taken[i].empty()) continue;
      served_[i]->taken = std::move(result.taken[i]);
      served_[i]->is_done = true;
    }
    receiver_.floor_ = std::min(result.floor, horizon_);
    if (result.exhausted)
      receiver_.exhausted_pass_ = number_;
    else
      receiver_.dirty_ = true;
    receiver_.next_ = result.next;
    receiver_.later_ = receiver_.is_later_unknown_ || receiver_.address_.is_fifo() ? base::Time::min() : result.later;
    receiver_.is_over_limit_ = result.is_over_limit;
  }

  [[nodiscard]] std::vector<Wanted> wanted() const {
    std::vector<Wanted> result;
    for (const WaiterPtr& waiter : served_) result.push_back(waiter->request.wanted);
    return result;
  }
  [[nodiscard]] base::Time floor() const { return floor_; }
  // If the clock went back, what was sent before may come still.
  [[nodiscard]] std::optional<base::Time> later(base::Time now) const {
    return later_ && now < latest_arrival_ ? base::Time::min() : later_;
  }

 private:
  Receiver& receiver_;
  std::vector<WaiterPtr> served_;
  uint64_t number_ = 0;
  base::Time began_;
  base::Time floor_;
  base::Time horizon_;
  base::Time latest_arrival_;
  std::optional<base::Time> later_;
  bool has_result_ = false;
};

Receiver::Receiver(store::Store& store, base::Clock& clock, MessageStore& messages, Arrivals& arrivals,
                   Expected* expected, base::Survivors& under_way, const Queue& queue, size_t in_flight_max,
                   store::FloorPace floor_pace)
    : store_(store),
      clock_(clock),
      messages_(messages),
      arrivals_(arrivals),
      expected_(expected),
      under_way_(under_way),
      address_(queue.address),
      queue_id_(queue.id),
      in_flight_(in_flight_max),
      floor_pace_(floor_pace) {}

Task<std::vector<Taken>> Receiver::receive(Receive request) {
  const bool waits = request.deadline > clock_.now();
  if (waits || expected_) subscribe();
  const auto waiter = std::make_shared<Waiter>(Waiter{.request = std::move(request)});
  const Place place(*this, waiter);
  for (;;) {
    Wait wait;
    std::optional<base::Time> next;
    bool leads = false;
    {
      const std::lock_guard lock(mutex_);
      if (waiter->is_done) co_return std::move(waiter->taken);
      leads = begin_pass(*waiter);
      if (!leads) wait = wait_of(*waiter);
      if (wait.is_over && is_over_limit_ && !waits && !address_.is_fifo()) throw over_limit();
      if (wait.is_over) next = next_;
    }
    if (leads) {
      co_await under_way_.outlive(lead(shared_from_this()));
    } else if (wait.is_over) {
      if (expected_ && next) expected_->add(*next);
      co_return std::vector<Taken>{};
    } else if (wait.until) {
      (void)co_await clock_.wait(waiter->request.signal, *wait.until);
    } else {
      co_await waiter->request.signal;
    }
  }
}

Task<void> Receiver::lead(std::shared_ptr<Receiver> self) {
  base::Time now;
  bool raises_floors = false;
  {
    Pass pass(*self);
    const Arrivals::Arrival arrival(self->arrivals_, self->clock_.now());
    now = arrival.time();
    TakeResult result = co_await self->take(pass, now);
    raises_floors = self->floor_pace_.looked(result.count());
    pass.set_result(std::move(result));
  }
  if (raises_floors) co_await raise_floors(self->store_, self->queue_id_, now);
}

Task<TakeResult> Receiver::take(const Pass& pass, base::Time now) {
  const std::vector<Wanted> wanted = pass.wanted();
  const auto snapshot = store_.snapshot();
  const QueuePtr found = co_await messages_.queues().find(*snapshot, address_);
  if (!found || found->id != queue_id_) throw queue_does_not_exist();
  const size_t room = co_await in_flight_.room(store_, *found, now);
  TakeResult result = co_await store_.transact([&](store::Transaction& txn) -> Task<TakeResult> {
    const QueuePtr queue = co_await messages_.queues().find(txn, address_);
    if (!queue || queue->id != queue_id_) throw queue_does_not_exist();
    Taking taking(txn, messages_, *queue, wanted, pass.floor(), now, room, pass.later(now));
    co_return co_await taking.run();
  });
  in_flight_.add(result.count());
  if (room > 0 || result.exhausted) co_return result;
  // Nobody is told when others are deleted or time out.
  result.is_over_limit = true;
  result.exhausted = true;
  result.next = now + InFlight::kCountedAgainAfter;
  co_return result;
}

void Receiver::subscribe() {
  std::call_once(subscribed_, [this] {
    subscription_ = store_.subscribe(queue_topic(queue_id_), [this] { on_signal(); });
    later_subscription_ = store_.subscribe(queue_later_topic(queue_id_), [this] { on_later_signal(); });
    const std::lock_guard lock(mutex_);
    is_later_kept_ = true;
  });
}

// A pass whose transaction began before that commit does not know better; one that begins from now on sees it.
void Receiver::on_later_signal() {
  const std::lock_guard lock(mutex_);
  is_later_unknown_ = true;
  later_ = base::Time::min();
  // A pass may have begun since on_signal() was called for the same commit.
  dirty_ = true;
  wake_first_if_needed();
}

void Receiver::on_signal() {
  const std::lock_guard lock(mutex_);
  dirty_ = true;
  wake_first_if_needed();
}

bool Receiver::needs_pass() const {
  if (waiting_.empty()) return false;
  return dirty_ || !is_tried(*waiting_.back()) || (next_ && *next_ <= clock_.now());
}

bool Receiver::begin_pass(const Waiter& waiter) {
  if (running_ || waiter.is_done || !needs_pass()) return false;
  running_ = true;
  dirty_ = false;
  ++passes_;
  return true;
}

Receiver::Wait Receiver::wait_of(Waiter& waiter) {
  // What a pass may be about to give it must not be lost, and it has not had its try before one has looked for it.
  if (waiter.is_served || !is_tried(waiter)) {
    if (!std::exchange(waiter.wants_end, true)) ++wanting_end_;
    return {};
  }
  const auto& interrupted = waiter.request.interrupted;
  const bool is_interrupted = interrupted && interrupted->load(std::memory_order_relaxed);
  if (is_interrupted || waiter.request.deadline <= clock_.now()) return {.is_over = true};
  base::Time until = waiter.request.deadline;
  if (next_ && waiting_.front().get() == &waiter) until = std::min(until, *next_);
  // A deadline that never comes is none: a clock that jumps would jump to it.
  if (until == base::Time::max()) return {};
  return {.until = until};
}

void Receiver::wake_first_if_needed() {
  if (!running_ && needs_pass()) waiting_.front()->request.signal.signal();
}

void Receiver::wake_those_who_want_the_end() {
  if (std::exchange(wanting_end_, 0) == 0) return;
  for (const WaiterPtr& waiter : waiting_) {
    if (std::exchange(waiter->wants_end, false)) waiter->request.signal.signal();
  }
}

base::Time Receiver::floor(base::Time now) {
  if (now < floor_began_ || now - floor_began_ > kFloorLifetime) {
    floor_began_ = now;
    floor_ = base::Time::min();
    later_ = base::Time::min();
  }
  return std::min(floor_, now);
}

std::shared_ptr<Receiver> Receivers::of(const Queue& queue) {
  const std::lock_guard lock(mutex_);
  if (receivers_.size() >= kKeptMax) {
    std::erase_if(receivers_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  auto& receiver = receivers_[queue.id];
  if (!receiver) {
    receiver = std::make_shared<Receiver>(store_, clock_, messages_, arrivals_, expected_, under_way_, queue,
                                          in_flight_max_, floor_pace_);
  }
  return receiver;
}

}  // namespace tidemill::sqs
