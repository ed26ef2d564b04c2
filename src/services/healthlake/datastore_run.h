// What becomes of data stores by itself: CREATING becomes ACTIVE, DELETING becomes DELETED and then nothing.
#pragma once

#include "base/clock.h"
#include "services/healthlake/datastore.h"
#include "store/store.h"
#include "store/timer.h"

namespace tidemill::healthlake {

// In the transaction that gives the data store its status: the change is due then.
Task<void> change_datastore_at(store::Transaction& txn, const DatastoreAddress& address, base::Time due);

// The handler of kDatastoreTimer.
Task<void> change_datastore(store::Store& store, base::Clock& clock, const store::Timer& timer);

}  // namespace tidemill::healthlake
