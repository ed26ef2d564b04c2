// Sends the store's deliveries: when one is due, its target kind's sender is asked to hand it over, and what came of
// it is recorded: done, tried again later as its policy says, or given up and sent to its dead-letter place. At least
// once: after a crash between sending and recording it is sent again. While the store takes no writes, for want of room
// say, what has come of it is kept in memory (unrecorded.h): it is recorded once it can be, and nothing is sent again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/seldom_log.h"
#include "engine/timer_service.h"
#include "engine/unrecorded.h"
#include "store/delivery.h"

namespace tidemill::engine {

// Attempts of one target kind that are under way at the same time, unless its registration says otherwise.
inline constexpr size_t kConcurrentSendsMax = 256;
// Of a kind whose targets may hang, each target has so many under way, and so many more that wait for one of these to end.
// What is due beyond is put off as if the target were unavailable, so that it is in nobody's way.
inline constexpr size_t kSendsPerTargetMax = 8;
inline constexpr size_t kWaitingPerTargetMax = 32;
inline constexpr size_t kConcurrentSendsToTargetsMax = 512;  // of all targets of such a kind, waiting ones with them

enum class Targets { answer, may_hang };

// How the deliveries of a target kind are sent.
struct SendOptions {
  Targets targets = Targets::answer;
  // Of targets that may hang: deliveries of which lane wait for each other. By default that is their target's.
  std::function<std::string(const store::Delivery& delivery)> lane_of = {};
  size_t concurrent_max = kConcurrentSendsMax;  // of targets that answer
  // Among the owners of the deliveries (store::Delivery::owner), as KindOptions' of timers. Otherwise they have none.
  bool is_shared_out = false;
  // Called once it is durable that a delivery whose target was unavailable is tried again later.
  std::function<void(const store::Delivery& delivery)> on_put_off = {};
};

class Deliveries {
 public:
  // One attempt. What it throws counts as a failed attempt with that message.
  using Sender = std::function<Task<store::SendOutcome>(const store::Delivery& delivery)>;

  // What goes to the dead-letter place: an AWS failure document, say. Without one it is the payload as it is.
  using DeadLetterPayload = std::function<std::string(const store::Delivery& delivery, store::GiveUpReason reason)>;

  // Called in the transaction in which a delivery ends, delivered (no reason) or given up; it may enqueue others.
  using EndHook = std::function<Task<void>(store::Transaction& txn, const store::Delivery& delivery,
                                           std::optional<store::GiveUpReason> reason)>;

  // All must outlive this; `timers` must be destroyed, or at least stopped, before this is. Same executor as theirs.
  Deliveries(store::Store& store, base::Clock& clock, TimerService& timers);
  Deliveries(const Deliveries&) = delete;

  // One sender per target kind, before the timer service starts. Deliveries of other kinds wait in the store.
  void send_with(std::string_view target_kind, Sender sender, DeadLetterPayload dead_letter_payload = {},
                 EndHook on_end = {}, SendOptions options = {});

  // For whom a durable cause of the delivery stands until he removes it, and whose kind has targets that answer and no
  // hook of the end: makes the first attempt before the delivery is enqueued. True: delivered, and there is nothing to
  // enqueue. Otherwise the caller enqueues it in the transaction that removes the cause, and it goes on from this attempt;
  // if he does not enqueue it, he calls forget_ahead(). After a crash in between, the cause gives rise to it again.
  Task<bool> send_ahead(const store::Delivery& delivery);
  void forget_ahead(const std::string& id) { ahead_.erase(id); }

 private:
  class Lanes;
  struct Kind {
    Sender sender;
    DeadLetterPayload dead_letter_payload;
    EndHook on_end;
    std::function<void(const store::Delivery& delivery)> on_put_off;
    std::shared_ptr<Lanes> lanes;  // null: all may be sent at once
    std::function<std::string(const store::Delivery& delivery)> lane_of;
  };
  struct Attempt {
    bool is_too_old = false;
    store::SendOutcome outcome;
  };
  Task<Attempt> send(const store::Timer& timer, const store::Delivery& delivery, const Kind& kind);
  Task<std::optional<store::Delivery>> load(const std::string& id);
  Task<void> attempt(const store::Timer& timer, const Kind& kind);
  void tell_given_up(const store::Delivery& delivery, store::GiveUpReason reason, std::string error);

  store::Store& store_;
  base::Clock& clock_;
  TimerService& timers_;
  std::map<std::string, Kind, std::less<>> kinds_;     // by target kind
  std::map<std::string, store::SendOutcome> ahead_;  // by id: of first attempts that did not deliver
  Unrecorded<store::SendOutcome> unrecorded_;
  base::SeldomLog given_up_{"delivery given up"};
};

}  // namespace tidemill::engine
