#include "services/sqs/counts.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "base/ordered.h"
#include "services/sqs/message_keys.h"
#include "store/keys.h"

namespace tidemill::sqs {
namespace {

constexpr char kQueues = 'q';
// The key space, the kind, the id, the class, the bucket, and whether it is of delayed ones.
constexpr size_t kKeySizeMax = 2 + kQueueIdSize + 1 + sizeof(int64_t) + 1;
constexpr uint8_t kAll = 0;
constexpr uint8_t kIsCounted = 0xff;

// How long messages of the class are hidden, and how wide its buckets are: 2 to the power of so many microseconds.
struct Class {
  int hidden_bits;
  int bucket_bits;
};
constexpr std::array<Class, 3> kClasses{{
    {26, 16},  // to 67 seconds: 66 ms
    {30, 20},  // to 18 minutes: 1 s
    {62, 25},  // to 12 hours: 34 s
}};

using Numbers = std::map<std::string, int64_t>;  // by key

std::string number_key(std::string_view queue_id, uint8_t kind) {
  std::string key;
  key.reserve(kKeySizeMax);
  key = {static_cast<char>(store::KeySpace::tally), kQueues};
  base::append_fixed(key, queue_id);
  base::append_u8(key, kind);
  return key;
}

std::string bucket_begin(std::string_view queue_id, size_t number, int64_t bucket) {
  std::string key = number_key(queue_id, static_cast<uint8_t>(number + 1));
  base::append_i64(key, bucket);
  return key;
}

int64_t bucket_at(size_t number, base::Time time) {
  return time.time_since_epoch().count() >> kClasses[number].bucket_bits;
}

// Nothing: it was never hidden.
std::optional<std::string> bucket_key(std::string_view queue_id, const MessageState& state) {
  if (state.receives == 0 && state.available == state.sent) return std::nullopt;
  const int64_t hidden = (state.available - (state.receives > 0 ? state.last_received : state.sent)).count();
  size_t number = 0;
  while (number + 1 < kClasses.size() && hidden >> kClasses[number].hidden_bits > 0) ++number;
  std::string key = bucket_begin(queue_id, number, bucket_at(number, state.available));
  base::append_u8(key, state.receives == 0 ? 1 : 0);
  return key;
}

int64_t decode_number(std::string_view value) {
  base::OrderedReader reader(value);
  const int64_t number = reader.i64();
  if (!reader.ok() || !reader.at_end()) throw std::runtime_error("a number of a queue's messages is damaged");
  return number;
}

// Calls change(key, by) for each number that the message counts in.
template <class Change>
void count_one(std::string_view queue_id, const MessageState& state, int64_t by, const Change& change) {
  change(number_key(queue_id, kAll), by);
  if (const auto key = bucket_key(queue_id, state)) change(*key, by);
}

// Those of the range's entries that hold a record.
Task<void> count_records(store::Snapshot& snapshot, store::Range range, const Queue& queue, Numbers& numbers) {
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view, std::string_view value) {
    if (value.empty()) return true;
    count_one(queue.id, decode_state(value), 1, [&](const std::string& number, int64_t by) { numbers[number] += by; });
    return true;
  });
}

// What the numbers lack in one snapshot, they lack ever after, since from then on every change is added. So nobody has
// to wait while the messages of a queue that was not counted are.
Task<Numbers> find_lack(store::Snapshot& snapshot, const Queue& queue) {
  Numbers lack;
  co_await count_records(snapshot, store::Range::prefix(states(queue.id).prefix()), queue, lack);
  if (!queue.is_fifo()) {
    co_await count_records(snapshot, store::Range::prefix(availability(queue.id).prefix()), queue, lack);
  }
  co_await snapshot.scan(counts_range(queue.id), store::Direction::forward,
                         [&](std::string_view key, std::string_view value) {
                           lack[std::string(key)] -= decode_number(value);
                           return true;
                         });
  co_return lack;
}

