#include "services/dynamodb/replica_updates.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "services/dynamodb/backup.h"
#include "services/dynamodb/dropped_table.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/new_replica.h"
#include "services/dynamodb/replica_fill.h"
#include "services/dynamodb/stream_retention.h"
#include "services/dynamodb/table_key.h"
#include "services/dynamodb/table_options.h"
#include "wire/regions.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;
using base::cat;
using Action = shapes::ReplicationGroupUpdate;

wire::Error is_in_use() {
  return shapes::errors::resource_in_use_exception("The resource which you are attempting to change is in use.");
}

wire::Error nothing_to_do() {
  return validation("There are no actions specified in the Replica Update Action of the request.");
}

wire::Error was_source() {
  return validation(
      "Replica cannot be deleted because it has acted as a source region for new replica(s) being added to the table "
      "in the last 24 hours.");
}

const std::string& region_of(const Action& action) {
  if (action.create) return action.create->region_name;
  return action.update ? action.update->region_name : action.delete_->region_name;
}

// ---- What the request says ----

void check_action(const Action& action) {
  const int kinds = action.create.has_value() + action.update.has_value() + action.delete_.has_value();
  if (kinds == 0) throw nothing_to_do();
  if (kinds > 1) throw validation("Update table operation with more than one type of replica actions not allowed.");
}

bool asks_for_more(const shapes::UpdateTableInput& request) {
  return request.billing_mode || request.provisioned_throughput || request.stream_specification ||
         request.sse_specification || request.table_class || request.deletion_protection_enabled ||
         request.on_demand_throughput || request.warm_throughput || request.global_secondary_index_updates;
}

// The same action twice is one, as on AWS.
void check_is_one(const std::vector<Action>& actions) {
  std::set<std::pair<std::string, int>> distinct;
  for (const Action& action : actions) {
    distinct.emplace(region_of(action), action.create ? 0 : action.delete_ ? 1 : 2);
  }
  if (distinct.size() <= 1) return;
  const bool only_updates = std::ranges::all_of(actions, [](const Action& each) { return each.update.has_value(); });
  throw validation(only_updates
                       ? "Cannot target multiple regions with the same action"
                       : "Update table operation with more than one create or delete replica actions not allowed");
}

// ---- Making one ----

std::string all_regions() {
  std::string text;
  for (const std::string_view region : wire::kRegions) text += cat(text.empty() ? "" : ", ", region);
  return text;
}

void check_can_be_replicated(const Table& table) {
  if (!table.on_demand) throw validation("Table write capacity should either be Pay-Per-Request or AutoScaled.");
  if (std::ranges::find(table.indexes, Index::Status::creating, &Index::status) != table.indexes.end()) {
    throw is_in_use();
  }
}

// A table that is becoming the first of a group.
void found_group(Table& table) {
  table.replication.group = table.id;
  // Binaries that know nothing of counters cannot read it any more: there is nothing to note for them with a write.
  if (table.has_local_indexes() && table.collection_counts == Table::CollectionCounts::none) {
    table.collection_counts = Table::CollectionCounts::some;
  }
}

// Of one that is made from the table.
Replication replication_of_newest(const Table& table) {
  Replication replication = table.replication;
  for (Replica& other : replication.others) other.sourced.reset();  // none was made from the new one
  const bool is_first = table.id == replication.group;
  replication.others.insert(is_first ? replication.others.begin() : replication.others.end(),
                            Replica{.region = table.address.region, .id = table.id});
  return replication;
}

Task<void> create_replica(store::Transaction& txn, Table& table, std::vector<Table>& others,
                          const shapes::CreateReplicationGroupMemberAction& wanted, const wire::Context& context) {
  const base::Time now = context.now();
  const TableAddress address{table.address.account, wanted.region_name, table.address.name};
  if (!wire::is_region(address.region)) {
    throw validation(cat("Region ", address.region,
                         " is not supported. The latest version of global tables are only supported in the following "
                         "regions: [",
                         all_regions(), "]"));
  }
  if (co_await load_table(txn, address)) {
    throw validation(cat("Failed to create a the new replica of table with name: \u2018", address.name,
                         "\u2019 because one or more replicas already existed as tables."));
  }
  check_can_be_replicated(table);
  if (!table.stream) co_await add_stream(txn, table, ViewType::new_and_old_images, now);
  Table replica = make_replica(table, wanted, new_id(address.arn(), context.request_id, now), now);
  co_await settle_key(context, replica);
  co_await add_stream(txn, replica, table.stream->view_type, now);

  if (!table.is_replica()) found_group(table);
  replica.replication = replication_of_newest(table);
  for (Table& other : others) {
    other.replication.others.push_back(Replica{.region = address.region, .id = replica.id});
    save_table(txn, other);
  }
  table.replication.others.push_back(Replica{.region = address.region, .id = replica.id, .sourced = now});
  save_table(txn, replica);
  co_await start_fill(txn, table, replica, now);
}

