#include "services/dynamodb/stream.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/ordered.h"
#include "services/dynamodb/descriptor_json.h"
#include "services/dynamodb/policy.h"
#include "store/resources.h"

namespace tidemill::dynamodb {

namespace {

constexpr store::ResourceType kStreams{"dynamodb", "stream"};
constexpr size_t kLogIdSize = 16;
constexpr char kLogOwner = 'd';  // the first byte of every log of this service, so that no other's is its prefix
constexpr int kFormatVersion = 1;

constexpr std::string_view kViewTypes[] = {"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"};

std::string digest(std::string_view text) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  return {reinterpret_cast<const char*>(hash), kLogIdSize};
}

std::string shard_id(std::string_view stream_arn, uint32_t hash_begin, base::Time created) {
  const std::string hash = digest(std::string(stream_arn) + "#" + std::to_string(hash_begin));
  uint32_t suffix;
  __builtin_memcpy(&suffix, hash.data(), sizeof(suffix));
  char id[48];
  const int64_t milliseconds = created.time_since_epoch().count() / 1000;
  std::snprintf(id, sizeof(id), "shardId-%020lld-%08x", static_cast<long long>(milliseconds), suffix);
  return id;
}

std::string table_streams_prefix(const TableAddress& table) {
  return store::resource_key(kStreams, table.account, table.region, table.name);
}

json::Value shard_json(const Shard& shard) {
  json::Object object{{"id", shard.id}, {"hashBegin", shard.hash_begin}, {"created", time_json(shard.created)}};
  if (shard.closed) object.set("closed", time_json(*shard.closed));
  if (!shard.parent.empty()) object.set("parent", shard.parent);
  return object;
}

Shard shard_from(const json::Value& json) {
  Shard shard;
  shard.id = text_at(json, "id");
  shard.hash_begin = static_cast<uint32_t>(integer_at(json, "hashBegin"));
  shard.created = time_at(json, "created");
  if (json.find("closed")) shard.closed = time_at(json, "closed");
  shard.parent = text_at(json, "parent");
  return shard;
}

}  // namespace

std::string_view view_type_name(ViewType type) { return kViewTypes[static_cast<size_t>(type)]; }

std::optional<ViewType> view_type_from_name(std::string_view name) {
  const auto* found = std::ranges::find(kViewTypes, name);
  if (found == std::end(kViewTypes)) return std::nullopt;
  return static_cast<ViewType>(found - kViewTypes);
}

const Shard* Stream::find(std::string_view shard_id) const {
  const auto found = std::ranges::find(shards, shard_id, &Shard::id);
  return found == shards.end() ? nullptr : &*found;
}

bool Stream::is_live(const Shard& shard, base::Time now) const {
  return !shard.closed || *shard.closed + kStreamRetention > now;
}

Stream make_stream(StreamAddress address, const TableId& table, ViewType view_type, KeyAttribute partition,
                   std::optional<KeyAttribute> sort, uint32_t shards, base::Time now) {
  Stream stream{.address = std::move(address),
                .table = table,
                .view_type = view_type,
                .partition = std::move(partition),
                .sort = std::move(sort),
                .created = now};
  const std::string arn = stream.address.arn();
  for (uint32_t i = 0; i < shards; ++i) {
    const auto begin = static_cast<uint32_t>((uint64_t{i} << 32) / shards);
    stream.shards.push_back({.id = shard_id(arn, begin, now), .hash_begin = begin, .created = now});
  }
  std::ranges::sort(stream.shards, {}, &Shard::id);
  return stream;
}

void disable(Stream& stream, base::Time now) {
  stream.disabled = now;
  for (Shard& shard : stream.shards) {
    if (!shard.closed) shard.closed = now;
  }
}

std::string stream_label(base::Time time) {
  const int64_t milliseconds = time.time_since_epoch().count() / 1000;
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03d", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(milliseconds % 1000));
  return text;
}

store::LogId shard_log(std::string_view stream_arn, std::string_view shard_id) {
  std::string name(stream_arn);
  name.append("/shard/").append(shard_id);
  return {std::string(1, kLogOwner) + digest(name)};
}

std::string stream_topic(std::string_view stream_arn) { return "dynamodb-stream/" + std::string(stream_arn); }

std::string stream_key(const StreamAddress& address) {
  std::string key = table_streams_prefix(address.table);
  base::append_string(key, address.label);
  return key;
}

store::Range table_streams_range(const TableAddress& table) {
  return store::Range::prefix(table_streams_prefix(table));
}

store::Range all_streams_range(std::string_view account, std::string_view region) {
  return store::resources_range(kStreams, account, region);
}

std::string encode_stream(const Stream& stream) {
  json::Array shards;
  for (const Shard& shard : stream.shards) shards.push_back(shard_json(shard));
  json::Object object{{"version", kFormatVersion},
                      {"arn", stream.address.arn()},
                      {"table", stream.table.uuid()},
                      {"viewType", view_type_name(stream.view_type)},
                      {"partitionKey", key_attribute_json(stream.partition)},
                      {"created", time_json(stream.created)},
                      {"shards", std::move(shards)}};
  if (stream.sort) object.set("sortKey", key_attribute_json(*stream.sort));
  if (stream.disabled) object.set("disabled", time_json(*stream.disabled));
  return json::write(object);
}

std::optional<Stream> decode_stream(std::string_view bytes) {
  const auto json = json::parse(bytes);
  if (!json || integer_at(*json, "version") != kFormatVersion) return std::nullopt;
  auto address = parse_stream_arn(text_at(*json, "arn"));
  const auto table = TableId::from_uuid(text_at(*json, "table"));
  const auto view_type = view_type_from_name(text_at(*json, "viewType"));
  const json::Value* shards = json->find("shards");
  if (!address || !table || !view_type || !shards || !shards->is_array()) return std::nullopt;
  Stream stream{.address = *std::move(address), .table = *table, .view_type = *view_type};
  if (const json::Value* partition = json->find("partitionKey")) stream.partition = key_attribute_from(*partition);
  if (const json::Value* sort = json->find("sortKey")) stream.sort = key_attribute_from(*sort);
  stream.created = time_at(*json, "created");
  if (json->find("disabled")) stream.disabled = time_at(*json, "disabled");
  for (const json::Value& shard : shards->array()) stream.shards.push_back(shard_from(shard));
  return stream;
}

Task<std::optional<Stream>> load_stream(store::Snapshot& snapshot, const StreamAddress& address) {
  const auto bytes = co_await snapshot.get(stream_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_stream(*bytes);
}

void save_stream(store::Transaction& txn, const Stream& stream) {
  txn.put(stream_key(stream.address), encode_stream(stream));
  txn.signal(stream_topic(stream.address.arn()));
}

void erase_stream(store::Transaction& txn, const Stream& stream) {
  const std::string arn = stream.address.arn();
  for (const Shard& shard : stream.shards) txn.erase_log(shard_log(arn, shard.id));
  txn.erase(stream_key(stream.address));
  txn.erase(policy_key({stream.address.table, stream.address.label}));
  txn.signal(stream_topic(arn));
}

}  // namespace tidemill::dynamodb
