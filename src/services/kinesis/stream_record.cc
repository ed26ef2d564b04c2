#include "services/kinesis/stream_record.h"

#include <algorithm>

#include "base/json_record.h"

namespace tidemill::kinesis {
namespace {

constexpr std::string_view kWhat = "stream";
constexpr int64_t kFormatVersion = 1;
constexpr std::string_view kChangeNames[] = {"none", "split", "merge", "reshard"};

void write_number(json::Writer& writer, std::string_view name, std::integral auto number) {
  json::write_member(writer, name, static_cast<int64_t>(number));
}

void write_shard(json::Writer& writer, const Shard& shard) {
  writer.begin_object();
  write_number(writer, "number", shard.number);
  json::write_member(writer, "begin", std::string_view(hash_key_text(shard.begin)));
  json::write_member(writer, "end", std::string_view(hash_key_text(shard.end)));
  json::write_member(writer, "created_us", shard.created);
  if (shard.closed) json::write_member(writer, "closed_us", *shard.closed);
  if (shard.parent) write_number(writer, "parent", *shard.parent);
  if (shard.adjacent_parent) write_number(writer, "adjacent_parent", *shard.adjacent_parent);
  if (shard.numbered) json::write_member(writer, "numbered_us", *shard.numbered);
  writer.end_object();
}

void write_times(json::Writer& writer, std::string_view name, const std::vector<base::Time>& times) {
  if (times.empty()) return;
  writer.key(name);
  writer.begin_array();
  for (const base::Time time : times) writer.integer(time.time_since_epoch().count());
  writer.end_array();
}

void write_pending(json::Writer& writer, const PendingChange& pending) {
  if (pending.kind == PendingChange::Kind::none) return;
  writer.key("pending");
  writer.begin_object();
  json::write_member(writer, "kind", kChangeNames[static_cast<size_t>(pending.kind)]);
  write_number(writer, "shard", pending.shard);
  write_number(writer, "adjacent_shard", pending.adjacent_shard);
  json::write_member(writer, "split_at", std::string_view(hash_key_text(pending.split_at)));
  write_number(writer, "shard_count", pending.shard_count);
  writer.end_object();
}

HashKey read_hash_key(const json::Record& record, std::string_view name) {
  const auto key = parse_hash_key(record.text(name));
  if (!key) record.damaged(name);
  return *key;
}

std::optional<uint32_t> find_number(const json::Record& record, std::string_view name) {
  const auto number = record.find_integer(name);
  if (!number) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

Shard read_shard(const json::Value& value) {
  const json::Record record = json::Record::part(kWhat, value);
  return {.number = static_cast<uint32_t>(record.integer("number")),
          .begin = read_hash_key(record, "begin"),
          .end = read_hash_key(record, "end"),
          .created = record.time("created_us"),
          .closed = record.find_time("closed_us"),
          .parent = find_number(record, "parent"),
          .adjacent_parent = find_number(record, "adjacent_parent"),
          .numbered = record.find_time("numbered_us")};
}

const json::Array& list_at(const json::Record& record, std::string_view name) {
  static const json::Array kNone;
  const json::Value* found = record.find(name);
  if (!found) return kNone;
  if (!found->is_array()) record.damaged(name);
  return found->array();
}

std::vector<base::Time> read_times(const json::Record& record, std::string_view name) {
  std::vector<base::Time> times;
  for (const json::Value& value : list_at(record, name)) {
    const auto number = value.to_int64();
    if (!number) record.damaged(name);
    times.emplace_back(base::Duration(*number));
  }
  return times;
}

PendingChange read_pending(const json::Value& value) {
  const json::Record record = json::Record::part(kWhat, value);
  const auto* kind = std::ranges::find(kChangeNames, record.text("kind"));
  if (kind == std::end(kChangeNames)) record.damaged("kind");
  return {.kind = static_cast<PendingChange::Kind>(kind - kChangeNames),
          .shard = static_cast<uint32_t>(record.integer("shard")),
          .adjacent_shard = static_cast<uint32_t>(record.integer("adjacent_shard")),
          .split_at = read_hash_key(record, "split_at"),
          .shard_count = static_cast<uint32_t>(record.integer("shard_count"))};
}

Status read_status(const json::Record& record) {
  const std::string name = record.text("status");
  for (const Status status : {Status::creating, Status::active, Status::updating, Status::deleting}) {
    if (status_name(status) == name) return status;
  }
  record.damaged("status");
}

}  // namespace

std::string write_stream_record(const Stream& stream) {
  std::string bytes;
  json::Writer writer(bytes);
  writer.begin_object();
  write_number(writer, "version", kFormatVersion);
  json::write_bytes(writer, "id", stream.id);
  json::write_member(writer, "created_us", stream.created);
  json::write_member(writer, "status", status_name(stream.status));
  write_pending(writer, stream.pending);
  json::write_member(writer, "on_demand", stream.on_demand);
  write_number(writer, "retention_hours", stream.retention.count());
  json::write_member(writer, "trimmed_us", stream.trimmed);
  json::write_member(writer, "trims_ended_us", stream.trims_ended);
  write_number(writer, "record_kib_max", stream.record_kib_max);
  writer.key("metrics");
  writer.begin_array();
  for (const std::string& metric : stream.metrics) writer.string(metric);
  writer.end_array();
  json::write_member(writer, "tags", stream.tags);
  write_times(writer, "reshardings_us", stream.reshardings);
  write_times(writer, "mode_changes_us", stream.mode_changes);
  write_number(writer, "next_shard", stream.next_shard);
  writer.key("shards");
  writer.begin_array();
  for (const Shard& shard : stream.shards) write_shard(writer, shard);
  writer.end_array();
  writer.end_object();
  return bytes;
}

Stream read_stream_record(std::string_view bytes) {
  const json::Record record(kWhat, bytes);
  if (record.integer("version") != kFormatVersion) record.damaged("version");
  Stream stream;
  stream.id = record.bytes("id");
  if (stream.id.size() != kStreamIdSize) record.damaged("id");
  stream.created = record.time("created_us");
  stream.status = read_status(record);
  if (const json::Value* pending = record.find("pending")) stream.pending = read_pending(*pending);
  stream.on_demand = record.boolean("on_demand");
  stream.retention = std::chrono::hours(record.integer("retention_hours"));
  stream.trimmed = record.time("trimmed_us");
  stream.trims_ended = record.time("trims_ended_us");
  stream.record_kib_max = static_cast<int>(record.integer("record_kib_max"));
  for (const json::Value& metric : list_at(record, "metrics")) {
    if (!metric.is_string()) record.damaged("metrics");
    stream.metrics.push_back(metric.string());
  }
  stream.tags = record.map("tags");
  stream.reshardings = read_times(record, "reshardings_us");
  stream.mode_changes = read_times(record, "mode_changes_us");
  stream.next_shard = static_cast<uint32_t>(record.integer("next_shard"));
  for (const json::Value& shard : list_at(record, "shards")) stream.shards.push_back(read_shard(shard));
  return stream;
}

}  // namespace tidemill::kinesis
