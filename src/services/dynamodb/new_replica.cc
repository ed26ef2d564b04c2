#include "services/dynamodb/new_replica.h"

#include "services/dynamodb/errors.h"
#include "services/dynamodb/table_options.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

constexpr std::string_view kOwnKey = "alias/aws/dynamodb";

bool is_own_key(std::string_view key) { return key.ends_with(kOwnKey); }

// All replicas are encrypted with keys of one kind.
void set_key(Table& replica, const Table& source, const std::optional<std::string>& key, base::Time now) {
  if (!source.encryption) {
    if (key) throw key_is_missing();  // in these words, as observed
    return;
  }
  const bool customers = has_customers_key(source);
  if (customers && !key) throw key_is_missing();
  if (key && is_own_key(*key) == customers) {
    throw invalid_parameters("All replica keys must either be Customer Managed CMK or AWS Managed CMK.");
  }
  const shapes::SSESpecification specification{
      .enabled = true, .sse_type = std::string(shapes::SSEType::kKms), .kms_master_key_id = key};
  set_encryption(replica, specification, now);
}

}  // namespace

Table make_replica(const Table& source, const shapes::CreateReplicationGroupMemberAction& wanted, const TableId& id,
                   base::Time now) {
  Table replica{.address = {source.address.account, wanted.region_name, source.address.name}, .id = id};
  replica.created = now;
  replica.partition = source.partition;
  replica.sort = source.sort;
  replica.on_demand = source.on_demand;
  replica.on_demand_since = now;
  replica.read_request_units_max = source.read_request_units_max;
  replica.write_request_units_max = source.write_request_units_max;
  check_no_provisioned_override(wanted.provisioned_throughput_override);
  override_maximum(replica, wanted.on_demand_throughput_override);
  replica.table_class = wanted.table_class_override.value_or(source.table_class);
  set_key(replica, source, wanted.kms_master_key_id, now);
  replica.indexes = source.indexes;
  replica.last_index_number = source.last_index_number;
  if (replica.has_local_indexes()) replica.collection_counts = Table::CollectionCounts::all;
  replica.features.time_to_live = source.features.time_to_live;
  replica.features.time_to_live.complete = true;  // items come with their entries
  replica.features.warm_throughput = source.features.warm_throughput;
  replica.features.is_new_replica = true;
  return replica;
}

bool has_customers_key(const Table& table) { return table.encryption && !is_own_key(table.encryption->kms_key_arn); }

wire::Error key_is_missing() { return invalid_parameters("KMSMasterKeyId must be specified for each replica."); }

void check_no_provisioned_override(const std::optional<shapes::ProvisionedThroughputOverride>& wanted) {
  if (!wanted) return;
  throw validation(
      "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
}

void override_maximum(Table& replica, const std::optional<shapes::OnDemandThroughputOverride>& wanted) {
  if (wanted) set_on_demand_throughput(replica, {.max_read_request_units = wanted->max_read_request_units});
}

}  // namespace tidemill::dynamodb
