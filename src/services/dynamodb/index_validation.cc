#include "services/dynamodb/index_validation.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/throughput_rules.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;
using KeySchema = std::vector<shapes::KeySchemaElement>;

constexpr int64_t kUnlimited = -1;  // OnDemandThroughput: no maximum
constexpr std::string_view kSameName =
    "Both the Hash Key and the Range Key element in the KeySchema have the same name";

// "[a, b]"
std::string names(const auto& elements) {
  std::string text = "[";
  for (const auto& element : elements) text.append(text.size() > 1 ? ", " : "").append(element.attribute_name);
  return text + "]";
}

std::string names(const std::set<std::string>& elements) {
  std::string text = "[";
  for (const auto& element : elements) text.append(text.size() > 1 ? ", " : "").append(element);
  return text + "]";
}

const shapes::AttributeDefinition* find_definition(const AttributeDefinitions& definitions, const std::string& name) {
  const auto found = std::ranges::find(definitions, name, &shapes::AttributeDefinition::attribute_name);
  return found == definitions.end() ? nullptr : &*found;
}

bool all_defined(const KeySchema& schema, const AttributeDefinitions& definitions) {
  return std::ranges::all_of(
      schema, [&](const auto& element) { return find_definition(definitions, element.attribute_name); });
}

// `twice`: what is said of an attribute that is both keys.
void check_key_types(const KeySchema& schema, std::string_view twice) {
  if (schema[0].key_type != shapes::KeyType::kHash) {
    throw validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  }
  if (schema.size() == 1) return;
  if (schema[0].attribute_name == schema[1].attribute_name) {
    throw validation(std::string(twice));
  }
  if (schema[1].key_type != shapes::KeyType::kRange) {
    throw validation("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  }
}

wire::Error not_defined(const KeySchema& schema, const AttributeDefinitions& definitions) {
  return invalid_parameters("Some index key attributes are not defined in AttributeDefinitions. Keys: " +
                            names(schema) + ", AttributeDefinitions: " + names(definitions));
}

// A global index may have several attributes of each kind (AWS since 2025).
void check_index_key_types(const KeySchema& schema) {
  const bool is_one_of_each = schema.size() <= 2 && schema.back().key_type != shapes::KeyType::kHash;
  if (is_one_of_each || schema[0].key_type != shapes::KeyType::kHash) return check_key_types(schema, kSameName);
  std::set<std::string_view> seen;
  size_t hashes = 0;
  size_t ranges = 0;
  for (const auto& element : schema) {
    if (!seen.insert(element.attribute_name).second) {
      throw validation("The KeySchema contains multiple key attributes with the same name");
    }
    const bool is_hash = element.key_type == shapes::KeyType::kHash;
    if (is_hash && ranges > 0) {
      throw invalid_parameters("All HASH key attributes must precede RANGE key attributes in the KeySchema");
    }
    ++(is_hash ? hashes : ranges);
  }
  if (hashes <= kIndexKeyAttributesMax && ranges <= kIndexKeyAttributesMax) return;
  throw invalid_parameters("The KeySchema exceeds the maximum allowed number of " +
                           std::string(hashes > kIndexKeyAttributesMax ? "HASH" : "RANGE") + " key attributes");
}

void check_table_keys(const KeySchema& schema, const AttributeDefinitions& definitions) {
  check_key_types(schema, "Invalid KeySchema: Some index key attribute have no definition");
  if (all_defined(schema, definitions)) return;
  if (schema.size() == 1) throw not_defined(schema, definitions);
  throw validation("Invalid KeySchema: Some index key attribute have no definition");
}

void check_definitions(const AttributeDefinitions& definitions) {
  std::set<std::string> seen;
  for (const auto& definition : definitions) {
    if (!seen.insert(definition.attribute_name).second) {
      throw validation("Attribute Name is duplicated: " + definition.attribute_name);
    }
  }
}

KeyAttribute key_attribute(const std::string& name, const AttributeDefinitions& definitions) {
  return {name, *lang::dynamodb::type_from_name(find_definition(definitions, name)->attribute_type)};
}

void set_projection(Index& index, const shapes::Projection& projection) {
  if (!projection.projection_type) throw invalid_parameters("Unknown ProjectionType: null");
  index.projection = *projection_from_name(*projection.projection_type);
  const bool include = index.projection == Index::Projection::include;
  if (projection.non_key_attributes.has_value() != include) {
    throw invalid_parameters("ProjectionType is " + *projection.projection_type + ", but NonKeyAttributes is " +
                             (include ? "not specified" : "specified"));
  }
  if (!include) return;
  std::set<std::string> seen;
  for (const std::string& attribute : *projection.non_key_attributes) {
    if (!seen.insert(attribute).second) {
      throw invalid_parameters("Duplicate element in NonKeyAttributes: " + attribute);
    }
  }
  index.non_key_attributes = *projection.non_key_attributes;
}

Index make_index(Index::Kind kind, const std::string& name, const KeySchema& schema,
                 const shapes::Projection& projection, const AttributeDefinitions& definitions) {
  if (!all_defined(schema, definitions)) throw not_defined(schema, definitions);
  if (kind == Index::Kind::global)
    check_index_key_types(schema);
  else
    check_key_types(schema, kSameName);
  Index index{.name = name, .kind = kind};
  for (const auto& element : schema) {
    const bool is_hash = element.key_type == shapes::KeyType::kHash;
    (is_hash ? index.partitions : index.sorts).push_back(key_attribute(element.attribute_name, definitions));
  }
  set_projection(index, projection);
  return index;
}

void add_index(Table& table, Index index) {
  if (table.find_index(index.name)) throw invalid_parameters("Duplicate index name: " + index.name);
  (void)table.add_index(std::move(index));  // a new table has numbers for all of them
}

void add_local_indexes(Table& table, const shapes::CreateTableInput& request) {
  if (!request.local_secondary_indexes) return;
  const auto& indexes = *request.local_secondary_indexes;
  if (indexes.empty()) throw invalid_parameters("List of LocalSecondaryIndexes is empty");
  if (!table.sort) {
    throw invalid_parameters(
        "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex");
  }
  for (const shapes::LocalSecondaryIndex& each : indexes) {
    Index index = make_index(Index::Kind::local, each.index_name, each.key_schema, each.projection,
                             request.attribute_definitions);
    if (index.sorts.empty()) {
      throw invalid_parameters("Index KeySchema does not have a range key for index: " + each.index_name);
    }
    if (index.partitions[0].name != table.partition.name) {
      throw invalid_parameters(
          "Index KeySchema does not have the same leading hash key as table KeySchema for index: " + each.index_name +
          ". index hash key: " + index.partitions[0].name + ", table hash key: " + table.partition.name);
    }
    add_index(table, std::move(index));
  }
  if (indexes.size() > kLocalIndexesMax) {
    throw invalid_parameters("Number of LocalSecondaryIndexes exceeds per-table limit of " +
                             std::to_string(kLocalIndexesMax));
  }
}

void set_throughput(Index& index, const shapes::ProvisionedThroughput& throughput) {
  index.throughput.read_units = throughput.read_capacity_units;
  index.throughput.write_units = throughput.write_capacity_units;
}

void add_global_indexes(Table& table, const shapes::CreateTableInput& request) {
  if (!request.global_secondary_indexes) return;
  const auto& indexes = *request.global_secondary_indexes;
  if (indexes.empty()) throw invalid_parameters("List of GlobalSecondaryIndexes is empty");
  for (const shapes::GlobalSecondaryIndex& each : indexes) {
    Index index = make_index(Index::Kind::global, each.index_name, each.key_schema, each.projection,
                             request.attribute_definitions);
    if (table.on_demand && each.provisioned_throughput) {
      throw invalid_parameters("ProvisionedThroughput should not be specified for index: " + each.index_name +
                               " when BillingMode is PAY_PER_REQUEST");
    }
    if (!table.on_demand && !each.provisioned_throughput) {
      throw invalid_parameters("ProvisionedThroughput is not specified for index: " + each.index_name);
    }
    if (each.provisioned_throughput) set_throughput(index, *each.provisioned_throughput);
    if (each.on_demand_throughput) set_index_maximum(table, index, *each.on_demand_throughput);
    if (each.warm_throughput) set_warm_throughput(table, index, *each.warm_throughput);
    add_index(table, std::move(index));
  }
  if (indexes.size() > kGlobalIndexesMax) {
    throw invalid_parameters("GlobalSecondaryIndex count exceeds the per-table limit of " +
                             std::to_string(kGlobalIndexesMax));
  }
}

// The key attributes of a table or an index.
struct Keys {
  std::vector<KeyAttribute> partitions;
  std::vector<KeyAttribute> sorts;

  // As AWS shows them: "Schema:[SchemaElement: key{a:S:HASH}]".
  [[nodiscard]] std::string shown() const {
    std::string text;
    const auto add = [&](const std::vector<KeyAttribute>& keys, std::string_view kind) {
      for (const KeyAttribute& key : keys) {
        text += base::cat(text.empty() ? "" : ", ", "SchemaElement: key{", key.name, ":",
                          lang::dynamodb::type_name(key.type), ":", kind, "}");
      }
    };
    add(partitions, shapes::KeyType::kHash);
    add(sorts, shapes::KeyType::kRange);
    return base::cat("Schema:[", text, "]");
  }

  [[nodiscard]] std::optional<Type> type_of(std::string_view attribute) const {
    for (const std::vector<KeyAttribute>* kind : {&partitions, &sorts}) {
      const auto found = std::ranges::find(*kind, attribute, &KeyAttribute::name);
      if (found != kind->end()) return found->type;
    }
    return std::nullopt;
  }
};

// An attribute that is a key already keeps its type.
void check_types_agree(const Table& table, const Index& index) {
  std::vector<Keys> existing{{{table.partition}, {}}};
  if (table.sort) existing[0].sorts.push_back(*table.sort);
  for (const Index& other : table.indexes) existing.push_back({other.partitions, other.sorts});
  const Keys wanted{index.partitions, index.sorts};
  for (const std::vector<KeyAttribute>* kind : {&wanted.partitions, &wanted.sorts}) {
    for (const KeyAttribute& key : *kind) {
      const auto found = std::ranges::find_if(existing, [&](const Keys& keys) {
        const auto type = keys.type_of(key.name);
        return type && *type != key.type;
      });
      if (found == existing.end()) continue;
      throw invalid_parameters(base::cat(
          "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. "
          "Existing schema: ",
          found->shown(), " New schema: ", wanted.shown()));
    }
  }
}

void check_all_used(const Table& table, const shapes::CreateTableInput& request) {
  std::set<std::string> used{table.partition.name};
  if (table.sort) used.insert(table.sort->name);
  for (const Index& index : table.indexes) {
    for (const KeyAttribute& key : index.entry_key) used.insert(key.name);
  }
  if (used.size() == request.attribute_definitions.size()) return;
  if (table.indexes.empty()) {
    throw invalid_parameters(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions");
  }
  throw invalid_parameters("Some AttributeDefinitions are not used. AttributeDefinitions: " +
                           names(request.attribute_definitions) + ", keys used: " + names(used));
}

}  // namespace

void set_keys_and_indexes(Table& table, const shapes::CreateTableInput& request) {
  check_table_keys(request.key_schema, request.attribute_definitions);
  check_definitions(request.attribute_definitions);
  table.partition = key_attribute(request.key_schema[0].attribute_name, request.attribute_definitions);
  if (request.key_schema.size() == 2) {
    table.sort = key_attribute(request.key_schema[1].attribute_name, request.attribute_definitions);
  }
  add_local_indexes(table, request);
  add_global_indexes(table, request);
  check_projected_attributes(table.indexes);
  check_all_used(table, request);
}

Index checked_new_index(const Table& table, const shapes::GlobalSecondaryIndex& request,
                        const std::optional<AttributeDefinitions>& definitions) {
  if (!definitions) throw invalid_parameters("AttributeDefinitions is not specified for index: " + request.index_name);
  check_definitions(*definitions);
  Index index =
      make_index(Index::Kind::global, request.index_name, request.key_schema, request.projection, *definitions);
  check_types_agree(table, index);
  if (table.on_demand && request.provisioned_throughput) {
    throw invalid_parameters("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: " +
                             request.index_name + " when BillingMode is PAY_PER_REQUEST");
  }
  if (!table.on_demand && !request.provisioned_throughput) {
    throw invalid_parameters("ProvisionedThroughput must be specified for index: " + request.index_name);
  }
  if (request.provisioned_throughput) set_throughput(index, *request.provisioned_throughput);
  if (request.on_demand_throughput) set_index_maximum(table, index, *request.on_demand_throughput);
  if (request.warm_throughput) set_warm_throughput(table, index, *request.warm_throughput);
  return index;
}

void check_projected_attributes(const std::vector<Index>& indexes) {
  size_t count = 0;
  for (const Index& index : indexes) count += index.non_key_attributes.size();
  if (count <= kProjectedAttributesMax) return;
  throw invalid_parameters("Number of NonKeyAttributes of all indexes exceeds the per-table limit of " +
                           std::to_string(kProjectedAttributesMax));
}

void set_index_maximum(const Table& table, Index& index, const shapes::OnDemandThroughput& maximum) {
  if (!table.on_demand) {
    throw invalid_parameters(
        std::string(maximum.max_read_request_units ? "MaxReadRequestUnits" : "MaxWriteRequestUnits") +
        " for OnDemandThroughput cannot be specified for index : " + index.name +
        " when the table BillingMode is PROVISIONED");
  }
  const auto set = [&](std::string_view name, std::optional<int64_t>& current, const std::optional<int64_t>& wanted) {
    if (!wanted) return;
    if (*wanted != kUnlimited && *wanted < 1) {
      throw invalid_parameters("Requested " + std::string(name) + " for OnDemandThroughput for index : " + index.name +
                               " is outside of valid range");
    }
    current = *wanted == kUnlimited ? std::nullopt : wanted;
  };
  set("MaxReadRequestUnits", index.read_request_units_max, maximum.max_read_request_units);
  set("MaxWriteRequestUnits", index.write_request_units_max, maximum.max_write_request_units);
}

}  // namespace tidemill::dynamodb
