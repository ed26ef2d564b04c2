// Refusals that several operations share, with AWS's words.
#pragma once

#include <string>
#include <string_view>

#include "services/kinesis/stream_address.h"
#include "wire/error.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::kinesis {

namespace errors = wire::kinesis::errors;

[[nodiscard]] wire::Error invalid_argument(std::string message);
[[nodiscard]] wire::Error stream_not_found(const StreamAddress& address);
[[nodiscard]] wire::Error consumer_not_found(std::string_view consumer, const StreamAddress& address);
// Of operations on a shard; GetShardIterator has words of its own for ids that could be one's. Ids are shown in their
// long form.
[[nodiscard]] wire::Error shard_not_found(std::string_view shard_id, const StreamAddress& address);
[[nodiscard]] wire::Error shard_does_not_exist(std::string_view shard_id, const StreamAddress& address);
[[nodiscard]] wire::Error stream_not_active(const StreamAddress& address, std::string_view status);
[[nodiscard]] wire::Error limit_exceeded(std::string message);

}  // namespace tidemill::kinesis
