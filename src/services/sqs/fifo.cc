#include "services/sqs/fifo.h"

#include <algorithm>
#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::sqs {
namespace {

constexpr uint8_t kGroupVersion = 2;
constexpr uint8_t kGroupWithoutFront = 1;  // what earlier versions wrote
constexpr uint8_t kDeduplicationVersion = 1;
constexpr size_t kSequenceNumberDigits = 20;

std::string encode(const Group& group) {
  std::string out;
  base::append_u8(out, kGroupVersion);
  base::append_i64(out, group.available.time_since_epoch().count());
  base::append_string(out, group.front.bytes);
  return out;
}

Group decode_group(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  Group group;
  group.available = base::Time(base::Duration(reader.i64()));
  if (version == kGroupVersion) group.front.bytes = reader.string();
  // Earlier versions went on with the messages in flight.
  if (!reader.ok() || (version != kGroupVersion && version != kGroupWithoutFront)) {
    throw std::runtime_error("a stored message group is damaged");
  }
  return group;
}

std::string encode(const Deduplication& sent) {
  std::string out;
  base::append_u8(out, kDeduplicationVersion);
  base::append_i64(out, sent.expires.time_since_epoch().count());
  base::append_string(out, sent.message_id);
  base::append_string(out, sent.sequence_number);
  return out;
}

Deduplication decode_deduplication(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  const uint8_t version = reader.u8();
  Deduplication sent;
  sent.expires = base::Time(base::Duration(reader.i64()));
  sent.message_id = reader.string();
  sent.sequence_number = reader.string();
  if (!reader.ok() || !reader.at_end() || version != kDeduplicationVersion) {
    throw std::runtime_error("a stored deduplication id is damaged");
  }
  return sent;
}

Task<std::optional<MessageState>> load_state(store::Transaction& txn, const Queue& queue, const Position& position) {
  const auto bytes = co_await txn.get_untracked(state_key(queue.id, position));
  if (!bytes) co_return std::nullopt;
  co_return decode_state(*bytes);
}

}  // namespace

Task<std::optional<Group>> load_group(store::Transaction& txn, std::string_view queue_id, std::string_view group) {
  const auto bytes = co_await txn.get(group_key(queue_id, group));
  if (!bytes) co_return std::nullopt;
  co_return decode_group(*bytes);
}

void save_group(store::Transaction& txn, std::string_view queue_id, std::string_view group,
                const std::optional<Group>& before, const Group& after) {
  if (before && before->available != after.available) txn.erase(available_key(queue_id, before->available, group));
  if (!before || before->available != after.available) {
    availability(queue_id).put(txn, available_key(queue_id, after.available, group), "");
  }
  txn.put(group_key(queue_id, group), encode(after));
}

Task<void> add_to_group(store::Transaction& txn, const Queue& queue, std::string_view group, const Position& position,
                        base::Time available) {
  const auto before = co_await load_group(txn, queue.id, group);
  txn.put(group_message_key(queue.id, group, position), "");
  save_group(txn, queue.id, group, before, before ? *before : Group{.available = available, .front = position});
}

Task<std::optional<Unlocked>> find_unlocked(store::Transaction& txn, const Queue& queue, std::string_view group,
                                            const Position& front, base::Time now) {
  std::optional<Position> first;
  co_await txn.scan_untracked(group_messages_range(queue.id, group, front), store::first(1),
                              [&](std::string_view key, std::string_view) {
                                first = position_of_key(key);
                                return true;
                              });
  if (!first) co_return std::nullopt;
  const auto state = co_await load_state(txn, queue, *first);
  co_return Unlocked{*first, state && is_hidden(*state, now) ? state->available : now};
}

Task<bool> remove_from_group(store::Transaction& txn, const Queue& queue, std::string_view group,
                             const Position& position, base::Time now) {
  const auto before = co_await load_group(txn, queue.id, group);
  txn.erase(group_message_key(queue.id, group, position));
  if (!before) co_return false;
  Group after = *before;
  const auto unlocked = co_await find_unlocked(txn, queue, group, before->front, now);
  if (!unlocked) {
    txn.erase(available_key(queue.id, before->available, group));
    txn.erase(group_key(queue.id, group));
    co_return false;
  }
  after.front = unlocked->first;
  after.available = unlocked->at;
  save_group(txn, queue.id, group, before, after);
  co_return after.available <= now;
}

Task<void> follow_visibility(store::Transaction& txn, const Queue& queue, std::string_view group, base::Time now) {
  const auto before = co_await load_group(txn, queue.id, group);
  if (!before) co_return;
  Group after = *before;
  if (const auto unlocked = co_await find_unlocked(txn, queue, group, before->front, now)) after.available = unlocked->at;
  save_group(txn, queue.id, group, before, after);
}

std::string deduplication_scope(const Queue& queue, const Message& message) {
  // A group's name is never empty, so the two kinds of scope never meet.
  std::string scope = encode_group_name(queue.settings.deduplicates_by_group ? message.group : "");
  base::append_string(scope, message.deduplication_id);
  return scope;
}

Task<std::optional<Deduplication>> find_duplicate(store::Transaction& txn, const Queue& queue, std::string_view scope,
                                                  base::Time now) {
  const auto bytes = co_await txn.get(deduplication_key(queue.id, scope));
  if (!bytes) co_return std::nullopt;
  Deduplication sent = decode_deduplication(*bytes);
  if (sent.expires <= now) co_return std::nullopt;
  co_return sent;
}

Task<void> remember(store::Transaction& txn, const Queue& queue, std::string_view scope, const Deduplication& sent) {
  const std::string key = deduplication_key(queue.id, scope);
  if (const auto expired = co_await txn.get(key)) {
    txn.erase(deduplication_expiry_key(queue.id, decode_deduplication(*expired).expires, scope));
  }
  txn.put(key, encode(sent));
  deduplication_expiries(queue.id).put(txn, deduplication_expiry_key(queue.id, sent.expires, scope), "");
}

Task<std::optional<base::Time>> forget_duplicates(store::Transaction& txn, const Queue& queue, base::Time now,
                                                  size_t limit) {
  const store::Queue expiries = deduplication_expiries(queue.id);
  std::vector<DeduplicationExpiry> expired;
  std::optional<base::Time> next;
  const store::Range range{co_await expiries.front(txn), base::prefix_end(expiries.prefix())};
  std::string stopped_at;
  co_await txn.scan(range, store::first(limit + 1), [&](std::string_view key, std::string_view) {
    DeduplicationExpiry entry = deduplication_expiry_of_key(key);
    if (entry.expires > now || expired.size() == limit) {
      next = entry.expires;
      stopped_at = key;
      return false;
    }
    expired.push_back(std::move(entry));
    return true;
  });
  for (const auto& [expires, scope] : expired) {
    txn.erase(deduplication_expiry_key(queue.id, expires, scope));
    txn.erase(deduplication_key(queue.id, scope));
  }
  if (next && !expired.empty()) expiries.set_floor(txn, stopped_at);
  co_return next;
}

std::string sequence_number(store::Version snapshot, size_t index) {
  // Twelve times a version fills 20 digits since 1996, and is not too long for them before the year 2034.
  unsigned __int128 number = static_cast<unsigned __int128>(snapshot.value) * kSequenceNumbersPerCommit + index;
  std::string digits(kSequenceNumberDigits, '0');
  for (size_t i = kSequenceNumberDigits; i-- > 0; number /= 10)
    digits[i] = static_cast<char>('0' + static_cast<int>(number % 10));
  return digits;
}

}  // namespace tidemill::sqs
