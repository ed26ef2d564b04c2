// AWS's words for what can go wrong with a function's process: the error documents that the caller of an invocation gets.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "net/process.h"

namespace tidemill::engine {

// What a reply may have at most, as AWS counts it: 6 MB and 100 bytes.
inline constexpr size_t kResponseBytesMax = 6'291'556;

// What an answer that streams may have: AWS's limit of 200 MB.
inline constexpr size_t kStreamedBytesMax = 200 << 20;

// {"errorType":"...","errorMessage":"RequestId: ... Error: ..."}
[[nodiscard]] std::string error_document(std::string_view error_type, std::string_view request_id,
                                         std::string_view message);

// "Runtime exited with error: exit status 1", "... signal: killed", or "Runtime exited without providing a reason".
[[nodiscard]] std::string exit_message(net::ExitStatus status);

// "Task timed out after 3.00 seconds"
[[nodiscard]] std::string timeout_message(std::chrono::seconds timeout);

// The whole document for a reply above kResponseBytesMax.
[[nodiscard]] std::string response_too_large_document(size_t bytes_max = kResponseBytesMax);

}  // namespace tidemill::engine
