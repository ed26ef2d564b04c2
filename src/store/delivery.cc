#include "store/delivery.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::store {

namespace {

// D p id -> what stays: kinds, targets, policy, creation time, payload
// D s id -> what each attempt changes: attempts, times unavailable, last error. Apart, so that a retry does not write
//           the payload again.
constexpr char kPayloadPart = 'p';
constexpr char kStatePart = 's';
constexpr size_t kKeyPrefixSize = 2;  // key space and part
// Beside the number of delays: a trace header comes next, and then an owner.
constexpr uint32_t kIsTraced = 1u << 31;
constexpr uint32_t kIsOwned = 1u << 30;

// A dead-letter place that does not answer: doubling from a second to five minutes, for a day.
RetryPolicy dead_letter_policy() {
  RetryPolicy policy;
  for (base::Duration delay = kUnavailableDelayFirst; delay < kUnavailableDelayMax; delay *= 2) {
    policy.delays.push_back(delay);
  }
  policy.delays.push_back(kUnavailableDelayMax);
  policy.attempts_max = std::numeric_limits<int>::max();
  return policy;
}

std::string delivery_key(char part, std::string_view id) {
  std::string key = {static_cast<char>(KeySpace::delivery), part};
  base::append_string(key, id);
  return key;
}

// The parts of those whose id begins with `id_prefix`.
Range deliveries_range(char part, std::string_view id_prefix) {
  constexpr size_t kEndOfString = 2;  // base/ordered.h
  std::string key = delivery_key(part, id_prefix);
  key.resize(key.size() - kEndOfString);
  return Range::prefix(key);
}

std::string encode_fixed_part(const Delivery& delivery) {
  std::string value;
  base::append_string(value, delivery.target_kind);
  base::append_string(value, delivery.target);
  base::append_string(value, delivery.dead_letter_kind);
  base::append_string(value, delivery.dead_letter_target);
  base::append_i64(value, delivery.created.time_since_epoch().count());
  base::append_u32(value, static_cast<uint32_t>(delivery.policy.attempts_max));
  base::append_i64(value, delivery.policy.age_max.count());
  const bool is_traced = !delivery.trace_header.empty();
  const bool is_owned = !delivery.owner.empty();
  base::append_u32(value, static_cast<uint32_t>(delivery.policy.delays.size()) | (is_traced ? kIsTraced : 0) |
                              (is_owned ? kIsOwned : 0));
  if (is_traced) base::append_string(value, delivery.trace_header);
  if (is_owned) base::append_string(value, delivery.owner);
  for (const base::Duration delay : delivery.policy.delays) base::append_i64(value, delay.count());
  base::append_fixed(value, delivery.payload);
  return value;
}

void decode_fixed_part(std::string_view value, Delivery& delivery) {
  base::OrderedReader reader(value);
  delivery.target_kind = reader.string();
  delivery.target = reader.string();
  delivery.dead_letter_kind = reader.string();
  delivery.dead_letter_target = reader.string();
  delivery.created = base::Time(base::Duration(reader.i64()));
  delivery.policy.attempts_max = static_cast<int>(reader.u32());
  delivery.policy.age_max = base::Duration(reader.i64());
  const uint32_t delays_and_flags = reader.u32();
  const uint32_t delays = delays_and_flags & ~(kIsTraced | kIsOwned);
  if ((delays_and_flags & kIsTraced) != 0) delivery.trace_header = reader.string();
  if ((delays_and_flags & kIsOwned) != 0) delivery.owner = reader.string();
  for (uint32_t n = 0; n < delays && reader.ok(); ++n) delivery.policy.delays.emplace_back(reader.i64());
  delivery.payload = reader.rest();
  if (!reader.ok()) throw std::runtime_error("a delivery is not readable");
}

std::string encode_state(const Delivery& delivery) {
  std::string value;
  base::append_u32(value, static_cast<uint32_t>(delivery.attempts));
  base::append_u32(value, static_cast<uint32_t>(delivery.times_unavailable));
  base::append_fixed(value, delivery.last_error);
  return value;
}

void decode_state(std::string_view value, Delivery& delivery) {
  base::OrderedReader reader(value);
  delivery.attempts = static_cast<int>(reader.u32());
  delivery.times_unavailable = static_cast<int>(reader.u32());
  delivery.last_error = reader.rest();
  if (!reader.ok()) throw std::runtime_error("a delivery's state is not readable");
}

std::string timer_kind_of(const Delivery& delivery) {
  const std::string kind = delivery_timer_kind(delivery.target_kind);
  return delivery.owner.empty() ? kind : timer_partition_of({kind}, delivery.owner);
}

void erase_delivery(Transaction& txn, std::string_view id) {
  txn.erase(delivery_key(kPayloadPart, id));
  txn.erase(delivery_key(kStatePart, id));
}

base::Duration delay_before_next(const Delivery& delivery, SendStatus status) {
  if (status == SendStatus::unavailable) {
    constexpr int kDoublingsMax = 20;  // far beyond the longest wait, far below an overflow
    const int doublings = std::min(delivery.times_unavailable - 1, kDoublingsMax);
    return std::min(kUnavailableDelayMax, kUnavailableDelayFirst * (1 << doublings));
  }
  const auto& delays = delivery.policy.delays;
  if (delays.empty()) return {};
  return delays[std::min(static_cast<size_t>(delivery.attempts - 1), delays.size() - 1)];
}

// Why there is no further attempt; nothing if there is one at `next`.
std::optional<GiveUpReason> reason_to_give_up(const Delivery& delivery, SendStatus status, base::Time next) {
  if (status == SendStatus::rejected) return GiveUpReason::rejected;
  if (delivery.attempts >= delivery.policy.attempts_max) return GiveUpReason::attempts_exhausted;
  if (is_too_old(delivery, next)) return GiveUpReason::age_exceeded;
  return std::nullopt;
}

// What waits for its target is tried a last time at the end of its age, however long its pause would be by then.
base::Time next_attempt(const Delivery& delivery, SendStatus status, base::Time now) {
  const base::Time next = now + delay_before_next(delivery, status);
  const base::Time end = delivery.created + delivery.policy.age_max;
  return status == SendStatus::unavailable && now < end ? std::min(next, end) : next;
}

// Takes the delivery out of its timer; nothing if the timer is not the delivery's any more.
Task<std::optional<Delivery>> take(Transaction& txn, const Timer& timer) {
  if (!co_await finish_timer(txn, timer)) co_return std::nullopt;
  co_return co_await load_delivery(txn, timer.id);
}

}  // namespace

