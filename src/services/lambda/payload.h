// What may be sent to a function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::lambda {

// AWS's limit for a call that waits for the answer.
inline constexpr size_t kPayloadBytesMax = 6'291'456;

// Why `text` is not JSON; nothing if it is.
[[nodiscard]] std::optional<std::string> json_problem(std::string_view text);

}  // namespace tidemill::lambda
