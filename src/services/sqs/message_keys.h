// Where what a queue holds lies in the store: KeySpace::message, the queue's id, then
//
//   v i64(time) position        -> MessageRecord, or nothing   standard: when each message becomes available
//   m position                  -> MessageRecord               unless it lies under v
//   b position                  -> Message                     unless it is in its record; never changes
//   v i64(time) string(group)   -> nothing                     FIFO: when each group does
//   g string(group) position    -> nothing                     FIFO: a group's messages, in order
//   G string(group)             -> Group                       FIFO
//   d scope                     -> Deduplication               FIFO: what was sent in the last five minutes
//   e i64(expires) scope        -> nothing                     FIFO: when each of those is forgotten
//   t i64(started) rest(handle) -> MoveTask                    of which it is the source
//
// v, m and e are store::Queues: their entries come through the queues' put(), and looks begin at their front(). What a
// queue counts lies in KeySpace::tally (counts.h).
//
// A small message of a standard queue that nobody has received yet and that was sent without a delay is one entry: its
// record under v, whose time is that of the sending. Its first receive moves the record to m, where its receipts find
// it.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/queue.h"
#include "store/store.h"

namespace tidemill::sqs {

// A message's place in the order of sending, unique in its queue: the store's version when it was sent, and a count of
// the messages that this process sent at that version.
struct Position {
  static constexpr size_t kSize = 12;
  std::string bytes;  // kSize; compares as the order
  auto operator<=>(const Position&) const = default;
};

// Gives positions. Any thread.
//
// Positions never come twice, also after a restart: what was committed with a position of version v was committed at a
// later version, and from then on that or a later one is the store's. They are in the order of sending: a message that
// is sent after another was acknowledged sees that one's commit.
class Positions {
 public:
  Position next(store::Version snapshot);

 private:
  std::mutex mutex_;
  store::Version version_;
  uint32_t count_ = 0;
};

// Of any key that starts with queue_prefix().
[[nodiscard]] std::string_view queue_id_of_key(std::string_view key);
// Everything that a queue holds, but what is in KeySpace::tally.
[[nodiscard]] std::string queue_prefix(std::string_view queue_id);
// The three of its parts that are queues: what becomes available, states, and the expiries of deduplication ids.
[[nodiscard]] store::Queue availability(std::string_view queue_id);
[[nodiscard]] store::Queue states(std::string_view queue_id);
[[nodiscard]] store::Queue deduplication_expiries(std::string_view queue_id);
// Everything but its move tasks.
[[nodiscard]] std::vector<store::Range> contents_ranges(std::string_view queue_id);

[[nodiscard]] std::string message_key(std::string_view queue_id, const Position& position);
[[nodiscard]] std::string state_key(std::string_view queue_id, const Position& position);
// Before the state of every message that is sent after `version`.
[[nodiscard]] std::string state_key_from(std::string_view queue_id, store::Version version);
// The position in the key of a state, or of a standard queue's entry under 'v'.
[[nodiscard]] Position position_of_key(std::string_view key);

// `who` is a position or, encoded, a group.
[[nodiscard]] std::string available_key(std::string_view queue_id, base::Time time, std::string_view who);
// from <= time < until.
[[nodiscard]] store::Range available_range(std::string_view queue_id, base::Time from, base::Time until);
struct Available {
  base::Time time;
  std::string who;
  std::string record = {};  // what the entry holds
};
[[nodiscard]] Available available_of_key(std::string_view key);

[[nodiscard]] std::string encode_group_name(std::string_view group);
[[nodiscard]] std::string group_key(std::string_view queue_id, std::string_view encoded_group);
[[nodiscard]] std::string group_message_key(std::string_view queue_id, std::string_view encoded_group,
                                            const Position& position);
// From a position on.
[[nodiscard]] store::Range group_messages_range(std::string_view queue_id, std::string_view encoded_group,
                                                const Position& from);

[[nodiscard]] std::string deduplication_key(std::string_view queue_id, std::string_view scope);
[[nodiscard]] std::string deduplication_expiry_key(std::string_view queue_id, base::Time expires,
                                                   std::string_view scope);
struct DeduplicationExpiry {
  base::Time expires;
  std::string scope;
};
[[nodiscard]] DeduplicationExpiry deduplication_expiry_of_key(std::string_view key);

[[nodiscard]] std::string move_task_key(std::string_view queue_id, base::Time started, std::string_view handle);
[[nodiscard]] store::Range move_tasks_range(std::string_view queue_id);

}  // namespace tidemill::sqs
