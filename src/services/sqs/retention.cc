#include "services/sqs/retention.h"

#include <algorithm>

#include "base/ordered.h"
#include "services/sqs/fifo.h"
#include "services/sqs/message_keys.h"
#include "services/sqs/message_store.h"

namespace tidemill::sqs {
namespace {

constexpr size_t kForgottenPerCommitMax = 500;

store::Timer timer_of(const Queue& queue, base::Time due) {
  store::Timer timer{.kind = std::string(kExpiryTimer.name), .id = queue.id, .due = due};
  base::append_string(timer.payload, queue.address.account);
  base::append_string(timer.payload, queue.address.region);
  base::append_string(timer.payload, queue.address.name);
  return timer;
}

QueueAddress address_of(const store::Timer& timer) {
  base::OrderedReader reader(timer.payload);
  QueueAddress address;
  address.account = reader.string();
  address.region = reader.string();
  address.name = reader.string();
  return address;
}

struct Expired {
  std::vector<std::pair<Position, MessageRecord>> messages;
  std::optional<base::Time> next;  // when the first of the others may expire
  // The first of each part that is left standing; empty: none was seen.
  std::string first_state;
  std::string first_available;

  void consider(base::Time expiry) { next = next ? std::min(*next, expiry) : expiry; }
  [[nodiscard]] bool is_full() const { return messages.size() == kForgottenPerCommitMax; }
};

Task<store::Range> rest_of(store::Transaction& txn, const store::Queue& part) {
  co_return store::Range{co_await part.front(txn), base::prefix_end(part.prefix())};
}

// Of those with a record under their position, in the order of sending. One that was given up by another queue may have
// been sent earlier than its place tells, and waits for its turn.
Task<void> find_expired_records(store::Transaction& txn, const Queue& queue, base::Time now, Expired& found) {
  co_await txn.scan(co_await rest_of(txn, states(queue.id)), store::first(kForgottenPerCommitMax + 1),
                    [&](std::string_view key, std::string_view value) {
                      const base::Time expiry = queue.expiry_of(decode_state(value).sent);
                      if (expiry > now || found.is_full()) {
                        found.consider(expiry);
                        found.first_state = key;
                        return false;
                      }
                      found.messages.emplace_back(position_of_key(key), decode_record(value));
                      return true;
                    });
}

// Of those that are one entry, which stands at the time of their sending. No message was sent after it became
// available, so none behind an entry that is young enough is too old.
Task<void> find_expired_entries(store::Transaction& txn, const Queue& queue, base::Time now, Expired& found) {
  co_await txn.scan(co_await rest_of(txn, availability(queue.id)), store::Direction::forward,
                    [&](std::string_view key, std::string_view value) {
                      const base::Time expiry = queue.expiry_of(available_of_key(key).time);
                      const bool ends = expiry > now || found.is_full();
                      if (ends) found.consider(expiry);
                      if (!ends && !value.empty()) {
                        found.messages.emplace_back(position_of_key(key), decode_record(value));
                      } else if (found.first_available.empty()) {
                        found.first_available = key;
                      }
                      return !ends;
                    });
}

Task<Expired> find_expired(store::Transaction& txn, const Queue& queue, base::Time now) {
  Expired found;
  co_await find_expired_records(txn, queue, now, found);
  if (!queue.is_fifo()) co_await find_expired_entries(txn, queue, now, found);
  co_return found;
}

// The next look begins behind what is forgotten now.
void pass(store::Transaction& txn, const Queue& queue, const Expired& expired) {
  if (!expired.first_state.empty()) states(queue.id).set_floor(txn, expired.first_state);
  if (!expired.first_available.empty()) availability(queue.id).set_floor(txn, expired.first_available);
}

}  // namespace

Task<void> ensure_expiry_timer(store::Transaction& txn, const Queue& queue, base::Time due) {
  if (co_await store::timer_due(txn, kExpiryTimer, queue.id)) co_return;
  co_await store::set_timer(txn, timer_of(queue, due));
}

Task<void> hurry_expiry_timer(store::Transaction& txn, const Queue& queue, base::Time due) {
  if (co_await store::timer_due(txn, kExpiryTimer, queue.id)) co_await store::set_timer(txn, timer_of(queue, due));
}

Task<void> forget_expired(store::Store& store, base::Clock& clock, QueueCache& queues, Arrivals& arrivals,
                          store::Timer timer) {
  bool finished = false;
  while (!finished) {
    const Arrivals::Arrival arrival(arrivals, clock.now());
    const base::Time now = arrival.time();
    finished = co_await store.transact([&](store::Transaction& txn) -> Task<bool> {
      const QueuePtr queue = co_await queues.find(txn, address_of(timer));
      if (!queue || queue->id != timer.id) {
        (void)co_await store::finish_timer(txn, timer);
        co_return true;
      }
      const Expired expired = co_await find_expired(txn, *queue, now);
      for (const auto& [position, record] : expired.messages) {
        co_await MessageStore::expire(txn, *queue, position, record, now);
      }
      if (!expired.messages.empty()) pass(txn, *queue, expired);
      const auto next_duplicate = co_await forget_duplicates(txn, *queue, now, kForgottenPerCommitMax);
      std::optional<base::Time> next = expired.next;
      if (next_duplicate) next = next ? std::min(*next, *next_duplicate) : *next_duplicate;
      if (next && *next <= now) co_return false;
      if (next)
        co_await store::set_timer(txn, timer_of(*queue, *next));
      else
        (void)co_await store::finish_timer(txn, timer);
      co_return true;
    });
    co_await base::yield();
  }
}

}  // namespace tidemill::sqs
