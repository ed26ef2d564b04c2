// How much memory a function's processes use, from /proc: what they allocated and what they share, in memory that is
// mapped (shmem, SysV) or only open (memfd, /dev/shm), and what the files of their sandbox take beside what they hold;
// without the program files that the system would drop if it needed the room.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "engine/workers/worker_processes.h"

namespace tidemill::engine {

// Bytes of all processes below `root`, at most: what several of them share may be counted several times. 0 if none is
// left.
[[nodiscard]] uint64_t memory_at_most(pid_t root, Look look);

// Bytes, each counted once. Looks at every mapping, which takes milliseconds where there is much.
[[nodiscard]] uint64_t memory_used(pid_t root);

// What the files below a directory take on the disk, in bytes, of the first 100,000 at least; 0 if it cannot be read.
[[nodiscard]] uint64_t disk_used(const std::filesystem::path& directory);

}  // namespace tidemill::engine
