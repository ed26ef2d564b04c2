// Bytes that nobody can guess, for secrets.
#pragma once

#include <cstddef>
#include <string>

namespace tidemill::crypto {

// Any thread. Throws std::runtime_error if the machine has none.
[[nodiscard]] std::string random_bytes(size_t count);

}  // namespace tidemill::crypto
