#include "services/kinesis/stream_description.h"

namespace tidemill::kinesis {
namespace {

std::string id_of(uint32_t number) { return Shard{.number = number}.id(); }

shapes::HashKeyRange range_of(const Shard& shard) {
  return {.starting_hash_key = hash_key_text(shard.begin), .ending_hash_key = hash_key_text(shard.end)};
}

}  // namespace

shapes::Shard describe_shard(const Shard& shard) {
  shapes::Shard result{.shard_id = shard.id(),
                       .hash_key_range = range_of(shard),
                       .sequence_number_range = {.starting_sequence_number = shard.first_sequence_number()}};
  if (shard.parent) result.parent_shard_id = id_of(*shard.parent);
  if (shard.adjacent_parent) result.adjacent_parent_shard_id = id_of(*shard.adjacent_parent);
  if (shard.closed) result.sequence_number_range.ending_sequence_number = shard.sequence_number(kShardEnd);
  return result;
}

shapes::StreamModeDetails mode_details(const Stream& stream) {
  return {.stream_mode =
              std::string(stream.on_demand ? shapes::StreamMode::kOnDemand : shapes::StreamMode::kProvisioned)};
}

std::string encryption_type(const Stream& stream) {
  return std::string(stream.kms_key.empty() ? shapes::EncryptionType::kNone : shapes::EncryptionType::kKms);
}

std::optional<std::string> encryption_key(const Stream& stream) {
  return stream.kms_key.empty() ? std::nullopt : std::optional(stream.kms_key);
}

std::vector<shapes::EnhancedMetrics> enhanced_monitoring(const Stream& stream) {
  return {shapes::EnhancedMetrics{.shard_level_metrics = stream.metrics}};
}

base::Time creation_time(const Stream& stream) { return std::chrono::floor<std::chrono::seconds>(stream.created); }

std::vector<shapes::ChildShard> describe_children(const Stream& stream, uint32_t shard) {
  std::vector<shapes::ChildShard> result;
  for (const Shard* child : stream.children(shard)) {
    shapes::ChildShard described{.shard_id = child->id(), .hash_key_range = range_of(*child)};
    if (child->parent) described.parent_shards.push_back(id_of(*child->parent));
    if (child->adjacent_parent) described.parent_shards.push_back(id_of(*child->adjacent_parent));
    result.push_back(std::move(described));
  }
  return result;
}

}  // namespace tidemill::kinesis
