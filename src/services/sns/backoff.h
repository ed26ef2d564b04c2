// Topics that hold back, by the attribute TidemillBackoff (beyond AWS; docs/sns.md): a function that fails a thousand
// times must not send a thousand alarms. Messages are told apart by who fails and why (principal and cause). Of each
// kind the first is delivered at once, the next only when a wait has passed since the last that was, and the waits grow
// by a ladder whose last step repeats. What comes in between is acknowledged, counted and not delivered; the next
// message that is delivered tells of it by the attributes below. Once the reset time has passed since the first report,
// the ladder begins anew.
//
// Who publishes decides in the transaction that publishes, so that however many do at once, one is delivered.
//
//   N b topic-id string(principal) string(cause)    the state of the kind, JSON
//   timer "sns-backoff-reset"                       id: that key
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/timer_service.h"
#include "services/sns/message.h"
#include "services/sns/topic.h"
#include "store/store.h"

namespace tidemill::sns {

inline constexpr std::string_view kBackoffAttribute = "TidemillBackoff";  // of a topic

// Of a message that is delivered after others were held back: how many, and when the first and the last of them came.
inline constexpr std::string_view kSuppressedCount = "SuppressedCount";
inline constexpr std::string_view kSuppressedFirst = "SuppressedFirst";
inline constexpr std::string_view kSuppressedLast = "SuppressedLast";

struct BackoffKey {
  std::string principal;
  std::string cause;
};

struct BackoffState {
  base::Time first;  // report since the last reset
  base::Time last;
  int64_t reports = 0;
  int64_t deliveries = 0;
  base::Time next;         // before this, nothing is delivered
  base::Time resets;       // the ladder begins anew
  int64_t suppressed = 0;  // since the last delivery
  base::Time suppressed_first;
  base::Time suppressed_last;
  std::optional<base::Time> silenced_until;
};

// Of whom and of what the message tells: its attributes principal_id and cause_id (or those that the policy names);
// what they do not say, a failure document in its text does (its function's ARN, the type of its error). Otherwise
// empty.
[[nodiscard]] BackoffKey backoff_key(const BackoffPolicy& policy, const Message& message);

// Whether a message to a topic that holds back is to be delivered, which is then written down; it says itself what was
// held back before. May be repeated in a transaction that runs again.
Task<bool> passes_backoff(store::Transaction& txn, const Topic& topic, Message& message, base::Time now);

// The states of a topic, in order, at most kBackoffStatesMax from behind `after`.
inline constexpr size_t kBackoffStatesMax = 1'000;
struct BackoffEntry {
  BackoffKey key;
  BackoffState state;
};
Task<std::vector<BackoffEntry>> list_backoff(store::Snapshot& snapshot, const Topic& topic,
                                             std::optional<BackoffKey> after);
// Nothing of that kind is delivered until then; it is counted as what is held back otherwise. False: nothing of the
// kind has been reported yet, and nothing is silenced.
Task<bool> silence_backoff(store::Transaction& txn, const Topic& topic, BackoffKey key, base::Time until);
// The kind begins anew, heard again. False: as above.
Task<bool> reset_backoff(store::Transaction& txn, const Topic& topic, BackoffKey key);

// The topic is gone.
void forget_backoff(store::Transaction& txn, const Topic& topic);
// Forgets what has nothing to tell any more. Before the timers start.
void forget_backoff_by(engine::TimerService& timers, store::Store& store, base::Clock& clock);

}  // namespace tidemill::sns
