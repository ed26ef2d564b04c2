#include "services/dynamodb/table_description.h"

#include <algorithm>
#include <cmath>

#include "services/dynamodb/index_description.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

void describe_keys(const Table& table, shapes::TableDescription& description) {
  description.key_schema.emplace();
  description.attribute_definitions.emplace();
  const auto add = [&](const KeyAttribute& attribute, std::string_view key_type) {
    description.key_schema->push_back({.attribute_name = attribute.name, .key_type = std::string(key_type)});
    description.attribute_definitions->push_back(
        {.attribute_name = attribute.name,
         .attribute_type = std::string(lang::dynamodb::type_name(attribute.type))});
  };
  add(table.partition, shapes::KeyType::kHash);
  if (table.sort) add(*table.sort, shapes::KeyType::kRange);
}

void describe_billing(const Table& table, shapes::TableDescription& description) {
  description.provisioned_throughput = describe_throughput(table.throughput);
  // Of a table that was never on demand AWS names no mode, whatever it was made with.
  if (table.on_demand || table.on_demand_since) {
    description.billing_mode_summary = shapes::BillingModeSummary{
        .billing_mode =
            std::string(table.on_demand ? shapes::BillingMode::kPayPerRequest : shapes::BillingMode::kProvisioned),
        .last_update_to_pay_per_request_date_time = table.on_demand_since};
  }
  if (table.read_request_units_max || table.write_request_units_max) {
    description.on_demand_throughput =
        shapes::OnDemandThroughput{.max_read_request_units = table.read_request_units_max,
                                   .max_write_request_units = table.write_request_units_max};
  }
  const WarmThroughput initial = initial_warm_throughput(table.on_demand, table.throughput);
  description.warm_throughput = describe_warm_throughput(table.features.warm_throughput, initial);
}

void describe_stream(const Table& table, shapes::TableDescription& description) {
  if (table.stream) {
    description.stream_specification = shapes::StreamSpecification{
        .stream_enabled = true, .stream_view_type = std::string(view_type_name(table.stream->view_type))};
  }
  if (table.latest_stream_label.empty()) return;
  description.latest_stream_label = table.latest_stream_label;
  description.latest_stream_arn = table.stream_arn();
}

}  // namespace

shapes::WarmThroughputDescription describe_warm_throughput(const std::optional<WarmThroughput>& given,
                                                           WarmThroughput initial) {
  const WarmThroughput current = current_warm_throughput(given, initial);
  return {.read_units_per_second = current.read_units,
          .write_units_per_second = current.write_units,
          .status = "ACTIVE"};
}

shapes::ProvisionedThroughputDescription describe_throughput(const Throughput& throughput) {
  return {.last_increase_date_time = throughput.last_increase,
          .last_decrease_date_time = throughput.last_decrease,
          .number_of_decreases_today = throughput.decreases_today,
          .read_capacity_units = throughput.read_units,
          .write_capacity_units = throughput.write_units};
}

shapes::TableDescription describe(const Table& table, std::string_view status) {
  shapes::TableDescription description{.table_name = table.address.name,
                                       .table_status = std::string(status),
                                       .creation_date_time = table.created,
                                       .table_size_bytes = 0,
                                       .item_count = 0,
                                       .table_arn = table.address.arn(),
                                       .table_id = table.id.uuid(),
                                       .deletion_protection_enabled = table.deletion_protected};
  describe_keys(table, description);
  describe_indexes(table, description);
  describe_billing(table, description);
  describe_stream(table, description);
  if (const auto& restoring = table.features.restoring) {
    description.restore_summary = shapes::RestoreSummary{.source_table_arn = restoring->source_arn,
                                                         .restore_date_time = restoring->moment,
                                                         .restore_in_progress = true};
    if (!restoring->backup_arn.empty()) description.restore_summary->source_backup_arn = restoring->backup_arn;
  }
  if (table.encryption) {
    description.sse_description = shapes::SSEDescription{.status = "ENABLED",
                                                         .sse_type = std::string(shapes::SSEType::kKms),
                                                         .kms_master_key_arn = table.encryption->kms_key_arn};
  }
  if (!table.table_class.empty()) {
    description.table_class_summary = shapes::TableClassSummary{
        .table_class = table.table_class, .last_update_date_time = table.table_class_updated};
  }
  return description;
}

shapes::TableDescription describe_created(const Table& table) {
  shapes::TableDescription description = describe(table, "CREATING");
  const auto warm = [](auto& described, bool is_asked_for) {
    if (is_asked_for) described.warm_throughput->status = "UPDATING";
    else described.warm_throughput.reset();
  };
  warm(description, table.features.warm_throughput.has_value());
  if (description.billing_mode_summary) {
    description.billing_mode_summary->last_update_to_pay_per_request_date_time.reset();
  }
  if (!description.global_secondary_indexes) return description;
  for (auto& index : *description.global_secondary_indexes) {
    index.index_status = "CREATING";
    warm(index, table.find_index(*index.index_name)->warm_throughput.has_value());
  }
  return description;
}

shapes::TableDescription describe_deleted(const Table& table) {
  const shapes::TableDescription whole = describe(table, "DELETING");
  return {.table_name = whole.table_name,
          .table_status = whole.table_status,
          .provisioned_throughput = whole.provisioned_throughput,
          .table_size_bytes = 0,
          .item_count = 0,
          .table_arn = whole.table_arn,
          .table_id = whole.table_id,
          .billing_mode_summary = whole.billing_mode_summary,
          .deletion_protection_enabled = whole.deletion_protection_enabled};
}

Task<TableCounts> count_items(store::Snapshot& snapshot, const Table& table, uint16_t index) {
  TableCounts counts;
  double share = 1;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    if (counts.items >= kCountedItemsMax || counts.bytes >= kCountedBytesMax) {
      share = scanned_share(key);
      return false;
    }
    ++counts.items;
    counts.bytes += static_cast<int64_t>(lang::dynamodb::item_size(ItemView(value))) + kItemOverheadBytes;
    return true;
  };
  const store::Range range = segment_range(table.id, 0, 1, index);
  co_await snapshot.scan(range, store::Direction::forward, visit);
  counts.items = std::llround(static_cast<double>(counts.items) / share);
  counts.bytes = std::llround(static_cast<double>(counts.bytes) / share);
  co_return counts;
}

}  // namespace tidemill::dynamodb
