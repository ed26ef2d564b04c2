// How much memory a function's process uses, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace tidemill::engine {

// Bytes that belong to the process and its children alone: what they allocated, without the program files that the
// system would drop if it needed the room. 0 if the process is gone.
[[nodiscard]] uint64_t private_memory(pid_t process);

}  // namespace tidemill::engine
