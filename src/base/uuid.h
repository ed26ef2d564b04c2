// Random UUIDs (version 4), for request ids and the like. Not secrets.
#pragma once

#include <string>

namespace tidemill::base {

// "0a1b2c3d-…", 36 characters. Any thread.
[[nodiscard]] std::string new_uuid();

}  // namespace tidemill::base
