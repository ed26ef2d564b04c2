// The one way an item changes: the item, its entries in the table's indexes, the size of its collection, its expiry,
// the table's history and the stream's record of it are written here, in one transaction; and all of it in the other
// replicas of a global table.
#pragma once

#include <optional>

#include "base/blocking_work.h"
#include "services/dynamodb/item_collection.h"
#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

class TableCache;

// The place of an item, or of a key alone, whose key attributes have been checked.
[[nodiscard]] ItemKey key_in(const Table& table, ItemView item);

// Writes the change from `before` to `after`, either of which may be missing. Nothing at all if they are equal: neither
// write nor record, as on AWS. Throws, before anything is written, ValidationException if an attribute that changes
// cannot be the key of an index that it is a key of, and ItemCollectionSizeLimitExceededException.
//
// The transaction must have read the description of the table as it is passed (is_current), which names its replicas: one
// that comes or goes makes it conflict. What is checked is checked here and not in the replicas, which hold the same
// items. Only the stream of the table itself says of an expired item who removed it, as on AWS.
enum class Cause { request, expiry };
struct WriteOptions {
  Cause cause = Cause::request;
  int64_t collection_bytes_max = kCollectionBytesMax;
  TableCache* tables = nullptr;  // where replicas' descriptions are found faster; may be null
  base::BlockingWork* large_items = nullptr;  // where the parts of large changes are worked out; null: here
};
Task<void> write_item(store::Transaction& txn, const Table& table, const ItemKey& key, std::optional<ItemView> before,
                      std::optional<ItemView> after, const WriteOptions& options = {});

// Puts an item where there is none, as another replica has it: nobody wrote it now, so neither history nor streams tell of
// it, and nothing is checked.
Task<void> copy_item(store::Transaction& txn, const Table& table, const ItemKey& key, ItemView item);

// Whether write_item() needs to know the item before, or write_blindly() will do.
[[nodiscard]] inline bool needs_before(const Table& table) {
  return table.stream.has_value() || !table.indexes.empty() || table.features.time_to_live.enabled ||
         table.features.keeps_history() || table.features.active_kinesis() || table.is_replica();
}
void write_blindly(store::Transaction& txn, const ItemKey& key, std::optional<ItemView> after);

}  // namespace tidemill::dynamodb