// ---- Deleting one ----

// Whether a replica that it was made for is still there.
bool is_recent_source(const Table& table, base::Time now) {
  return std::ranges::any_of(table.replication.others, [now](const Replica& other) {
    return other.sourced && now < *other.sourced + kSourceOfReplicasMin;
  });
}

Task<void> delete_replica(store::Transaction& txn, Table& table, std::vector<Table>& others,
                          const std::string& region, base::Time now) {
  const auto found = std::ranges::find(others, region, [](const Table& other) { return other.address.region; });
  if (is_recent_source(*found, now)) throw was_source();
  if (found->deletion_protected) {
    throw validation(cat("Cannot delete table ", found->address.name, " in region ", region,
                         " because it has deletion protection enabled. Disable deletion protection first."));
  }
  if (found->stream) co_await end_stream(txn, *found, now);
  co_await drop_table(txn, *found, now);
  others.erase(found);
  table.replication.remove(region);
  for (Table& other : others) {
    other.replication.remove(region);
    save_table(txn, other);
  }
}

// ---- Changing one ----

void update_replica(store::Transaction& txn, Table& replica,
                    const shapes::UpdateReplicationGroupMemberAction& wanted, base::Time now) {
  // As AWS refuses every such change; a key of a replica is changed in its own region.
  if (wanted.kms_master_key_id) throw key_is_missing();
  check_no_provisioned_override(wanted.provisioned_throughput_override);
  if (!wanted.table_class_override && !wanted.on_demand_throughput_override) throw nothing_to_do();
  if (wanted.table_class_override) {
    replica.table_class = *wanted.table_class_override;
    replica.table_class_updated = now;
  }
  override_maximum(replica, wanted.on_demand_throughput_override);
  save_table(txn, replica);
}

}  // namespace

void check_replica_updates(const shapes::UpdateTableInput& request) {
  if (!request.replica_updates) return;
  for (const Action& action : *request.replica_updates) check_action(action);
  if (asks_for_more(request)) {
    throw invalid_parameters("Replica modification must be the only operation in the request");
  }
  check_is_one(*request.replica_updates);
}

void check_is_settled(const std::vector<Table>& others) {
  if (is_gaining_replica(others)) throw is_in_use();
}

Task<void> update_replicas(store::Transaction& txn, Table& table, const shapes::UpdateTableInput& request,
                           const wire::Context& context) {
  const Action& action = request.replica_updates->front();
  const std::string& region = region_of(action);
  if (region == table.address.region) {
    throw validation(
        "Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as "
        "required.");
  }
  std::vector<Table> others = co_await load_replicas(txn, table);
  check_is_settled(others);
  if (action.create) {
    co_await create_replica(txn, table, others, *action.create, context);
    co_return;
  }
  if (!table.replication.find(region)) {
    throw validation(cat("Update global table operation failed because one or more replicas were not part of the "
                         "global table. Please retry the request without these replicas: [",
                         region, "]."));
  }
  if (action.delete_) {
    co_await delete_replica(txn, table, others, region, context.now());
    co_return;
  }
  const auto found = std::ranges::find(others, region, [](const Table& other) { return other.address.region; });
  update_replica(txn, *found, *action.update, context.now());
}

Task<void> leave_group(store::Transaction& txn, const Table& table, base::Time now) {
  if (!table.is_replica()) co_return;
  std::vector<Table> others = co_await load_replicas(txn, table);
  check_is_settled(others);
  if (is_recent_source(table, now)) throw was_source();
  for (Table& other : others) {
    other.replication.remove(table.address.region);
    save_table(txn, other);
  }
}

}  // namespace tidemill::dynamodb
