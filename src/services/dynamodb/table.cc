#include "services/dynamodb/table.h"

#include <algorithm>
#include <utility>

#include "services/dynamodb/descriptor_json.h"
#include "store/resources.h"

namespace tidemill::dynamodb {

namespace {

constexpr store::ResourceType kTables{"dynamodb", "table"};
// Binaries that know nothing of indexes read version 1 only: they must not write items without their entries.
constexpr int kVersionWithoutIndexes = 1;
constexpr int kVersionWithIndexes = 2;
// Nor may those that know nothing of the sizes of item collections write items without counting them.
constexpr int kVersionWithCollections = 3;
// Earlier binaries know nothing of indexes with several key attributes of a kind.
constexpr int kVersionWithSeveralKeys = 4;
// Nor may those that know nothing of replicas write items to one of them only.
constexpr int kVersionWithReplicas = 5;

constexpr uint16_t kIndexNumberMax = 0xefff;  // those above are free for other uses of the layout

json::Value stream_json(const TableStream& stream) {
  json::Array shards;
  for (const auto& shard : stream.shards) {
    shards.push_back(json::Object{{"id", shard.id}, {"hashBegin", shard.hash_begin}});
  }
  json::Object object{
      {"label", stream.label}, {"viewType", view_type_name(stream.view_type)}, {"shards", std::move(shards)}};
  if (stream.emptied) object.set("emptied", time_json(*stream.emptied));
  return object;
}

std::optional<TableStream> stream_from(const json::Value& json, const TableAddress& table) {
  TableStream stream{.label = text_at(json, "label")};
  const auto view_type = view_type_from_name(text_at(json, "viewType"));
  const json::Value* shards = json.find("shards");
  if (!view_type || !shards || !shards->is_array() || shards->array().empty()) return std::nullopt;
  stream.view_type = *view_type;
  if (json.find("emptied")) stream.emptied = time_at(json, "emptied");
  const std::string arn = StreamAddress{table, stream.label}.arn();
  for (const json::Value& shard : shards->array()) {
    const std::string id = text_at(shard, "id");
    stream.shards.push_back({id, static_cast<uint32_t>(integer_at(shard, "hashBegin")), shard_log(arn, id)});
  }
  return stream;
}

void add_indexes(json::Object& object, const Table& table) {
  if (table.last_index_number == 0) return;
  json::Array indexes;
  for (const Index& index : table.indexes) indexes.push_back(index_json(index));
  object.set("indexes", std::move(indexes));
  object.set("lastIndexNumber", table.last_index_number);
  if (table.collection_counts != Table::CollectionCounts::none) {
    object.set("allCollectionsCounted", table.collection_counts == Table::CollectionCounts::all);
  }
}

int version_of(const Table& table) {
  if (table.is_replica()) return kVersionWithReplicas;
  if (std::ranges::any_of(table.indexes, &Index::has_several_of_a_kind)) return kVersionWithSeveralKeys;
  if (table.collection_counts != Table::CollectionCounts::none) return kVersionWithCollections;
  return table.last_index_number == 0 ? kVersionWithoutIndexes : kVersionWithIndexes;
}

// False: they cannot be read.
bool read_indexes(const json::Value& json, Table& table) {
  table.last_index_number = static_cast<uint16_t>(integer_at(json, "lastIndexNumber"));
  const json::Value* indexes = json.find("indexes");
  if (!indexes) return true;
  if (!indexes->is_array()) return false;
  for (const json::Value& each : indexes->array()) {
    std::optional<Index> index = index_from(each);
    if (!index) return false;
    index->complete(table.partition, table.sort);
    table.indexes.push_back(*std::move(index));
  }
  return true;
}

void add_options(json::Object& object, const Table& table) {
  if (table.on_demand_since) object.set("onDemandSince", time_json(*table.on_demand_since));
  if (table.read_request_units_max) object.set("readRequestUnitsMax", *table.read_request_units_max);
  if (table.write_request_units_max) object.set("writeRequestUnitsMax", *table.write_request_units_max);
  if (!table.table_class.empty()) object.set("tableClass", table.table_class);
  if (table.table_class_updated) object.set("tableClassUpdated", time_json(*table.table_class_updated));
  if (table.encryption) {
    object.set("encryption", json::Object{{"updated", time_json(table.encryption->updated)},
                                          {"kmsKeyArn", table.encryption->kms_key_arn}});
  }
  if (!table.tags.empty()) {
    json::Object tags;
    for (const auto& [key, value] : table.tags) tags.set(key, value);
    object.set("tags", std::move(tags));
  }
  object.set("features", features_json(table.features));
  if (table.is_replica()) object.set("replication", replication_json(table.replication));
}

void read_options(const json::Value& json, Table& table) {
  if (json.find("onDemandSince")) table.on_demand_since = time_at(json, "onDemandSince");
  if (json.find("readRequestUnitsMax")) table.read_request_units_max = integer_at(json, "readRequestUnitsMax");
  if (json.find("writeRequestUnitsMax")) table.write_request_units_max = integer_at(json, "writeRequestUnitsMax");
  table.table_class = text_at(json, "tableClass");
  if (json.find("tableClassUpdated")) table.table_class_updated = time_at(json, "tableClassUpdated");
  if (const json::Value* encryption = json.find("encryption")) {
    table.encryption = Encryption{time_at(*encryption, "updated"), text_at(*encryption, "kmsKeyArn")};
  }
  if (const json::Value* tags = json.find("tags"); tags && tags->is_object()) {
    for (const auto& [key, value] : tags->object()) table.tags[key] = value.is_string() ? value.string() : "";
  }
  if (const json::Value* features = json.find("features")) table.features = features_from(*features);
  if (const json::Value* replication = json.find("replication")) table.replication = replication_from(*replication);
}

}  // namespace

const store::LogId& TableStream::log_for(uint32_t hash) const {
  const auto behind = std::ranges::upper_bound(shards, hash, {}, &OpenShard::hash_begin);
  return std::prev(behind)->log;
}

lang::dynamodb::KeySchema Table::key_schema() const {
  lang::dynamodb::KeySchema schema{partition.name, partition.type};
  if (sort) {
    schema.sort_name = sort->name;
    schema.sort_type = sort->type;
  }
  return schema;
}

void Table::set_stream(const Stream& from) {
  const std::string arn = from.address.arn();
  stream = TableStream{.label = from.address.label, .view_type = from.view_type};
  for (const Shard& shard : from.shards) {
    if (!shard.closed) stream->shards.push_back({shard.id, shard.hash_begin, shard_log(arn, shard.id)});
  }
  std::ranges::sort(stream->shards, {}, &TableStream::OpenShard::hash_begin);
  latest_stream_label = from.address.label;
}

const Index* Table::find_index(std::string_view name) const {
  const auto found = std::ranges::find(indexes, name, &Index::name);
  return found == indexes.end() ? nullptr : &*found;
}

Index* Table::find_index(std::string_view name) {
  return const_cast<Index*>(std::as_const(*this).find_index(name));
}

std::span<const Index> Table::local_indexes() const {
  const auto first_global = std::ranges::find_if(indexes, [](const Index& index) { return !index.is_local(); });
  return {indexes.begin(), first_global};
}

bool Table::add_index(Index index) {
  if (last_index_number == kIndexNumberMax) return false;
  index.number = ++last_index_number;
  index.complete(partition, sort);
  indexes.push_back(std::move(index));
  return true;
}

std::string table_key(const TableAddress& address) {
  return store::resource_key(kTables, address.account, address.region, address.name);
}

store::Range all_tables_range(std::string_view account, std::string_view region) {
  return store::resources_range(kTables, account, region);
}

std::string table_name_of(std::string_view key) {
  return store::resource_of_key(kTables, key).value_or(store::ResourceAddress()).name;
}

std::string encode_table(const Table& table) {
  json::Object object{{"version", version_of(table)},
                      {"arn", table.address.arn()},
                      {"id", table.id.uuid()},
                      {"created", time_json(table.created)},
                      {"partitionKey", key_attribute_json(table.partition)},
                      {"onDemand", table.on_demand},
                      {"throughput", throughput_json(table.throughput)},
                      {"deletionProtected", table.deletion_protected},
                      {"latestStreamLabel", table.latest_stream_label}};
  if (table.sort) object.set("sortKey", key_attribute_json(*table.sort));
  if (table.stream) object.set("stream", stream_json(*table.stream));
  add_indexes(object, table);
  add_options(object, table);
  return json::write(object);
}

namespace {

std::optional<Table> decode(std::string_view bytes) {
  const auto json = json::parse(bytes);
  if (!json) return std::nullopt;
  const int64_t version = integer_at(*json, "version");
  if (version < kVersionWithoutIndexes || version > kVersionWithReplicas) return std::nullopt;
  auto address = parse_table_arn(text_at(*json, "arn"));
  const auto id = TableId::from_uuid(text_at(*json, "id"));
  const json::Value* partition = json->find("partitionKey");
  if (!address || !id || !partition) return std::nullopt;
  Table table{.address = *std::move(address), .id = *id};
  table.created = time_at(*json, "created");
  table.partition = key_attribute_from(*partition);
  if (const json::Value* sort = json->find("sortKey")) table.sort = key_attribute_from(*sort);
  table.on_demand = boolean_at(*json, "onDemand");
  if (const json::Value* throughput = json->find("throughput")) table.throughput = throughput_from(*throughput);
  table.deletion_protected = boolean_at(*json, "deletionProtected");
  table.latest_stream_label = text_at(*json, "latestStreamLabel");
  if (const json::Value* stream = json->find("stream")) {
    table.stream = stream_from(*stream, table.address);
    if (!table.stream) return std::nullopt;
  }
  if (!read_indexes(*json, table)) return std::nullopt;
  if (version >= kVersionWithCollections && json->find("allCollectionsCounted")) {
    table.collection_counts = boolean_at(*json, "allCollectionsCounted") ? Table::CollectionCounts::all
                                                                         : Table::CollectionCounts::some;
  }
  read_options(*json, table);
  return table;
}

}  // namespace

std::optional<Table> decode_table(std::string_view bytes) {
  auto table = decode(bytes);
  if (table) table->stored = store::Remembered(table_key(table->address), std::string(bytes));
  return table;
}

std::optional<Table> decode_table(store::Remembered stored) {
  auto table = decode(stored.value());
  if (table) table->stored = std::move(stored);
  return table;
}

Task<std::optional<Table>> load_table(store::Snapshot& snapshot, const TableAddress& address) {
  auto stored = co_await store::Remembered::read(snapshot, table_key(address));
  if (!stored) co_return std::nullopt;
  co_return decode_table(*std::move(stored));
}

Task<std::optional<Table>> load_usable_table(store::Snapshot& snapshot, const TableAddress& address) {
  auto table = co_await load_table(snapshot, address);
  if (table && table->features.is_being_filled()) table.reset();
  co_return table;
}

void save_table(store::Transaction& txn, const Table& table) {
  txn.put(table_key(table.address), encode_table(table));
}

}  // namespace tidemill::dynamodb
