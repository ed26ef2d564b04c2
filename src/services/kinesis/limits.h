// How many shards and on-demand streams an account's region may have (developer guide, "Quotas and limits").
#pragma once

#include <cstdint>

#include "services/kinesis/stream.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::kinesis {

inline constexpr uint32_t kShardsMax = 10'000;  // open ones of all provisioned streams together
inline constexpr uint32_t kOnDemandStreamsMax = 50;

struct Usage {
  uint32_t provisioned_shards = 0;
  uint32_t on_demand_streams = 0;
};

Task<Usage> count_usage(store::Snapshot& reader, std::string account, std::string region);

// Throws LimitExceededException if there is no room for another stream or so many more shards.
Task<void> require_room(const wire::Context& context, bool on_demand, uint32_t more_shards);

[[nodiscard]] wire::Error shard_limit_exceeded(const wire::Context& context, uint32_t asked, uint32_t used);

}  // namespace tidemill::kinesis
