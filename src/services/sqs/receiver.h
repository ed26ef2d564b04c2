// Those who receive from one queue. They do not race each other: one transaction at a time takes messages for all that
// wait, led by one of them, so receivers neither conflict nor sync the disk one by one.
//
// Who waits is woken by a message for it, or by the end of its wait. Only the first in line looks when the next delay
// or visibility timeout ends, and only one is woken by what is sent, so a thousand waiting receivers cost what one
// costs. There is no polling.
//
// Correctness does not rest on there being one Receiver per queue, or one process: transactions of others conflict.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/future.h"
#include "base/survivors.h"
#include "services/sqs/arrivals.h"
#include "services/sqs/expected.h"
#include "services/sqs/in_flight.h"
#include "services/sqs/queue_floors.h"
#include "services/sqs/taking.h"
#include "store/store.h"

namespace tidemill::sqs {

struct Receive {
  Wanted wanted;
  base::Time deadline;  // answers without messages then; now: does not wait; max: waits without end

  // Set, and then `signal` raised: it answers at once, or after the pass that may be about to give it something. May be
  // null.
  std::shared_ptr<std::atomic<bool>> interrupted = {};
  base::Signal signal = {};  // wakes it
};

// Any thread. Kept by shared pointers: what a leader does goes on to its end though the leader leaves, since it is for
// all who wait.
class Receiver : public std::enable_shared_from_this<Receiver> {
 public:
  static constexpr size_t kServedPerPassMax = 64;
  static constexpr size_t kWaitingMax = 10'000;  // beyond: store::Overloaded
  // The queue is looked through from its stored floor on again after this, in case the machine's clock went back.
  static constexpr std::chrono::seconds kFloorLifetime{10};

  // `expected`: is told when there will be something for who is answered without a message; may be null.
  Receiver(store::Store& store, base::Clock& clock, MessageStore& messages, Arrivals& arrivals, Expected* expected,
           base::Survivors& under_way, const Queue& queue, size_t in_flight_max, store::FloorPace floor_pace);
  Receiver(const Receiver&) = delete;

  // Throws QueueDoesNotExist, also when that happens while it waits, and OverLimit.
  Task<std::vector<Taken>> receive(Receive request);

 private:
  struct Waiter {
    Receive request;
    std::vector<Taken> taken;
    // Under the mutex:
    uint64_t joined = 0;     // passes that had begun
    bool is_served = false;  // a pass is looking for messages for it
    bool wants_end = false;  // it waits for the end of a pass, however long that takes
    bool is_done = false;    // `taken` is final
  };
  using WaiterPtr = std::shared_ptr<Waiter>;
  class Place;
  class Pass;
  struct Wait {
    bool is_over = false;
    std::optional<base::Time> until;  // nothing: until it is woken
  };

  static Task<void> lead(std::shared_ptr<Receiver> self);
  Task<TakeResult> take(const Pass& pass, base::Time now);
  void on_signal();
  void on_later_signal();
  void subscribe();
  // All of these under the mutex.
  [[nodiscard]] bool needs_pass() const;
  [[nodiscard]] bool begin_pass(const Waiter& waiter);
  [[nodiscard]] Wait wait_of(Waiter& waiter);
  [[nodiscard]] bool is_tried(const Waiter& waiter) const { return exhausted_pass_ > waiter.joined; }
  void wake_first_if_needed();
  void wake_those_who_want_the_end();
  [[nodiscard]] base::Time floor(base::Time now);

  store::Store& store_;
  base::Clock& clock_;
  MessageStore& messages_;
  Arrivals& arrivals_;
  Expected* const expected_;
  base::Survivors& under_way_;
  const QueueAddress address_;
  const std::string queue_id_;

  std::mutex mutex_;
  std::list<WaiterPtr> waiting_;
  size_t wanting_end_ = 0;  // how many of them want the end of a pass
  bool running_ = false;
  bool dirty_ = false;              // something may have become available since the last pass began
  uint64_t passes_ = 0;             // begun
  uint64_t exhausted_pass_ = 0;     // the last that left nothing available
  std::optional<base::Time> next_;  // when something becomes available by itself
  bool is_over_limit_ = false;      // the last pass found too many in flight
  base::Time floor_{base::Time::min()};
  base::Time floor_began_;
  // Nothing becomes available by itself before, of a standard queue: what passes hide lowers it, others' commits make
  // it unknown. Kept while commits are listened to, which is once somebody has waited; until then nobody wants to know.
  base::Time later_{base::Time::min()};
  bool is_later_kept_ = false;
  bool is_later_unknown_ = false;  // since the pass began

  // Of the pass that is under way.
  InFlight in_flight_;
  store::FloorPace floor_pace_;

  std::once_flag subscribed_;
  // Destroyed first: their callbacks use what stands above.
  store::Subscription subscription_;
  store::Subscription later_subscription_;
};

// The receivers of all queues that anybody receives from. Any thread.
class Receivers {
 public:
  static constexpr size_t kKeptMax = 10'000;  // beyond, those that nobody uses go

  // `expected` may be null (Receiver).
  Receivers(store::Store& store, base::Clock& clock, MessageStore& messages, Arrivals& arrivals, Expected* expected,
            size_t in_flight_max, store::FloorPace floor_pace)
      : store_(store),
        clock_(clock),
        messages_(messages),
        arrivals_(arrivals),
        expected_(expected),
        in_flight_max_(in_flight_max),
        floor_pace_(floor_pace),
        under_way_(clock.activity()) {}

  [[nodiscard]] std::shared_ptr<Receiver> of(const Queue& queue);

 private:
  store::Store& store_;
  base::Clock& clock_;
  MessageStore& messages_;
  Arrivals& arrivals_;
  Expected* const expected_;
  const size_t in_flight_max_;
  const store::FloorPace floor_pace_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Receiver>> receivers_;  // by queue id
  base::Survivors under_way_;  // passes whose leaders have left
};

}  // namespace tidemill::sqs