std::string delivery_timer_kind(std::string_view target_kind) { return "delivery." + std::string(target_kind); }

Task<void> enqueue_delivery(Transaction& txn, Delivery delivery, base::Time now, base::Duration delay) {
  delivery.created = now;
  delivery.attempts = 0;
  delivery.times_unavailable = 0;
  txn.put(delivery_key(kPayloadPart, delivery.id), encode_fixed_part(delivery));
  txn.put(delivery_key(kStatePart, delivery.id), encode_state(delivery));
  co_await set_timer(txn, {timer_kind_of(delivery), delivery.id, now + delay, ""});
}

Task<std::optional<Delivery>> load_delivery(Snapshot& snapshot, std::string_view id) {
  Delivery delivery;
  delivery.id = id;
  const auto fixed_part = co_await snapshot.get(delivery_key(kPayloadPart, id));
  if (!fixed_part) co_return std::nullopt;
  decode_fixed_part(*fixed_part, delivery);
  if (const auto state = co_await snapshot.get(delivery_key(kStatePart, id))) decode_state(*state, delivery);
  co_return delivery;
}

Task<bool> delivery_stands(Snapshot& snapshot, std::string_view id) {
  co_return (co_await snapshot.get(delivery_key(kStatePart, id))).has_value();
}

Task<void> cancel_delivery(Transaction& txn, std::string_view id) {
  const auto delivery = co_await load_delivery(txn, id);
  if (!delivery) co_return;
  const std::string timer_kind = timer_kind_of(*delivery);
  co_await cancel_timer(txn, {timer_kind}, id);
  erase_delivery(txn, id);
}

