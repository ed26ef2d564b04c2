// Describes a table. A table that is there is ACTIVE, unless it is still being restored or imported.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/index_description.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/table_description.h"

namespace tidemill::dynamodb {

Task<shapes::DescribeTableOutput> describe_table(Service&, wire::Context& context,
                                                 const shapes::DescribeTableInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const auto snapshot = context.store().snapshot();
  const std::optional<Table> table = co_await load_table(*snapshot, address);
  if (!table) throw table_not_found(address.name);
  const TableCounts counts = co_await count_items(*snapshot, *table);

  shapes::TableDescription description = describe(*table, table->features.is_being_filled() ? "CREATING" : "ACTIVE");
  description.item_count = counts.items;
  description.table_size_bytes = counts.bytes;
  co_await count_indexes(*snapshot, *table, description);
  co_return shapes::DescribeTableOutput{.table = std::move(description)};
}

}  // namespace tidemill::dynamodb
