#include "services/dynamodb/index_description.h"

#include <algorithm>

#include "services/dynamodb/table_description.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

std::vector<shapes::KeySchemaElement> key_schema(const Index& index) {
  std::vector<shapes::KeySchemaElement> schema;
  const auto add = [&](const std::vector<KeyAttribute>& keys, std::string_view type) {
    for (const KeyAttribute& key : keys) schema.push_back({.attribute_name = key.name, .key_type = std::string(type)});
  };
  add(index.partitions, shapes::KeyType::kHash);
  add(index.sorts, shapes::KeyType::kRange);
  return schema;
}

shapes::Projection projection(const Index& index) {
  shapes::Projection described{.projection_type = std::string(projection_name(index.projection))};
  if (!index.non_key_attributes.empty()) described.non_key_attributes = index.non_key_attributes;
  return described;
}

std::string index_arn(const Table& table, const Index& index) {
  return table.address.arn() + "/index/" + index.name;
}

shapes::LocalSecondaryIndexDescription describe_local(const Table& table, const Index& index) {
  return {.index_name = index.name,
          .key_schema = key_schema(index),
          .projection = projection(index),
          .index_size_bytes = 0,
          .item_count = 0,
          .index_arn = index_arn(table, index)};
}

void add_definitions(const Table& table, std::vector<shapes::AttributeDefinition>& definitions) {
  for (const Index& index : table.indexes) {
    for (const KeyAttribute& key : index.entry_key) {
      const auto found = std::ranges::find(definitions, key.name, &shapes::AttributeDefinition::attribute_name);
      if (found != definitions.end()) continue;
      definitions.push_back(
          {.attribute_name = key.name, .attribute_type = std::string(lang::dynamodb::type_name(key.type))});
    }
  }
}

}  // namespace

shapes::GlobalSecondaryIndexDescription describe_global_index(const Table& table, const Index& index) {
  const bool creating = index.status == Index::Status::creating;
  shapes::GlobalSecondaryIndexDescription described{.index_name = index.name,
                                                    .key_schema = key_schema(index),
                                                    .projection = projection(index),
                                                    .index_status = creating ? "CREATING" : "ACTIVE",
                                                    .provisioned_throughput = describe_throughput(index.throughput),
                                                    .index_size_bytes = 0,
                                                    .item_count = 0,
                                                    .index_arn = index_arn(table, index)};
  if (creating) described.backfilling = true;
  const WarmThroughput initial = initial_warm_throughput(table.on_demand, index.throughput);
  described.warm_throughput = describe_warm_throughput(index.warm_throughput, initial);
  if (index.read_request_units_max || index.write_request_units_max) {
    described.on_demand_throughput =
        shapes::OnDemandThroughput{.max_read_request_units = index.read_request_units_max,
                                   .max_write_request_units = index.write_request_units_max};
  }
  return described;
}

void describe_indexes(const Table& table, shapes::TableDescription& description) {
  add_definitions(table, *description.attribute_definitions);
  for (const Index& index : table.indexes) {
    if (index.is_local()) {
      if (!description.local_secondary_indexes) description.local_secondary_indexes.emplace();
      description.local_secondary_indexes->push_back(describe_local(table, index));
    } else {
      if (!description.global_secondary_indexes) description.global_secondary_indexes.emplace();
      description.global_secondary_indexes->push_back(describe_global_index(table, index));
    }
  }
}

Task<void> count_indexes(store::Snapshot& snapshot, const Table& table, shapes::TableDescription& description) {
  size_t local = 0;
  size_t global = 0;
  for (const Index& index : table.indexes) {
    const TableCounts counts = co_await count_items(snapshot, table, index.number);
    const auto set = [&](auto& described) {
      described.item_count = counts.items;
      described.index_size_bytes = counts.bytes;
    };
    if (index.is_local()) set((*description.local_secondary_indexes)[local++]);
    else set((*description.global_secondary_indexes)[global++]);
  }
}

}  // namespace tidemill::dynamodb
