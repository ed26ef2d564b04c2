// FIFO queues: messages of one group come in order, one batch at a time, and what is sent twice within five minutes is
// there once.
//
// A message is behind all those of its group that were sent before it: while one of these is in flight or delayed, it
// cannot be received. So a group is as available as its first message, and the entry that makes something available
// (message_keys.h, 'v') is one per group: at the end of the first message's visibility timeout or delay. Sending to a group writes its record, too, which
// makes the order of positions the order of commits within a group: none appears behind the back of a receiver. So the
// group's own record can tell where its messages begin, and looks do not step over those that are gone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/sqs/message.h"
#include "services/sqs/message_keys.h"
#include "services/sqs/queue.h"
#include "store/store.h"

namespace tidemill::sqs {

inline constexpr std::chrono::minutes kDeduplicationWindow{5};

struct Group {
  base::Time available;             // where its entry stands
  Position front;                   // of its messages none is before it; empty: not known, looks begin at the first
};

// Nothing: it holds no message. `group` is encoded (encode_group_name).
Task<std::optional<Group>> load_group(store::Transaction& txn, std::string_view queue_id, std::string_view group);

// Writes the group's record and moves its entry; `before` is what load_group said.
void save_group(store::Transaction& txn, std::string_view queue_id, std::string_view group,
                const std::optional<Group>& before, const Group& after);

// The group has a new last message.
Task<void> add_to_group(store::Transaction& txn, const Queue& queue, std::string_view group, const Position& position,
                        base::Time available);

// The group's message is gone. True: another of it may be available now.
Task<bool> remove_from_group(store::Transaction& txn, const Queue& queue, std::string_view group,
                             const Position& position, base::Time now);

// The visibility timeout of a message in flight has changed in its state: the group's entry follows.
Task<void> follow_visibility(store::Transaction& txn, const Queue& queue, std::string_view group, base::Time now);

// A group's first message, from `front` on, and when that is available.
struct Unlocked {
  Position first;
  base::Time at;
};
// Nothing: it holds no message.
Task<std::optional<Unlocked>> find_unlocked(store::Transaction& txn, const Queue& queue, std::string_view group,
                                            const Position& front, base::Time now);

// What is remembered of a message, for its duplicates' sake.
struct Deduplication {
  base::Time expires;
  std::string message_id;
  std::string sequence_number;
};

// Of what the id must be unique: the queue or the group.
[[nodiscard]] std::string deduplication_scope(const Queue& queue, const Message& message);
// What was sent before with the same id; nothing if that is longer ago than the window.
Task<std::optional<Deduplication>> find_duplicate(store::Transaction& txn, const Queue& queue, std::string_view scope,
                                                  base::Time now);
Task<void> remember(store::Transaction& txn, const Queue& queue, std::string_view scope, const Deduplication& sent);

// Forgets what expired by `now`, at most `limit`. When the next expires; nothing: nothing is left.
Task<std::optional<base::Time>> forget_duplicates(store::Transaction& txn, const Queue& queue, base::Time now,
                                                  size_t limit);

// 20 digits. Rises from commit to commit, and within one by `index`, below kSequenceNumbersPerCommit.
inline constexpr int kSequenceNumbersPerCommit = 12;
[[nodiscard]] std::string sequence_number(store::Version snapshot, size_t index);

}  // namespace tidemill::sqs
