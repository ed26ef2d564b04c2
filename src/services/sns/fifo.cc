#include "services/sns/fifo.h"

#include <stdexcept>

#include "base/ordered.h"
#include "store/keys.h"
#include "store/timer.h"

namespace tidemill::sns {
namespace {

constexpr std::string_view kForgetTimer = "sns-forget-duplicate";  // its id is the key
constexpr char kSequencePart = 'n';
constexpr char kDuplicatePart = 'd';
constexpr char kLanePart = 'l';
constexpr char kLaneMarkPart = 'q';

std::string part_prefix(char part) { return {static_cast<char>(store::KeySpace::notification), part}; }

std::string topic_part(char part, const Topic& topic) { return part_prefix(part) + topic.id; }

std::string duplicate_key(const Topic& topic, const Message& message) {
  std::string key = topic_part(kDuplicatePart, topic);
  base::append_string(key, topic.deduplicates_by_group ? message.group : "");
  base::append_string(key, message.deduplication_id);
  return key;
}

std::string of_lane(char part, std::string_view subscription_id, const Message& message) {
  std::string key = part_prefix(part);
  base::append_string(key, subscription_id);
  base::append_string(key, message.group);
  return key;
}

std::string lane_key(std::string_view subscription_id, const Message& message, uint64_t sequence) {
  std::string key = of_lane(kLanePart, subscription_id, message);
  base::append_u64(key, sequence);
  return key;
}

// What a FIFO topic counts.
struct Sequence {
  uint64_t last = 0;
  // From this message on, lanes that hold messages are marked; earlier versions did not.
  uint64_t first_marked = 0;
};

std::string encode(const Sequence& sequence) {
  std::string value;
  base::append_u64(value, sequence.last);
  base::append_u64(value, sequence.first_marked);
  return value;
}

Sequence decode_sequence(const std::optional<std::string>& bytes) {
  if (!bytes) return {};
  base::OrderedReader reader(*bytes);
  Sequence sequence;
  sequence.last = reader.u64();
  sequence.first_marked = reader.at_end() ? sequence.last + 1 : reader.u64();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a topic's sequence number is damaged");
  return sequence;
}

struct Remembered {
  base::Time expires;
  Duplicate duplicate;
};

Remembered decode_remembered(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  Remembered result;
  result.expires = base::Time(base::Duration(reader.i64()));
  result.duplicate.message_id = reader.string();
  result.duplicate.sequence = reader.u64();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a remembered message of a topic is damaged");
  return result;
}

// The first of the lane from `from` on and before `end`; nothing: there is none.
Task<std::optional<std::string>> first_of_lane(store::Transaction& txn, std::string from, std::string end) {
  std::optional<std::string> first;
  const store::Range range{std::move(from), std::move(end)};
  co_await txn.scan(range, store::first(1), [&](std::string_view, std::string_view value) {
    first = value;
    return true;
  });
  co_return first;
}

Task<void> forget(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  const base::Time now = clock.now();
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const auto bytes = co_await txn.get(timer.id);
    if (bytes && decode_remembered(*bytes).expires <= now) txn.erase(timer.id);
  });
}

}  // namespace

Task<std::optional<Duplicate>> find_duplicate(store::Transaction& txn, const Topic& topic, const Message& message,
                                              base::Time now) {
  const auto bytes = co_await txn.get(duplicate_key(topic, message));
  if (!bytes) co_return std::nullopt;
  Remembered remembered = decode_remembered(*bytes);
  if (remembered.expires <= now) co_return std::nullopt;
  co_return std::move(remembered.duplicate);
}

Task<void> remember(store::Transaction& txn, const Topic& topic, const Message& message, base::Time now) {
  const base::Time expires = now + kDeduplicationWindow;
  std::string value;
  base::append_i64(value, expires.time_since_epoch().count());
  base::append_string(value, message.id);
  base::append_u64(value, message.sequence);
  std::string key = duplicate_key(topic, message);
  txn.put(key, value);
  co_await store::set_timer(txn, {std::string(kForgetTimer), std::move(key), expires, ""});
}

void forget_duplicates_by(engine::TimerService& timers, store::Store& store, base::Clock& clock) {
  timers.handle(store::TimerKind{kForgetTimer},
                [&store, &clock](const store::Timer& timer) { return forget(store, clock, timer); },
                {.purpose = base::Purpose::housekeeping});
}

void forget_all(store::Transaction& txn, const Topic& topic) {
  // The timers find nothing, each at its time.
  txn.erase_range(store::Range::prefix(topic_part(kDuplicatePart, topic)));
  txn.erase(topic_part(kSequencePart, topic));
}

Task<uint64_t> next_sequence(store::Transaction& txn, const Topic& topic) {
  const std::string key = topic_part(kSequencePart, topic);
  Sequence sequence = decode_sequence(co_await txn.get(key));
  ++sequence.last;
  txn.put(key, encode(sequence));
  co_return sequence.last;
}

Task<bool> join_lane(store::Transaction& txn, const Topic& topic, std::string_view subscription_id,
                     const Message& message) {
  const std::string mark = of_lane(kLaneMarkPart, subscription_id, message);
  bool is_first = !co_await txn.get(mark);
  if (is_first) {
    const Sequence sequence = decode_sequence(co_await txn.get(topic_part(kSequencePart, topic)));
    is_first = !co_await first_of_lane(txn, lane_key(subscription_id, message, 0),
                                       lane_key(subscription_id, message, sequence.first_marked));
    txn.put(mark, "");
  }
  txn.put(lane_key(subscription_id, message, message.sequence), message.id);
  co_return is_first;
}

Task<std::optional<std::string>> leave_lane(store::Transaction& txn, std::string_view subscription_id,
                                            const Message& message) {
  txn.erase(lane_key(subscription_id, message, message.sequence));
  auto next = co_await first_of_lane(txn, lane_key(subscription_id, message, message.sequence + 1),
                                     base::prefix_end(of_lane(kLanePart, subscription_id, message)));
  if (!next) txn.erase(of_lane(kLaneMarkPart, subscription_id, message));
  co_return next;
}

}  // namespace tidemill::sns
