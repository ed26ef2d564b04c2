// How messages come into queues, change there and go: within a transaction, for both kinds of queues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/sqs/message.h"
#include "services/sqs/message_keys.h"
#include "services/sqs/queue.h"
#include "services/sqs/queue_metrics.h"
#include "services/sqs/receipt.h"
#include "store/store.h"

namespace tidemill::sqs {

struct NewMessage {
  Message message;                            // without a sequence number
  std::optional<std::chrono::seconds> delay;  // nothing: the queue's
  size_t bytes = 0;                           // of what was sent, as it counts
  bool has_trace_attribute = false;  // its trace header came as an attribute, so the answer has the digest
};

// Whether the record is all there is of a message, under 'v' (message_keys.h).
[[nodiscard]] bool is_one_entry(const Queue& queue, const MessageRecord& record);

struct Sent {
  std::string message_id;
  std::string sequence_number;  // FIFO only
};

class MessageStore {
 public:
  // Both outlive this.
  MessageStore(QueueCache& queues, QueueGauges& gauges) : queues_(queues), gauges_(gauges) {}

  [[nodiscard]] QueueCache& queues() { return queues_; }

  // In this order, at most kSequenceNumbersPerCommit in one transaction. A duplicate is answered as its original was.
  Task<std::vector<Sent>> send(store::Transaction& txn, const Queue& queue, const std::vector<NewMessage>& messages,
                               base::Time now);

  // Adds a message that already has its state.
  Task<void> add(store::Transaction& txn, const Queue& queue, const Message& message, const MessageState& state);

  // By its receipt. Once it returns and the transaction has committed, the message never comes back. A message that is
  // gone already is fine. Throws InvalidParameterValue if the receipt of a FIFO queue's message is out of date.
  Task<void> remove(store::Transaction& txn, const Queue& queue, const Receipt& receipt, base::Time now);

  // Throws InvalidParameterValue if the message is not in flight by this receipt.
  Task<void> change_visibility(store::Transaction& txn, const Queue& queue, const Receipt& receipt,
                               std::chrono::seconds timeout, base::Time now);

  // Undoes a receive that nobody got: the message is available again, and was received once less. Nothing happens to
  // one that is not in flight by this receipt any more.
  Task<void> give_back(store::Transaction& txn, const Queue& queue, const Receipt& receipt, base::Time now);

  // The message of a record, wherever it lies. Throws std::runtime_error if it is nowhere.
  static Task<Message> message_of(store::Transaction& txn, const Queue& queue, const Position& position,
                                  const MessageRecord& record);

  // Whatever becomes of it, the message stays here no longer; leaves its entry under 'v' and a FIFO group's record to
  // the caller.
  static void erase(store::Transaction& txn, const Queue& queue, const Position& position, const MessageRecord& record);
  // The same, and all that points to it.
  static Task<void> expire(store::Transaction& txn, const Queue& queue, const Position& position,
                           const MessageRecord& record, base::Time now);

 private:
  // Leaves the queue's expiry timer to the caller.
  Task<void> put(store::Transaction& txn, const Queue& queue, const Message& message, const MessageState& state);

  QueueCache& queues_;
  QueueGauges& gauges_;
  Positions positions_;
};

}  // namespace tidemill::sqs
