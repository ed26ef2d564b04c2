// What a queue is, and how it is kept in the store: KeySpace::resource, (account, region, "sqs", "queue", name).
//
// The record is also what guards a queue's messages: whoever reads or changes them reads it in the same transaction, so
// that deleting or purging a queue, which write it, can erase all messages at once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/sqs/queue_address.h"
#include "services/sqs/redrive_policy.h"
#include "store/remembered.h"

namespace tidemill::sqs {

inline constexpr int kMessageBytesMax = 1 << 20;
inline constexpr size_t kQueueIdSize = 16;

// The attributes that requests set, in the form in which messages use them.
struct QueueSettings {
  std::chrono::seconds delay{0};
  std::chrono::seconds visibility{30};
  std::chrono::seconds wait{0};
  std::chrono::seconds retention{345'600};
  int message_bytes_max = kMessageBytesMax;
  bool content_based_deduplication = false;
  bool deduplicates_by_group = false;
  std::string kms_key;  // encrypts bodies; empty: none was given
  bool has_managed_key = false;  // SqsManagedSseEnabled was set: the service's own key does
  std::chrono::seconds data_key_reuse{300};
  std::optional<RedrivePolicy> redrive;
  std::optional<RedriveAllowPolicy> redrive_allow;
};

struct Queue {
  QueueAddress address;
  std::string id;  // kQueueIdSize random bytes: a queue that is made again has another
  base::Time created;
  base::Time modified;
  std::optional<base::Time> purged;
  std::map<std::string, std::string> attributes;  // those that were set
  std::map<std::string, std::string> tags;

  // Made from the above by decode_queue.
  QueueSettings settings;
  store::Remembered stored;  // only in a QueueCache

  [[nodiscard]] bool is_fifo() const { return address.is_fifo(); }
  // When a message that was sent at `sent` is forgotten.
  [[nodiscard]] base::Time expiry_of(base::Time sent) const { return sent + settings.retention; }
};

using QueuePtr = std::shared_ptr<const Queue>;

[[nodiscard]] std::string new_queue_id();
[[nodiscard]] std::string queue_key(const QueueAddress& address);
// The queues of an account's region.
[[nodiscard]] store::Range queues_range(std::string_view account, std::string_view region);
// Nothing: the key is not one of a queue.
[[nodiscard]] std::optional<QueueAddress> queue_of_key(std::string_view key);

[[nodiscard]] std::string encode_queue(const Queue& queue);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Queue decode_queue(QueueAddress address, std::string_view bytes);

// Signalled when a queue of that address is made.
[[nodiscard]] std::string queue_made_topic(const QueueAddress& address);
// Signalled when something in the queue may have become available, and when the queue is changed or deleted.
[[nodiscard]] std::string queue_topic(std::string_view queue_id);
// Signalled, too, by a commit after which a message will become available later, unless a receive hid it.
[[nodiscard]] std::string queue_later_topic(std::string_view queue_id);

// Keeps decoded queues, so that an operation on a message decodes none. What is here is only used if the store still
// says the same. Any thread.
class QueueCache {
 public:
  static constexpr size_t kQueuesMax = 10'000;  // kept; beyond, the cache starts anew

  // nullptr: there is no such queue. The read is tracked if `reader` is a transaction.
  Task<QueuePtr> find(store::Snapshot& reader, QueueAddress address);
  // The same; throws QueueDoesNotExist.
  Task<QueuePtr> get(store::Snapshot& reader, QueueAddress address);

 private:
  store::RememberedMap<Queue> queues_{kQueuesMax};  // by queue_key
};

}  // namespace tidemill::sqs
