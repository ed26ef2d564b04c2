// Content-Encoding: gzip of requests (RFC 1952), as CloudWatch's clients send their metrics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include "base/task.h"

namespace tidemill::wire {

// What `compressed` holds; nothing if that is more than `bytes_max`. Throws Error (SerializationException) if it is no
// whole gzip file, or more than that. `hold` is told how many bytes there are to be, before there are, and may throw.
// Gives way to others every few hundred microseconds.
[[nodiscard]] Task<std::optional<std::string>> gunzip(std::string compressed, size_t bytes_max,
                                                      std::function<void(size_t)> hold);

}  // namespace tidemill::wire
