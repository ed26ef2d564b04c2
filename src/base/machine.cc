#include "base/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace tidemill::base {

namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// "max" and what is no number are no limit.
uint64_t number_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  uint64_t value = 0;
  return stream >> value ? value : kNoLimit;
}

// The least of the files `name` in `group` and all that contain it, up to `root`.
uint64_t least_upwards(const std::filesystem::path& root, std::string_view group, const char* name) {
  uint64_t least = kNoLimit;
  for (std::filesystem::path path = std::filesystem::path(group).relative_path();; path = path.parent_path()) {
    least = std::min(least, number_in(root / path / name));
    if (path.empty()) return least;
  }
}

}  // namespace

uint64_t memory_limit(const std::filesystem::path& own_groups, const std::filesystem::path& root) {
  uint64_t least = kNoLimit;
  std::ifstream groups(own_groups);
  // "0::/a/b" in version 2, "5:memory:/a/b" in version 1.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const std::string_view group = std::string_view(line).substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_upwards(root, group, "memory.max"));
    if (controllers == "memory") least = std::min(least, least_upwards(root / "memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

uint64_t memory_bytes() {
  const auto pages = static_cast<uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 1L));
  const auto page = static_cast<uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 1L));
  return std::min(pages * page, memory_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace tidemill::base
