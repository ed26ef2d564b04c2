#include "services/dynamodb/index.h"

#include <algorithm>

#include "services/dynamodb/descriptor_json.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kLocal = "local";
constexpr std::string_view kCreating = "creating";

}  // namespace

bool Index::projects(std::string_view attribute) const {
  return projection == Projection::all || std::ranges::binary_search(projected, attribute);
}

lang::dynamodb::KeySchema Index::key_schema() const {
  lang::dynamodb::KeySchema schema{partition.name, partition.type};
  if (sort) {
    schema.sort_name = sort->name;
    schema.sort_type = sort->type;
  }
  return schema;
}

void Index::complete(const KeyAttribute& table_partition, const std::optional<KeyAttribute>& table_sort) {
  entry_key = {partition};
  if (sort) entry_key.push_back(*sort);
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
                      {"partitionKey", key_attribute_json(index.partition)},
                      {"projection", projection_name(index.projection)},
                      {"status", index.status == Index::Status::creating ? kCreating : std::string_view("active")}};
  if (index.sort) object.set("sortKey", key_attribute_json(*index.sort));
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
  index.partition = key_attribute_from(*partition);
  if (const json::Value* sort = json.find("sortKey")) index.sort = key_attribute_from(*sort);
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
