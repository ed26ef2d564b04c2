#include "services/dynamodb/index.h"

#include <algorithm>
#include <span>

#include "services/dynamodb/descriptor_json.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kLocal = "local";
constexpr std::string_view kCreating = "creating";

// The key attributes of one kind after the first, of which there were none once.
void add_further(json::Object& object, std::string_view member, const std::vector<KeyAttribute>& keys) {
  if (keys.size() < 2) return;
  json::Array further;
  for (const KeyAttribute& key : std::span(keys).subspan(1)) further.push_back(key_attribute_json(key));
  object.set(std::string(member), std::move(further));
}

void read_further(const json::Value& json, std::string_view member, std::vector<KeyAttribute>& keys) {
  const json::Value* further = json.find(member);
  if (!further || !further->is_array()) return;
  for (const json::Value& key : further->array()) keys.push_back(key_attribute_from(key));
}

}  // namespace

bool Index::projects(std::string_view attribute) const {
  return projection == Projection::all || std::ranges::binary_search(projected, attribute);
}

lang::dynamodb::KeySchema Index::key_schema() const {
  lang::dynamodb::KeySchema schema{partitions[0].name, partitions[0].type};
  for (const KeyAttribute& key : std::span(partitions).subspan(1))
    schema.more_partitions.push_back({key.name, key.type});
  if (sorts.empty()) return schema;
  schema.sort_name = sorts[0].name;
  schema.sort_type = sorts[0].type;
  for (const KeyAttribute& key : std::span(sorts).subspan(1)) schema.more_sorts.push_back({key.name, key.type});
  return schema;
}

void Index::complete(const KeyAttribute& table_partition, const std::optional<KeyAttribute>& table_sort) {
  entry_key = partitions;
  entry_key.insert(entry_key.end(), sorts.begin(), sorts.end());
  if (!is_key(table_partition.name)) entry_key.push_back(table_partition);
  if (table_sort && !is_key(table_sort->name)) entry_key.push_back(*table_sort);

  projected.clear();
  if (projection == Projection::all) return;
  for (const KeyAttribute& key : entry_key) projected.push_back(key.name);
  projected.insert(projected.end(), non_key_attributes.begin(), non_key_attributes.end());
  std::ranges::sort(projected);
  const auto repeated = std::ranges::unique(projected);
  projected.erase(repeated.begin(), repeated.end());
}

std::string not_projected(const Index& index, const std::vector<std::string_view>& attributes) {
  std::vector<std::string_view> missing;
  for (const auto attribute : attributes) {
    if (index.projects(attribute) || std::ranges::find(missing, attribute) != missing.end()) continue;
    missing.push_back(attribute);
  }
  std::string text;
  for (const auto attribute : missing) text.append(text.empty() ? "[" : ", ").append(attribute);
  return text.empty() ? text : text + "]";
}

std::string_view projection_name(Index::Projection projection) {
  switch (projection) {
    case Index::Projection::all: return "ALL";
    case Index::Projection::keys_only: return "KEYS_ONLY";
    case Index::Projection::include: break;
  }
  return "INCLUDE";
}

std::optional<Index::Projection> projection_from_name(std::string_view name) {
  for (const auto projection : {Index::Projection::all, Index::Projection::keys_only, Index::Projection::include}) {
    if (projection_name(projection) == name) return projection;
  }
  return std::nullopt;
}

json::Value index_json(const Index& index) {
  json::Object object{{"name", index.name},
                      {"number", index.number},
                      {"kind", index.is_local() ? kLocal : std::string_view("global")},
                      {"partitionKey", key_attribute_json(index.partitions[0])},
                      {"projection", projection_name(index.projection)},
                      {"status", index.status == Index::Status::creating ? kCreating : std::string_view("active")}};
  if (!index.sorts.empty()) object.set("sortKey", key_attribute_json(index.sorts[0]));
  add_further(object, "furtherPartitionKeys", index.partitions);
  add_further(object, "furtherSortKeys", index.sorts);
  if (!index.non_key_attributes.empty()) {
    json::Array attributes;
    for (const std::string& attribute : index.non_key_attributes) attributes.push_back(attribute);
    object.set("nonKeyAttributes", std::move(attributes));
  }
  if (!index.is_local()) object.set("throughput", throughput_json(index.throughput));
  if (index.read_request_units_max) object.set("readRequestUnitsMax", *index.read_request_units_max);
  if (index.write_request_units_max) object.set("writeRequestUnitsMax", *index.write_request_units_max);
  if (index.warm_throughput) object.set("warmThroughput", warm_throughput_json(*index.warm_throughput));
  return object;
}

std::optional<Index> index_from(const json::Value& json) {
  const json::Value* partition = json.find("partitionKey");
  const auto projection = projection_from_name(text_at(json, "projection"));
  Index index{.name = text_at(json, "name"), .number = static_cast<uint16_t>(integer_at(json, "number"))};
  if (!partition || !projection || index.name.empty() || index.number == kTableIndex) return std::nullopt;
  index.kind = text_at(json, "kind") == kLocal ? Index::Kind::local : Index::Kind::global;
  index.partitions = {key_attribute_from(*partition)};
  if (const json::Value* sort = json.find("sortKey")) index.sorts = {key_attribute_from(*sort)};
  read_further(json, "furtherPartitionKeys", index.partitions);
  read_further(json, "furtherSortKeys", index.sorts);
  index.projection = *projection;
  if (const json::Value* attributes = json.find("nonKeyAttributes"); attributes && attributes->is_array()) {
    for (const json::Value& attribute : attributes->array()) {
      if (attribute.is_string()) index.non_key_attributes.push_back(attribute.string());
    }
  }
  index.status = text_at(json, "status") == kCreating ? Index::Status::creating : Index::Status::active;
  if (const json::Value* throughput = json.find("throughput")) index.throughput = throughput_from(*throughput);
  if (json.find("readRequestUnitsMax")) index.read_request_units_max = integer_at(json, "readRequestUnitsMax");
  if (json.find("writeRequestUnitsMax")) index.write_request_units_max = integer_at(json, "writeRequestUnitsMax");
  if (const json::Value* warm = json.find("warmThroughput")) index.warm_throughput = warm_throughput_from(*warm);
  return index;
}

}  // namespace tidemill::dynamodb
