#include "services/dynamodb/replica_description.h"

#include "services/dynamodb/new_replica.h"
#include "services/dynamodb/table_description.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

constexpr std::string_view kVersionOfGlobalTables = "2019.11.21";
// Some settings of all are alike, some are each region's own.
constexpr std::string_view kReplicationMode = "ENABLED_WITH_OVERRIDES";

std::vector<shapes::ReplicaGlobalSecondaryIndexDescription> describe_its_indexes(const Table& replica) {
  std::vector<shapes::ReplicaGlobalSecondaryIndexDescription> described;
  for (const Index& index : replica.indexes) {
    if (index.is_local()) continue;
    const WarmThroughput initial = initial_warm_throughput(replica.on_demand, index.throughput);
    described.push_back(
        {.index_name = index.name, .warm_throughput = describe_warm_throughput(index.warm_throughput, initial)});
  }
  return described;
}

shapes::ReplicaDescription describe_replica(const Table& table, const Table& replica) {
  shapes::ReplicaDescription description{.region_name = replica.address.region};
  description.replica_status = replica.features.is_new_replica ? "CREATING" : "ACTIVE";
  if (replica.encryption) description.kms_master_key_id = replica.encryption->kms_key_arn;
  // What is no other than here is not told.
  if (replica.read_request_units_max && replica.read_request_units_max != table.read_request_units_max) {
    description.on_demand_throughput_override =
        shapes::OnDemandThroughputOverride{.max_read_request_units = replica.read_request_units_max};
  }
  const WarmThroughput initial = initial_warm_throughput(replica.on_demand, replica.throughput);
  description.warm_throughput = describe_warm_throughput(replica.features.warm_throughput, initial);
  if (auto indexes = describe_its_indexes(replica); !indexes.empty()) {
    description.global_secondary_indexes = std::move(indexes);
  }
  if (!replica.table_class.empty()) {
    description.replica_table_class_summary = shapes::TableClassSummary{
        .table_class = replica.table_class, .last_update_date_time = replica.table_class_updated};
  }
  return description;
}

}  // namespace

void describe_replicas(const Table& table, const std::vector<Table>& others, shapes::TableDescription& description) {
  if (!table.is_replica() && others.empty()) return;
  description.global_table_version = std::string(kVersionOfGlobalTables);
  description.global_table_settings_replication_mode = std::string(kReplicationMode);
  description.replicas.emplace();
  for (const Table& other : others) description.replicas->push_back(describe_replica(table, other));
}

}  // namespace tidemill::dynamodb
