#include "services/sqs/message_store.h"

#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "services/sqs/counts.h"
#include "services/sqs/errors.h"
#include "services/sqs/fifo.h"
#include "services/sqs/retention.h"

namespace tidemill::sqs {
namespace {

// From a message's receive on.
constexpr std::chrono::seconds kInFlightMax{43'200};

Task<std::optional<MessageRecord>> load_record(store::Transaction& txn, const Queue& queue, const Position& position) {
  const auto bytes = co_await txn.get(state_key(queue.id, position));
  if (!bytes) co_return std::nullopt;
  co_return decode_record(*bytes);
}

bool is_in_flight(const MessageState& state, const Receipt& receipt, base::Time now) {
  return state.receives == receipt.receive && state.available > now;
}

}  // namespace

bool is_one_entry(const Queue& queue, const MessageRecord& record) {
  return !queue.is_fifo() && !record.message.empty() && record.state.receives == 0 &&
         record.state.available == record.state.sent;
}

Task<std::vector<Sent>> MessageStore::send(store::Transaction& txn, const Queue& queue,
                                           const std::vector<NewMessage>& messages, base::Time now) {
  std::vector<Sent> result;
  result.reserve(messages.size());
  for (const NewMessage& one : messages) {
    const Message& message = one.message;
    const MessageState state{.sent = now, .available = now + one.delay.value_or(queue.settings.delay)};
    if (!queue.is_fifo()) {
      co_await put(txn, queue, message, state);
      result.push_back({message.id, ""});
      continue;
    }
    const std::string scope = deduplication_scope(queue, message);
    if (auto duplicate = co_await find_duplicate(txn, queue, scope, now)) {
      result.push_back({std::move(duplicate->message_id), std::move(duplicate->sequence_number)});
      continue;
    }
    Message numbered = message;
    numbered.sequence_number = sequence_number(txn.version(), result.size());
    co_await remember(txn, queue, scope, {now + kDeduplicationWindow, numbered.id, numbered.sequence_number});
    co_await put(txn, queue, numbered, state);
    result.push_back({numbered.id, numbered.sequence_number});
  }
  co_await ensure_expiry_timer(txn, queue, queue.expiry_of(now));
  co_return result;
}

Task<void> MessageStore::add(store::Transaction& txn, const Queue& queue, const Message& message,
                             const MessageState& state) {
  gauges_.touch(queue.address);
  co_await put(txn, queue, message, state);
  co_await ensure_expiry_timer(txn, queue, queue.expiry_of(state.sent));
}

Task<void> MessageStore::put(store::Transaction& txn, const Queue& queue, const Message& message,
                             const MessageState& state) {
  const Position position = positions_.next(txn.version());
  MessageRecord record{state, encode_message(message)};
  if (record.message.size() > MessageRecord::kMessageBytesMax) {
    txn.put(message_key(queue.id, position), std::exchange(record.message, {}));
  }
  const std::string bytes = encode_record(record);
  const bool is_one = is_one_entry(queue, record);
  if (!is_one) states(queue.id).put(txn, state_key(queue.id, position), bytes);
  count_change(txn, queue, nullptr, &state);
  if (queue.is_fifo()) {
    co_await add_to_group(txn, queue, encode_group_name(message.group), position, state.available);
  } else {
    availability(queue.id).put(txn, available_key(queue.id, state.available, position.bytes), is_one ? bytes : "");
    if (state.available > state.sent) txn.signal(queue_later_topic(queue.id));
  }
  txn.signal(queue_topic(queue.id));
}

Task<void> MessageStore::remove(store::Transaction& txn, const Queue& queue, const Receipt& receipt, base::Time now) {
  const auto record = co_await load_record(txn, queue, receipt.position);
  if (!record) co_return;
  if (!queue.is_fifo()) {
    txn.erase(available_key(queue.id, record->state.available, receipt.position.bytes));
    erase(txn, queue, receipt.position, *record);
    co_return;
  }
  if (!is_in_flight(record->state, receipt, now)) {
    throw invalid_parameter(receipt.text, "ReceiptHandle", "The receipt handle has expired.");
  }
  erase(txn, queue, receipt.position, *record);
  if (co_await remove_from_group(txn, queue, receipt.group, receipt.position, now)) txn.signal(queue_topic(queue.id));
}

Task<void> MessageStore::change_visibility(store::Transaction& txn, const Queue& queue, const Receipt& receipt,
                                           std::chrono::seconds timeout, base::Time now) {
  auto record = co_await load_record(txn, queue, receipt.position);
  // A standard queue takes handles of earlier receives, and those whose timeout has run out, too.
  if (!record || (queue.is_fifo() && !is_in_flight(record->state, receipt, now))) {
    throw invalid_parameter(receipt.text, "ReceiptHandle",
                            "Message does not exist or is not available for visibility timeout change.");
  }
  MessageState& state = record->state;
  if (now + timeout > state.last_received + kInFlightMax) {
    throw invalid_parameter(std::to_string(timeout.count()), "VisibilityTimeout",
                            "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]");
  }
  const MessageState before = state;
  state.available = now + timeout;
  count_change(txn, queue, &before, &state);
  txn.put(state_key(queue.id, receipt.position), encode_record(*record));
  if (queue.is_fifo()) {
    co_await follow_visibility(txn, queue, receipt.group, now);
  } else {
    txn.erase(available_key(queue.id, before.available, receipt.position.bytes));
    availability(queue.id).put(txn, available_key(queue.id, state.available, receipt.position.bytes), "");
    txn.signal(queue_later_topic(queue.id));
  }
  txn.signal(queue_topic(queue.id));
}

Task<void> MessageStore::give_back(store::Transaction& txn, const Queue& queue, const Receipt& receipt,
                                   base::Time now) {
  auto record = co_await load_record(txn, queue, receipt.position);
  if (!record || !is_in_flight(record->state, receipt, now)) co_return;
  MessageState& state = record->state;
  const MessageState before = state;
  if (--state.receives == 0) state.first_received = state.last_received = {};
  state.available = now;
  count_change(txn, queue, &before, &state);
  const bool is_one = is_one_entry(queue, *record);  // the clock has stood still since it was sent
  if (is_one) txn.erase(state_key(queue.id, receipt.position));
  else txn.put(state_key(queue.id, receipt.position), encode_record(*record));
  if (queue.is_fifo()) {
    co_await follow_visibility(txn, queue, receipt.group, now);
  } else {
    txn.erase(available_key(queue.id, before.available, receipt.position.bytes));
    availability(queue.id).put(txn, available_key(queue.id, state.available, receipt.position.bytes),
                               is_one ? encode_record(*record) : "");
  }
  txn.signal(queue_topic(queue.id));
}

Task<Message> MessageStore::message_of(store::Transaction& txn, const Queue& queue, const Position& position,
                                       const MessageRecord& record) {
  if (!record.message.empty()) co_return decode_message(record.message);
  const auto bytes = co_await txn.get_untracked(message_key(queue.id, position));
  if (!bytes) throw std::runtime_error("a message has no body");
  co_return decode_message(*bytes);
}

void MessageStore::erase(store::Transaction& txn, const Queue& queue, const Position& position,
                         const MessageRecord& record) {
  count_change(txn, queue, &record.state, nullptr);
  if (record.message.empty()) txn.erase(message_key(queue.id, position));
  if (!is_one_entry(queue, record)) txn.erase(state_key(queue.id, position));
}

Task<void> MessageStore::expire(store::Transaction& txn, const Queue& queue, const Position& position,
                                const MessageRecord& record, base::Time now) {
  if (!queue.is_fifo()) {
    txn.erase(available_key(queue.id, record.state.available, position.bytes));
    erase(txn, queue, position, record);
    co_return;
  }
  const Message message = co_await message_of(txn, queue, position, record);
  erase(txn, queue, position, record);
  if (co_await remove_from_group(txn, queue, encode_group_name(message.group), position, now)) {
    txn.signal(queue_topic(queue.id));
  }
}

}  // namespace tidemill::sqs
