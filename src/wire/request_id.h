// Request ids: random UUIDs (version 4). Not secrets.
#pragma once

#include <string>

namespace tidemill::wire {

// "0a1b2c3d-…", 36 characters. Any thread.
[[nodiscard]] std::string new_request_id();

}  // namespace tidemill::wire
