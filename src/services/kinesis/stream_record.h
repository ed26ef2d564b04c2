// The stored form of a stream's description: JSON (docs/store-format.md).
#pragma once

#include <string>
#include <string_view>

#include "services/kinesis/stream.h"

namespace tidemill::kinesis {

[[nodiscard]] std::string write_stream_record(const Stream& stream);
// Without its address. Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Stream read_stream_record(std::string_view bytes);

}  // namespace tidemill::kinesis
