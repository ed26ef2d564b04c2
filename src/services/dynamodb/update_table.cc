// Changes a table's options, and switches its stream on and off. Changes take effect at once; the answer says
// UPDATING, as on AWS, and DescribeTable then ACTIVE.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/index_updates.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/replica_description.h"
#include "services/dynamodb/replica_settings.h"
#include "services/dynamodb/replica_updates.h"
#include "services/dynamodb/stream_retention.h"
#include "services/dynamodb/table_description.h"
#include "services/dynamodb/table_key.h"
#include "services/dynamodb/table_options.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

void check_something(const shapes::UpdateTableInput& request) {
  if (request.billing_mode || request.provisioned_throughput || request.stream_specification ||
      request.sse_specification || request.table_class || request.deletion_protection_enabled ||
      request.on_demand_throughput || request.warm_throughput || request.global_secondary_index_updates ||
      request.replica_updates) {
    return;
  }
  throw validation(
      "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
      "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
      "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required");
}

void change_billing(Table& table, const shapes::UpdateTableInput& request, base::Time now) {
  const bool was_on_demand = table.on_demand;
  if (request.billing_mode) {
    table.on_demand = *request.billing_mode == shapes::BillingMode::kPayPerRequest;
  }
  if (table.on_demand) {
    if (request.provisioned_throughput) {
      throw invalid_parameters(
          "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
    }
    if (!was_on_demand) {
      table.on_demand_since = now;
      table.throughput = {};
    }
    return;
  }
  if (const auto& wanted = request.provisioned_throughput) {
    change_throughput(table.throughput, wanted->read_capacity_units, wanted->write_capacity_units, now, "table");
  } else if (was_on_demand) {
    throw invalid_parameters(
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED");
  }
}

Task<void> change_stream(store::Transaction& txn, Table& table, std::optional<ViewType> view_type, base::Time now) {
  if (view_type) {
    if (table.stream) {
      throw validation("Table already has an enabled stream: TableName: " + table.address.name);
    }
    co_await add_stream(txn, table, *view_type, now);
    co_return;
  }
  if (!table.stream) throw validation("Table has no stream to disable: TableName: " + table.address.name);
  co_await end_stream(txn, table, now);
}

struct Changed {
  Throughput throughput_before;
  Table table;
  IndexUpdates indexes;
  std::vector<Table> replicas_before;
};

// Of this table alone.
Task<IndexUpdates> change_table(store::Transaction& txn, Table& table, const shapes::UpdateTableInput& request,
                                base::Time now) {
  if (request.billing_mode || request.provisioned_throughput) change_billing(table, request, now);
  IndexUpdates indexes = co_await update_indexes(txn, table, request, now);
  if (request.on_demand_throughput) set_on_demand_throughput(table, *request.on_demand_throughput);
  if (request.warm_throughput) set_warm_throughput(table, *request.warm_throughput);
  if (request.sse_specification) set_encryption(table, *request.sse_specification, now);
  if (request.table_class && *request.table_class != table.table_class) {
    table.table_class = *request.table_class;
    table.table_class_updated = now;
  }
  if (request.deletion_protection_enabled) table.deletion_protected = *request.deletion_protection_enabled;
  if (request.stream_specification) {
    co_await change_stream(txn, table, stream_view_type(*request.stream_specification), now);
  }
  co_return indexes;
}

Task<Changed> change(store::Transaction& txn, const TableAddress& address, const shapes::UpdateTableInput& request,
                     const wire::Context& context) {
  std::optional<Table> table = co_await load_usable_table(txn, address);
  if (!table) throw table_not_found(address.name);
  Changed changed{.throughput_before = table->throughput};
  changed.replicas_before = co_await load_replicas(txn, *table);
  check_is_settled(changed.replicas_before);
  if (request.replica_updates) {
    co_await update_replicas(txn, *table, request, context);
  } else {
    check_suits_replica(*table, request);
    const Table before = *table;
    changed.indexes = co_await change_table(txn, *table, request, context.now());
    if (request.sse_specification) co_await settle_key(context, *table);
    for (Table other : changed.replicas_before) {
      co_await change_alike(txn, other, before, *table, request, context.now());
      save_table(txn, other);
    }
  }
  save_table(txn, *table);
  changed.table = *std::move(table);
  co_return changed;
}

}  // namespace

Task<shapes::UpdateTableOutput> update_table(Service&, wire::Context& context,
                                             const shapes::UpdateTableInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  check_something(request);
  check_bounds(request.provisioned_throughput, "");
  check_index_updates(request);
  check_replica_updates(request);
  const Changed changed = co_await context.store().transact(
      [&](store::Transaction& txn) -> Task<Changed> { return change(txn, address, request, context); });
  shapes::TableDescription description = describe(changed.table, "UPDATING");
  description.provisioned_throughput = describe_throughput(changed.throughput_before);  // what holds while it is UPDATING
  describe_index_updates(changed.table, changed.indexes, description);
  describe_replicas(changed.table, changed.replicas_before, description);
  co_return shapes::UpdateTableOutput{.table_description = std::move(description)};
}

}  // namespace tidemill::dynamodb
