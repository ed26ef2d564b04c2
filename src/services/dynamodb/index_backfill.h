// Fills an index that was created on a live table with the entries of the items that are there.
//
// A durable timer goes through the table's items in batches; each batch is one transaction that writes the entries and
// sets the timer anew with the place to go on from, so that a crash costs nothing but the batch under way. Writers keep
// the index up to date meanwhile: behind the backfill every item has its entry, before it an entry is there only if a
// write changed it. A writer that gets in between makes the batch conflict and run again, smaller each time. Items with
// attributes that cannot be keys of the index are passed over, as on AWS.
#pragma once

#include "base/clock.h"
#include "services/dynamodb/table.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::dynamodb {

// id: the table's id and the index's number.
inline constexpr store::TimerKind kBackfillTimer{"dynamodb-index-backfill"};

inline constexpr size_t kBackfillItemsMax = 512;      // of one batch
inline constexpr size_t kBackfillBytesMax = 1 << 20;  // of the items of one batch, as they are stored

// In the transaction that creates the index.
Task<void> start_backfill(store::Transaction& txn, const Table& table, const Index& index, base::Time now);
// In the transaction that deletes it.
Task<void> cancel_backfill(store::Transaction& txn, const Table& table, const Index& index);

// The timer's handler: one batch. The last one makes the index ACTIVE. Running it again does no harm.
Task<void> backfill(store::Store& store, base::Clock& clock, const store::Timer& timer);

}  // namespace tidemill::dynamodb
