// The delivery primitive: a payload on its way to a target, with a retry policy, a maximum age and a dead-letter
// place. It is enqueued in the transaction that gives rise to it and stays until its target took it or its policy
// gave up. This file keeps deliveries in the store; engine/deliveries.h sends them.
//
// When a delivery is due is a timer of the kind delivery_timer_kind(target_kind), whose id is the delivery's: in the
// partition of its owner (store/timer.h), if it has one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::store {

struct RetryPolicy {
  std::vector<base::Duration> delays;  // before the second attempt, the third, ...; the last one repeats. None: at once
  int attempts_max = 1;                // attempts that count; at least 1
  base::Duration age_max = std::chrono::hours(24);  // since `created`; no attempt starts when it is older
};

struct Delivery {
  std::string id;           // unique among all deliveries
  std::string target_kind;  // which sender takes it; short and stable, since it is stored: "lambda"
  std::string target;       // the sender's own, an ARN say
  std::string payload;
  RetryPolicy policy;
  std::string dead_letter_kind;    // where it goes when the policy gives up; "": nowhere
  std::string dead_letter_target;
  std::string trace_header = {};  // what gave rise to it, for the target (wire/trace_header.h)
  // Who has a share of what may be under way to targets of this kind, if its sender shares it out; else "".
  std::string owner = {};

  // Kept here.
  base::Time created;
  int attempts = 0;           // that failed and count
  int times_unavailable = 0;  // in a row
  std::string last_error;

  // What the last attempt's target answered (SendOutcome::answer), for the hooks of the end. Not stored: empty if the
  // delivery ends without an attempt.
  std::string last_answer;
};

// How one attempt ended.
enum class SendStatus {
  delivered,
  failed,       // counts as an attempt
  unavailable,  // the target cannot be asked now (throttled, say): tried again later, until it is too old
  rejected,     // will never succeed
};
struct SendOutcome {
  SendStatus status = SendStatus::delivered;
  std::string error;
  std::string answer = {};  // the sender's own
};

enum class GiveUpReason { rejected, attempts_exhausted, age_exceeded };

// Called in the transaction that gives a delivery up; it may enqueue others.
using GiveUpHook = std::function<Task<void>(Transaction& txn, const Delivery& delivery, GiveUpReason reason)>;

// While a target is unavailable: the first wait, doubled each time, and the longest.
inline constexpr base::Duration kUnavailableDelayFirst = std::chrono::seconds(1);
inline constexpr base::Duration kUnavailableDelayMax = std::chrono::minutes(5);

// The first attempt is due `delay` after `now`, which becomes `created`.
Task<void> enqueue_delivery(Transaction& txn, Delivery delivery, base::Time now, base::Duration delay = {});

Task<std::optional<Delivery>> load_delivery(Snapshot& snapshot, std::string_view id);

// Whether there is one, for less than loading it.
Task<bool> delivery_stands(Snapshot& snapshot, std::string_view id);

// Forgets it, wherever it stands; nothing happens if there is none.
Task<void> cancel_delivery(Transaction& txn, std::string_view id);

// Makes its next attempt due now. Nothing happens if there is no such delivery, or if it is due, or almost: it may be
// under way then, and would be sent twice. False: there is no such delivery.
inline constexpr base::Duration kHurriedFrom = std::chrono::milliseconds(100);
Task<bool> hurry_delivery(Transaction& txn, std::string_view id, base::Time now);

// Those whose id begins with `id_prefix` and whose target was unavailable at the last attempt, at most `limit`. Without
// their payloads.
Task<std::vector<Delivery>> unavailable_deliveries(Snapshot& snapshot, std::string_view id_prefix, size_t limit);

// Whether it is too old for an attempt that starts at `now`.
[[nodiscard]] bool is_too_old(const Delivery& delivery, base::Time now);

enum class DeliveryFate {
  unknown,      // `timer` is not the delivery's any more: another outcome has been recorded
  done,
  rescheduled,
  given_up,
};

// Records how the attempt that `timer` gave rise to has ended. When the policy gives up, `give_up` is called.
Task<DeliveryFate> record_outcome(Transaction& txn, const Timer& timer, const SendOutcome& outcome, base::Time now,
                                  const GiveUpHook& give_up);

// Gives up without an attempt since the delivery is too old.
Task<DeliveryFate> record_too_old(Transaction& txn, const Timer& timer, const GiveUpHook& give_up);

// What most give-up hooks do: sends `payload` to the delivery's dead-letter place, if it has one, as a delivery that
// has none itself.
Task<void> forward_to_dead_letter(Transaction& txn, const Delivery& delivery, std::string_view payload,
                                  base::Time now);

[[nodiscard]] std::string delivery_timer_kind(std::string_view target_kind);

}  // namespace tidemill::store