Task<void> begin_to_count(store::Store& store, const Queue& queue) {
  const std::string is_counted = is_counted_key(queue.id);
  for (bool is_done = false; !is_done;) {
    const auto snapshot = store.snapshot();
    const auto record = co_await snapshot->get(queue_key(queue.address));
    if (!record || decode_queue(queue.address, *record).id != queue.id) co_return;
    const Numbers lack = co_await find_lack(*snapshot, queue);
    is_done = co_await store.transact([&](store::Transaction& txn) -> Task<bool> {
      if (co_await txn.get(is_counted)) co_return true;
      // A queue that was purged meanwhile lacks something else.
      if (co_await txn.get(queue_key(queue.address)) != record) co_return false;
      for (const auto& [key, number] : lack) txn.add(key, number);
      txn.put(is_counted, "");
      co_return true;
    });
  }
}

uint64_t at_least_zero(int64_t number) { return static_cast<uint64_t>(std::max<int64_t>(number, 0)); }

// The first in the range that counts; at most kOldestLookedAtMax are looked at.
Task<std::optional<base::Time>> oldest_in(store::Snapshot& snapshot, store::Range range, const Queue& queue,
                                          base::Time now) {
  std::optional<base::Time> oldest;
  co_await snapshot.scan(range, store::first(kOldestLookedAtMax), [&](std::string_view, std::string_view value) {
    if (value.empty()) return true;
    const MessageState state = decode_state(value);
    const bool counts = queue.is_fifo() || state.receives <= kReceivesOfOldestMax;
    if (counts && queue.expiry_of(state.sent) > now) oldest = state.sent;
    return !oldest;
  });
  co_return oldest;
}

}  // namespace

Task<Counts> count_messages(store::Store& store, const Queue& queue, base::Time now) {
  auto snapshot = store.snapshot();
  if (!co_await snapshot->get(is_counted_key(queue.id))) {
    co_await begin_to_count(store, queue);
    snapshot = store.snapshot();
  }
  const auto all = co_await snapshot->get(number_key(queue.id, kAll));
  int64_t in_flight = 0;
  int64_t delayed = 0;
  for (size_t number = 0; number < kClasses.size(); ++number) {
    const store::Range later{bucket_begin(queue.id, number, bucket_at(number, now) + 1),
                             base::prefix_end(number_key(queue.id, static_cast<uint8_t>(number + 1)))};
    co_await snapshot->scan(later, store::Direction::forward, [&](std::string_view key, std::string_view value) {
      (key.back() == 0 ? in_flight : delayed) += decode_number(value);
      return true;
    });
  }
  co_return Counts{.visible = at_least_zero((all ? decode_number(*all) : 0) - in_flight - delayed),
                   .in_flight = at_least_zero(in_flight),
                   .delayed = at_least_zero(delayed)};
}

Task<std::optional<base::Time>> oldest_message(store::Store& store, const Queue& queue, base::Time now) {
  const auto snapshot = store.snapshot();
  const auto rest = [&](const store::Queue& part) -> Task<store::Range> {
    co_return store::Range{co_await part.front(*snapshot), base::prefix_end(part.prefix())};
  };
  auto oldest = co_await oldest_in(*snapshot, co_await rest(states(queue.id)), queue, now);
  if (queue.is_fifo()) co_return oldest;
  const auto other = co_await oldest_in(*snapshot, co_await rest(availability(queue.id)), queue, now);
  co_return oldest&& other ? std::min(oldest, other) : std::max(oldest, other);
}

void count_change(store::Transaction& txn, const Queue& queue, const MessageState* before, const MessageState* after) {
  const auto add = [&](const std::string& key, int64_t by) { txn.add(key, by); };
  if (before) count_one(queue.id, *before, -1, add);
  if (after) count_one(queue.id, *after, 1, add);
}

void count_from_nothing(store::Transaction& txn, std::string_view queue_id) { txn.put(is_counted_key(queue_id), ""); }

std::string is_counted_key(std::string_view queue_id) { return number_key(queue_id, kIsCounted); }

store::Range counts_range(std::string_view queue_id) {
  return {number_key(queue_id, kAll), number_key(queue_id, kIsCounted)};
}

}  // namespace tidemill::sqs
