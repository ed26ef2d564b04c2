#include "services/dynamodb/backup_description.h"

#include "services/dynamodb/table_description.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

std::string status_name(const Backup& backup) {
  return backup.status == Backup::Status::available ? "AVAILABLE" : "CREATING";
}

std::string type_name(const Backup& backup) { return backup.type == Backup::Type::system ? "SYSTEM" : "USER"; }

shapes::SourceTableDetails describe_source(const Backup& backup, const shapes::TableDescription& table) {
  shapes::SourceTableDetails source{.table_name = table.table_name,
                                    .table_id = table.table_id,
                                    .table_arn = table.table_arn,
                                    .table_size_bytes = backup.bytes,
                                    .key_schema = table.key_schema,
                                    .table_creation_date_time = table.creation_date_time,
                                    .on_demand_throughput = table.on_demand_throughput,
                                    .item_count = backup.items};
  source.provisioned_throughput =
      shapes::ProvisionedThroughput{.read_capacity_units = backup.table.throughput.read_units,
                                    .write_capacity_units = backup.table.throughput.write_units};
  source.billing_mode =
      std::string(backup.table.on_demand ? shapes::BillingMode::kPayPerRequest : shapes::BillingMode::kProvisioned);
  return source;
}

shapes::GlobalSecondaryIndexInfo summarize(const shapes::GlobalSecondaryIndexDescription& index) {
  shapes::GlobalSecondaryIndexInfo info{.index_name = index.index_name,
                                        .key_schema = index.key_schema,
                                        .projection = index.projection,
                                        .on_demand_throughput = index.on_demand_throughput};
  if (const auto& throughput = index.provisioned_throughput) {
    info.provisioned_throughput =
        shapes::ProvisionedThroughput{.read_capacity_units = throughput->read_capacity_units.value_or(0),
                                      .write_capacity_units = throughput->write_capacity_units.value_or(0)};
  }
  return info;
}

// A system backup tells none, as on AWS.
shapes::SourceTableFeatureDetails describe_features(const Backup& backup, const shapes::TableDescription& table) {
  if (backup.type == Backup::Type::system) return {};
  shapes::SourceTableFeatureDetails features{.stream_description = table.stream_specification,
                                             .sse_description = table.sse_description};
  if (table.local_secondary_indexes) {
    auto& infos = features.local_secondary_indexes.emplace();
    for (const auto& index : *table.local_secondary_indexes) {
      infos.push_back({.index_name = index.index_name, .key_schema = index.key_schema, .projection = index.projection});
    }
  }
  if (table.global_secondary_indexes) {
    auto& infos = features.global_secondary_indexes.emplace();
    for (const auto& index : *table.global_secondary_indexes) infos.push_back(summarize(index));
  }
  if (const TimeToLive& ttl = backup.table.features.time_to_live; ttl.enabled) {
    features.time_to_live_description =
        shapes::TimeToLiveDescription{.time_to_live_status = "ENABLED", .attribute_name = ttl.attribute};
  }
  return features;
}

}  // namespace

shapes::BackupDetails describe_details(const Backup& backup) {
  return {.backup_arn = backup.address.arn(),
          .backup_name = backup.name,
          .backup_size_bytes = backup.bytes,
          .backup_status = status_name(backup),
          .backup_type = type_name(backup),
          .backup_creation_date_time = backup.created,
          .backup_expiry_date_time = backup.expires};
}

shapes::BackupDescription describe(const Backup& backup) {
  const shapes::TableDescription table = describe(backup.table, "ACTIVE");
  return {.backup_details = describe_details(backup),
          .source_table_details = describe_source(backup, table),
          .source_table_feature_details = describe_features(backup, table)};
}

shapes::BackupSummary summarize(const Backup& backup) {
  return {.table_name = backup.table.address.name,
          .table_id = backup.table.id.uuid(),
          .table_arn = backup.table.address.arn(),
          .backup_arn = backup.address.arn(),
          .backup_name = backup.name,
          .backup_creation_date_time = backup.created,
          .backup_expiry_date_time = backup.expires,
          .backup_status = status_name(backup),
          .backup_type = type_name(backup),
          .backup_size_bytes = backup.bytes};
}

}  // namespace tidemill::dynamodb
