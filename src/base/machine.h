// What the machine, or the control group that the process lives in, has to give.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tidemill::base {

// Bytes of memory that this process may use: the machine's, or less if a control group (version 2 or 1) says so. What a
// container is given is told by that group, not by the machine.
uint64_t memory_bytes();

// The same below another root than "/proc/self/cgroup" and "/sys/fs/cgroup", for tests: the least limit that stands at
// the process's group or above it; UINT64_MAX if none does.
uint64_t memory_limit(const std::filesystem::path& own_groups, const std::filesystem::path& root);

}  // namespace tidemill::base
