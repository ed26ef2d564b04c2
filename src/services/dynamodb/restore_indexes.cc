#include "services/dynamodb/restore_indexes.h"

#include <algorithm>

#include "base/text.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/index_validation.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

bool has_keys(const Index& index, const std::vector<shapes::KeySchemaElement>& schema) {
  std::vector<std::pair<std::string_view, std::string_view>> there;
  for (const KeyAttribute& key : index.partitions) there.emplace_back(key.name, shapes::KeyType::kHash);
  for (const KeyAttribute& key : index.sorts) there.emplace_back(key.name, shapes::KeyType::kRange);
  return std::ranges::equal(there, schema, [](const auto& key, const shapes::KeySchemaElement& element) {
    return key.first == element.attribute_name && key.second == element.key_type;
  });
}

bool has_projection(const Index& index, const shapes::Projection& projection) {
  if (projection.projection_type != projection_name(index.projection)) return false;
  std::vector<std::string> wanted = projection.non_key_attributes.value_or(std::vector<std::string>());
  std::vector<std::string> there = index.non_key_attributes;
  std::ranges::sort(wanted);
  std::ranges::sort(there);
  return wanted == there;
}

template <class Wanted>
Index find(const Table& source, Index::Kind kind, const Wanted& wanted) {
  const auto found = std::ranges::find_if(source.indexes, [&](const Index& index) {
    return index.kind == kind && has_keys(index, wanted.key_schema) && has_projection(index, wanted.projection);
  });
  if (found == source.indexes.end()) {
    throw validation("Invalid Request: Index " + wanted.index_name +
                     " does not match a secondary index that existed in the source table and cannot be created during "
                     "the restore operation");
  }
  Index index = *found;
  index.name = wanted.index_name;
  return index;
}

void set_billing(const Table& target, Index& index, const shapes::GlobalSecondaryIndex& wanted) {
  if (wanted.provisioned_throughput) {
    if (target.on_demand) {
      throw validation("Invalid Request: Cannot override ProvisionedThroughput for index " + index.name +
                       " if BillingMode is overridden to PAY_PER_REQUEST");
    }
    index.throughput = {.read_units = wanted.provisioned_throughput->read_capacity_units,
                        .write_units = wanted.provisioned_throughput->write_capacity_units};
  }
  if (wanted.on_demand_throughput) set_index_maximum(target, index, *wanted.on_demand_throughput);
}

void add(Table& target, Index index) {
  if (target.find_index(index.name)) throw invalid_parameters("Duplicate index name: " + index.name);
  index.number = ++target.last_index_number;
  index.warm_throughput.reset();
  index.status = Index::Status::active;  // filled with the items, before anybody can use the table
  if (target.on_demand) {
    index.throughput = {};
  } else {
    index.throughput = {.read_units = index.throughput.read_units, .write_units = index.throughput.write_units};
    index.read_request_units_max.reset();
    index.write_request_units_max.reset();
    if (!index.is_local() && index.throughput.read_units == 0) {
      throw validation("Invalid Request: Must specify provisioned throughput for index " + index.name);
    }
  }
  index.complete(target.partition, target.sort);
  target.indexes.push_back(std::move(index));
}

// One old index may come back under several names.
template <class Wanted>
void check_count(const std::vector<Wanted>& wanted, std::string_view kind, size_t most) {
  if (wanted.size() <= most) return;
  throw invalid_parameters(base::cat(kind, " count exceeds the per-table limit of ", most));
}

}  // namespace

void restore_indexes(Table& target, const Table& source,
                     const std::optional<std::vector<shapes::GlobalSecondaryIndex>>& global,
                     const std::optional<std::vector<shapes::LocalSecondaryIndex>>& local) {
  for (const Index& index : source.indexes) {
    if (index.is_local() && !local) add(target, index);
  }
  if (local) {
    check_count(*local, "LocalSecondaryIndex", kLocalIndexesMax);
    for (const auto& wanted : *local) add(target, find(source, Index::Kind::local, wanted));
  }
  for (const Index& index : source.indexes) {
    if (!index.is_local() && !global) add(target, index);
  }
  if (!global) return;
  check_count(*global, "GlobalSecondaryIndex", kGlobalIndexesMax);
  for (const auto& wanted : *global) {
    Index index = find(source, Index::Kind::global, wanted);
    set_billing(target, index, wanted);
    add(target, std::move(index));
    if (wanted.warm_throughput) set_warm_throughput(target, target.indexes.back(), *wanted.warm_throughput);
  }
}

}  // namespace tidemill::dynamodb
