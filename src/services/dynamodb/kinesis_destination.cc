#include "services/dynamodb/kinesis_destination.h"

#include <openssl/rand.h>

#include <algorithm>

#include "base/base64.h"
#include "base/json_record.h"
#include "services/dynamodb/descriptor_json.h"
#include "services/dynamodb/table.h"
#include "store/resources.h"

namespace tidemill::dynamodb {

namespace {

constexpr std::string_view kWhat = "outbox of a table";
constexpr store::ResourceType kType{"dynamodb", "kinesis-outbox"};
constexpr char kLogOwner = 'o';  // the first byte of these logs, so that no other's is its prefix
constexpr size_t kIdSize = 16;
constexpr std::string_view kMicroseconds = "MICROSECOND";

std::string new_id() {
  std::string id(kIdSize, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(id.data()), static_cast<int>(id.size())) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return id;
}

}  // namespace

json::Value destinations_json(const std::vector<KinesisDestination>& destinations) {
  json::Array result;
  for (const KinesisDestination& destination : destinations) {
    result.push_back(json::Object{{"outbox", base::base64_encode(destination.outbox)},
                                  {"streamArn", destination.stream_arn},
                                  {"precision", destination.precision},
                                  {"active", destination.active}});
  }
  return result;
}

std::vector<KinesisDestination> destinations_from(const json::Value& json) {
  std::vector<KinesisDestination> result;
  if (!json.is_array()) return result;
  for (const json::Value& destination : json.array()) {
    result.push_back({.outbox = base::base64_decode(text_at(destination, "outbox")).value_or(""),
                      .stream_arn = text_at(destination, "streamArn"),
                      .precision = text_at(destination, "precision"),
                      .active = boolean_at(destination, "active")});
  }
  return result;
}

store::LogId outbox_log(std::string_view id) { return {std::string(1, kLogOwner).append(id)}; }

std::string outbox_key(std::string_view id) { return store::resource_key(kType, "", "", id); }

store::Range outboxes_range() { return store::resources_range(kType, "", ""); }

Outbox decode_outbox(std::string_view bytes) {
  const json::Record record(kWhat, bytes);
  const auto table = parse_table_arn(record.text("table"));
  const json::Value* partition = record.find("partitionKey");
  if (!table || !partition) record.damaged("table");
  Outbox outbox{.id = record.bytes("id"),
                .table = *table,
                .partition = key_attribute_from(*partition),
                .stream_arn = record.text("streamArn"),
                .in_microseconds = record.boolean("microseconds"),
                .ended = record.boolean("ended")};
  if (const json::Value* sort = record.find("sortKey")) outbox.sort = key_attribute_from(*sort);
  return outbox;
}

void save_outbox(store::Transaction& txn, const Outbox& outbox) {
  std::string bytes;
  json::Writer writer(bytes);
  writer.begin_object();
  json::write_bytes(writer, "id", outbox.id);
  json::write_member(writer, "table", std::string_view(outbox.table.arn()));
  writer.key("partitionKey"), writer.value(key_attribute_json(outbox.partition));
  if (outbox.sort) writer.key("sortKey"), writer.value(key_attribute_json(*outbox.sort));
  json::write_member(writer, "streamArn", std::string_view(outbox.stream_arn));
  json::write_member(writer, "microseconds", outbox.in_microseconds);
  json::write_member(writer, "ended", outbox.ended);
  writer.end_object();
  txn.put(outbox_key(outbox.id), bytes);
  txn.signal(kOutboxesTopic);
  txn.signal(outbox_log(outbox.id).bytes);
}

void erase_outbox(store::Transaction& txn, const Outbox& outbox) {
  txn.erase_log(outbox_log(outbox.id));
  txn.erase(outbox_key(outbox.id));
  txn.signal(outbox_log(outbox.id).bytes);
}

void enable_destination(store::Transaction& txn, Table& table, std::string stream_arn, std::string precision) {
  auto& destinations = table.features.kinesis;
  std::erase_if(destinations, [&](const KinesisDestination& old) { return old.stream_arn == stream_arn; });
  destinations.push_back(
      {.outbox = new_id(), .stream_arn = std::move(stream_arn), .precision = std::move(precision), .active = true});
  save_outbox(txn, {.id = destinations.back().outbox,
                    .table = table.address,
                    .partition = table.partition,
                    .sort = table.sort,
                    .stream_arn = destinations.back().stream_arn,
                    .in_microseconds = destinations.back().precision == kMicroseconds});
}

Task<void> end_destination(store::Transaction& txn, KinesisDestination& destination) {
  destination.active = false;
  const std::string key = outbox_key(destination.outbox);
  const auto bytes = co_await txn.get(key);
  if (!bytes) co_return;
  Outbox outbox = decode_outbox(*bytes);
  outbox.ended = true;
  save_outbox(txn, outbox);
}

}  // namespace tidemill::dynamodb
