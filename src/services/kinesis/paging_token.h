// Tokens with which a listing goes on: opaque to callers, good for 300 seconds (API reference, ListShards).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "wire/context.h"

namespace tidemill::kinesis {

inline constexpr std::chrono::seconds kTokenLifetime{300};

// `operation`: the one it is for; `parts`: what it needs to go on, as many as read_token is asked for.
[[nodiscard]] std::string make_token(const wire::Context& context, std::string_view operation,
                                     const std::vector<std::string>& parts);
// Throws ExpiredNextTokenException, and InvalidArgumentException for what make_token() never gave.
[[nodiscard]] std::vector<std::string> read_token(const wire::Context& context, std::string_view operation,
                                                  std::string_view token, size_t parts);

}  // namespace tidemill::kinesis
