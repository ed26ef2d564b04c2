// UUIDs: random ones (version 4), for request ids and the like, which are not secrets; and names made of bytes.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::base {

// "0a1b2c3d-…", 36 characters. Any thread.
[[nodiscard]] std::string new_uuid();

// The first 16 bytes of `bytes`, as of a digest, in the form of a UUID.
[[nodiscard]] std::string uuid_text(std::string_view bytes);

}  // namespace tidemill::base
