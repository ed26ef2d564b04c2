// Pieces of what is told about streams, which several operations share.
#pragma once

#include "services/kinesis/stream.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::kinesis {

namespace shapes = wire::kinesis;

[[nodiscard]] shapes::Shard describe_shard(const Shard& shard);
[[nodiscard]] shapes::StreamModeDetails mode_details(const Stream& stream);
[[nodiscard]] std::string encryption_type(const Stream& stream);
[[nodiscard]] std::optional<std::string> encryption_key(const Stream& stream);
[[nodiscard]] std::vector<shapes::EnhancedMetrics> enhanced_monitoring(const Stream& stream);
// To the second, as AWS tells it.
[[nodiscard]] base::Time creation_time(const Stream& stream);
// The children of a closed shard, for those who have read it to its end.
[[nodiscard]] std::vector<shapes::ChildShard> describe_children(const Stream& stream, uint32_t shard);

}  // namespace tidemill::kinesis
