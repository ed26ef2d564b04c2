#include "services/healthlake/datastore_run.h"

#include "services/healthlake/bus_events.h"
#include "services/healthlake/store_keys.h"
#include "wire/shapes/healthlake.h"

namespace tidemill::healthlake {

namespace Status = wire::healthlake::DatastoreStatus;

Task<void> change_datastore_at(store::Transaction& txn, const DatastoreAddress& address, base::Time due) {
  co_await store::set_timer(txn, {.kind = std::string(kDatastoreTimer), .id = address.text(), .due = due});
}

Task<void> change_datastore(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  const auto address = DatastoreAddress::parse(timer.id);
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer) || !address) co_return;
    auto datastore = co_await find_datastore(txn, *address);
    if (!datastore) co_return;
    if (datastore->status == Status::kCreating) {
      datastore->status = Status::kActive;
      save_datastore(txn, *datastore);
      co_await tell_bus(txn, *datastore, clock.now());
    } else if (datastore->status == Status::kDeleting) {
      datastore->status = Status::kDeleted;
      txn.erase_range(DatastoreKeys(address->id).all());
      save_datastore(txn, *datastore);
      co_await tell_bus(txn, *datastore, clock.now());
      co_await change_datastore_at(txn, *address, clock.now() + kDeletedKept);
    } else if (datastore->status == Status::kDeleted) {
      txn.erase(datastore_key(*address));
      if (!datastore->token.empty()) {
        txn.erase(datastore_token_key(address->account, address->region, datastore->token));
      }
    }
  });
}

}  // namespace tidemill::healthlake
