// Deletes a table with all its items. Its stream can be read for another 24 hours; with point-in-time recovery a system
// backup of it stays for 35 days.
#include "services/dynamodb/dropped_table.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/replica_updates.h"
#include "services/dynamodb/stream_retention.h"
#include "services/dynamodb/table_description.h"

namespace tidemill::dynamodb {

Task<shapes::DeleteTableOutput> delete_table(Service&, wire::Context& context,
                                             const shapes::DeleteTableInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const base::Time now = context.now();
  const Table table = co_await context.store().transact([&](store::Transaction& txn) -> Task<Table> {
    std::optional<Table> found = co_await load_table(txn, address);
    if (!found) throw table_not_found(address.name);
    if (found->features.is_being_filled()) {
      throw shapes::errors::resource_in_use_exception(
          "Attempt to change a resource which is still in use: Table is being created: " + address.name);
    }
    if (found->deletion_protected) {
      throw validation(MessageStyle::prefixed, "Table '" + address.name +
                                                   "' can't be deleted while DeletionProtectionEnabled is set to True");
    }
    co_await leave_group(txn, *found, now);
    const Table before = *found;
    if (found->stream) co_await end_stream(txn, *found, now);
    co_await drop_table(txn, *found, now);
    co_return before;
  });
  co_return shapes::DeleteTableOutput{.table_description = describe_deleted(table)};
}

}  // namespace tidemill::dynamodb
