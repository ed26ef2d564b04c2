// Describes a table. A table that is there is ACTIVE, unless it is still being restored, imported or filled as a replica;
// one that gets a replica is UPDATING until that is filled.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/index_description.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/replica_description.h"
#include "services/dynamodb/replicas.h"
#include "services/dynamodb/table_description.h"

namespace tidemill::dynamodb {

namespace {

std::string_view status_of(const Table& table, const std::vector<Table>& others) {
  if (table.features.is_being_filled()) return "CREATING";
  return is_gaining_replica(others) ? "UPDATING" : "ACTIVE";
}

}  // namespace

Task<shapes::DescribeTableOutput> describe_table(Service&, wire::Context& context,
                                                 const shapes::DescribeTableInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const auto snapshot = context.store().snapshot();
  const std::optional<Table> table = co_await load_table(*snapshot, address);
  if (!table) throw table_not_found(address.name);
  const std::vector<Table> others = co_await load_replicas(*snapshot, *table);
  const TableCounts counts = co_await count_items(*snapshot, *table);

  shapes::TableDescription description = describe(*table, status_of(*table, others));
  describe_replicas(*table, others, description);
  description.item_count = counts.items;
  description.table_size_bytes = counts.bytes;
  co_await count_indexes(*snapshot, *table, description);
  co_return shapes::DescribeTableOutput{.table = std::move(description)};
}

}  // namespace tidemill::dynamodb
