#include "services/kinesis/stream_record.h"

#include <algorithm>

#include "base/json_members.h"

namespace tidemill::kinesis {
namespace {

constexpr std::string_view kWhat = "stream";
constexpr int64_t kFormatVersion = 1;
constexpr std::string_view kChangeNames[] = {"none", "split", "merge", "reshard"};

constexpr auto kHashKey = [](auto& member, std::string_view name, auto& key) {
  member.as(name, key, hash_key_text, parse_hash_key);
};

constexpr auto kShardMembers = [](auto& member, auto& shard) {
  member("number", shard.number);
  kHashKey(member, "begin", shard.begin);
  kHashKey(member, "end", shard.end);
  member("created_us", shard.created);
  member("closed_us", shard.closed);
  member("parent", shard.parent);
  member("adjacent_parent", shard.adjacent_parent);
  member("numbered_us", shard.numbered);
};

std::string_view name_of_change(PendingChange::Kind kind) { return kChangeNames[static_cast<size_t>(kind)]; }

std::optional<PendingChange::Kind> change_of(std::string_view name) {
  const auto* kind = std::ranges::find(kChangeNames, name);
  if (kind == std::end(kChangeNames)) return std::nullopt;
  return static_cast<PendingChange::Kind>(kind - kChangeNames);
}

constexpr auto kPendingMembers = [](auto& member, auto& pending) {
  member.as("kind", pending.kind, name_of_change, change_of);
  member("shard", pending.shard);
  member("adjacent_shard", pending.adjacent_shard);
  kHashKey(member, "split_at", pending.split_at);
  member("shard_count", pending.shard_count);
};

std::optional<Status> status_of(std::string_view name) {
  for (const Status status : {Status::creating, Status::active, Status::updating, Status::deleting}) {
    if (status_name(status) == name) return status;
  }
  return std::nullopt;
}

constexpr auto kStreamMembers = [](auto& member, auto& stream) {
  member.fixed("version", kFormatVersion);
  member.bytes("id", stream.id);
  member.check(stream.id.size() == kStreamIdSize, "id");
  member("created_us", stream.created);
  member.as("status", stream.status, status_name, status_of);
  member.part_when(stream.pending.kind != PendingChange::Kind::none, "pending", kWhat, stream.pending,
                   kPendingMembers);
  member("on_demand", stream.on_demand);
  member("retention_hours", stream.retention);
  member("trimmed_us", stream.trimmed);
  member("trims_ended_us", stream.trims_ended);
  member("record_kib_max", stream.record_kib_max);
  member.added("metrics", stream.metrics);
  member("tags", stream.tags);
  member.unless_empty("reshardings_us", stream.reshardings);
  member.unless_empty("mode_changes_us", stream.mode_changes);
  member.unless_empty("kms_key", stream.kms_key);
  member.unless_empty("encryptions_us", stream.encryptions);
  member.unless_empty("decryptions_us", stream.decryptions);
  member("next_shard", stream.next_shard);
  member.list("shards", kWhat, stream.shards, kShardMembers);
};

}  // namespace

std::string write_stream_record(const Stream& stream) { return json::encode(stream, kStreamMembers); }

Stream read_stream_record(std::string_view bytes) { return json::decode<Stream>(kWhat, bytes, kStreamMembers); }

}  // namespace tidemill::kinesis
