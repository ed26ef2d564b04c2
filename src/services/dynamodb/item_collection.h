// Item collections: all items of one partition key of a table with local indexes, with their entries in these. How many
// bytes each has is counted in the transaction that writes its items, so that none grows beyond what AWS allows
// (developer guide, "Item collections in local secondary indexes"). Tables without local indexes count nothing.
//
// A counter (docs/store-format.md): the table's prefix, kCollectionIndex as index, hash and partition key; u8 1, the
// version; i64 bytes. A collection without items has none. In a table from before there were counters, neither has a
// collection that has not been written since: its first write counts what is there.
//
// All writers of a collection read and write its counter. They go one after the other inside the process (queue_key()),
// and those that wait together share a commit.
#pragma once

#include <optional>
#include <string>

#include "base/blocking_work.h"
#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

// On AWS: "10 GB for each distinct partition key value" of a table with local indexes.
inline constexpr int64_t kCollectionBytesMax = int64_t{10} << 30;

inline constexpr uint16_t kCollectionIndex = 0xfffd;

// What writers of the item at `key` wait for each other on (item_queue.h): the item, or its collection; of a global table
// that of all its replicas.
[[nodiscard]] std::string queue_key(const Table& table, std::string_view key);

// Changes the counter with the item at `key`. Throws ItemCollectionSizeLimitExceededException, before anything is
// written, if the collection grows and is then larger than `bytes_max`. Of tables with local indexes only. Large items are
// weighed in `large_items`, unless that is null.
Task<void> count_change(store::Transaction& txn, const Table& table, std::string_view key,
                        std::optional<ItemView> before, std::optional<ItemView> after, int64_t bytes_max,
                        base::BlockingWork* large_items = nullptr);

// The bytes of the collection that an item at `key` is in, or would be.
Task<int64_t> collection_bytes(store::Snapshot& snapshot, const Table& table, std::string_view key);

}  // namespace tidemill::dynamodb
