// The tokens of ListShards: what a page goes on with names the stream, too, so that a request need not.
#pragma once

#include <optional>
#include <string_view>

#include "services/kinesis/stream_address.h"
#include "wire/context.h"

namespace tidemill::kinesis {

// For paging_token.h. The first of the parts is the stream's name.
inline constexpr std::string_view kShardsToken = "ListShards";
inline constexpr size_t kShardsTokenParts = 4;

// Nothing for what is no such token, or no longer.
[[nodiscard]] std::optional<StreamAddress> stream_of_page(const wire::Context& context, std::string_view token);

}  // namespace tidemill::kinesis