Task<bool> hurry_delivery(Transaction& txn, std::string_view id, base::Time now) {
  const auto delivery = co_await load_delivery(txn, id);
  if (!delivery) co_return false;
  const std::string kind = timer_kind_of(*delivery);
  const auto due = co_await timer_due(txn, {kind}, id);
  if (due && *due > now + kHurriedFrom) co_await set_timer(txn, {kind, delivery->id, now, ""});
  co_return true;
}

Task<std::vector<Delivery>> unavailable_deliveries(Snapshot& snapshot, std::string_view id_prefix, size_t limit) {
  std::vector<Delivery> found;
  co_await snapshot.scan(deliveries_range(kStatePart, id_prefix), Direction::forward,
                         [&](std::string_view key, std::string_view value) {
                           Delivery delivery;
                           decode_state(value, delivery);
                           if (delivery.times_unavailable == 0) return true;
                           base::OrderedReader reader(key.substr(kKeyPrefixSize));
                           delivery.id = reader.string();
                           found.push_back(std::move(delivery));
                           return found.size() < limit;
                         });
  for (Delivery& delivery : found) {
    if (const auto fixed_part = co_await snapshot.get(delivery_key(kPayloadPart, delivery.id))) {
      decode_fixed_part(*fixed_part, delivery);
      delivery.payload.clear();
      delivery.payload.shrink_to_fit();
    }
  }
  co_return found;
}

bool is_too_old(const Delivery& delivery, base::Time now) { return now - delivery.created > delivery.policy.age_max; }

Task<DeliveryFate> record_outcome(Transaction& txn, const Timer& timer, const SendOutcome& outcome, base::Time now,
                                  const GiveUpHook& give_up) {
  auto delivery = co_await take(txn, timer);
  if (!delivery) co_return DeliveryFate::unknown;
  if (outcome.status == SendStatus::delivered) {
    erase_delivery(txn, timer.id);
    co_return DeliveryFate::done;
  }
  delivery->last_error = outcome.error;
  delivery->last_answer = outcome.answer;
  if (outcome.status == SendStatus::unavailable) {
    ++delivery->times_unavailable;
  } else {
    ++delivery->attempts;
    delivery->times_unavailable = 0;
  }
  const base::Time next = next_attempt(*delivery, outcome.status, now);
  if (const auto reason = reason_to_give_up(*delivery, outcome.status, next)) {
    erase_delivery(txn, timer.id);
    co_await give_up(txn, *delivery, *reason);
    co_return DeliveryFate::given_up;
  }
  txn.put(delivery_key(kStatePart, timer.id), encode_state(*delivery));
  co_await set_timer(txn, {timer.kind, timer.id, next, ""});
  co_return DeliveryFate::rescheduled;
}

Task<DeliveryFate> record_too_old(Transaction& txn, const Timer& timer, const GiveUpHook& give_up) {
  const auto delivery = co_await take(txn, timer);
  if (!delivery) co_return DeliveryFate::unknown;
  erase_delivery(txn, timer.id);
  co_await give_up(txn, *delivery, GiveUpReason::age_exceeded);
  co_return DeliveryFate::given_up;
}

Task<void> forward_to_dead_letter(Transaction& txn, const Delivery& delivery, std::string_view payload,
                                  base::Time now) {
  if (delivery.dead_letter_kind.empty()) co_return;
  Delivery letter;
  letter.id = delivery.id + "/dead-letter";
  letter.target_kind = delivery.dead_letter_kind;
  letter.target = delivery.dead_letter_target;
  letter.payload = payload;
  letter.policy = dead_letter_policy();
  letter.last_error = delivery.last_error;
  co_await enqueue_delivery(txn, std::move(letter), now);
}

}  // namespace tidemill::store
