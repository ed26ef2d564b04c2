// Fills a new replica of a global table with the items that are there.
//
// A durable timer goes through the items of the table that the replica was made from, in batches, each one transaction
// that sets the timer anew with the place to go on from: a crash costs nothing but the batch under way. Writers write
// to the replica from the first moment on (write_item.h). So what it holds of an item is what the others hold, or
// nothing, if the filling has not come to the item and nobody has written it meanwhile: then it is copied. A writer that
// gets in between makes the batch conflict and run again, smaller each time. The replica's stream tells of writes alone.
//
// Until the last batch the replica is CREATING and answers nothing but DescribeTable. None of its group can be deleted
// meanwhile, nor another made.
#pragma once

#include "base/clock.h"
#include "services/dynamodb/table.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::dynamodb {

// id: the replica's table id; payload: ARNs of the replica and of the table that it is made from, place.
inline constexpr store::TimerKind kReplicaFillTimer{"dynamodb-replica-fill"};

inline constexpr size_t kFillItemsMax = 256;      // of one batch
inline constexpr size_t kFillBytesMax = 1 << 20;  // of the items of one batch, as they are stored

// In the transaction that makes the replica.
Task<void> start_fill(store::Transaction& txn, const Table& source, const Table& replica, base::Time now);

// The timer's handler: one batch. The last one makes the replica ACTIVE. Running it again does no harm.
Task<void> fill_replica(store::Store& store, base::Clock& clock, const store::Timer& timer);

}  // namespace tidemill::dynamodb
