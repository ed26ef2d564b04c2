#include "engine/workers/worker_memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "engine/workers/proc.h"

namespace tidemill::engine {
namespace {

using base::cat;

// A piece of memory that has a number like a file, and its bytes.
using SharedId = std::pair<dev_t, ino_t>;
using Shared = std::map<SharedId, uint64_t>;

// What the names of memory begin with that several processes may share.
bool is_shared_memory(std::string_view name) {
  for (const std::string_view start : {"/memfd:", "/dev/shm/", "/dev/zero", "/SYSV"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

// "RssAnon:\t  1234 kB" in a text of such lines; 0 if it has no such line.
uint64_t bytes_of(std::string_view text, std::string_view name) {
  const size_t at = text.find(cat("\n", name));
  if (at == std::string_view::npos) return 0;
  return first_number(text.substr(at + 1 + name.size())) * 1024;
}

std::string read_text(const std::string& path) {
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return {};
  std::string text(8192, '\0');
  const ssize_t size = ::read(file.fd(), text.data(), text.size());
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

// What the process has open, mapped or not: its pages count as soon as they are there.
void add_open(pid_t process, Shared& shared) {
  const std::string directory = cat("/proc/", process, "/fd");
  each_name(directory, [&](const char* name) {
    const std::string path = cat(directory, "/", name);
    std::array<char, 256> target{};
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    struct stat about{};
    constexpr uint64_t kBlock = 512;  // POSIX's unit of st_blocks
    if (size > 0 && is_shared_memory({target.data(), static_cast<size_t>(size)}) && ::stat(path.c_str(), &about) == 0 &&
        S_ISREG(about.st_mode)) {
      shared[{about.st_dev, about.st_ino}] = static_cast<uint64_t>(about.st_blocks) * kBlock;
    }
    return true;
  });
}

// The process's part of what it has mapped and nobody has open.
uint64_t mapped_only(pid_t process, const Shared& open) {
  std::ifstream mappings(cat("/proc/", process, "/smaps"));
  uint64_t total = 0;
  bool counts = false;
  for (std::string line; std::getline(mappings, line);) {
    unsigned device_major = 0;
    unsigned device_minor = 0;
    unsigned long inode = 0;
    int name_at = 0;
    // A mapping's first line: "7f00-7f01 rw-s 00000000 00:01 1025   /memfd:x (deleted)"
    const int parts = std::sscanf(line.c_str(), "%*x-%*x %*4s %*x %x:%x %lu %n", &device_major, &device_minor, &inode,
                                  &name_at);
    if (parts == 3 && name_at > 0) {
      counts = is_shared_memory(std::string_view(line).substr(static_cast<size_t>(name_at))) &&
               !open.contains({makedev(device_major, device_minor), inode});
    } else if (counts && line.starts_with("Pss:")) {
      total += first_number(line) * 1024;
    }
  }
  return total;
}

// What the kernel keeps of the files in the sandbox that the process sees, beside what they hold. 0: it is in none.
uint64_t memory_of_names(pid_t process) {
  constexpr uint64_t kBytesPerFile = 1024;  // an inode of tmpfs and its name
  uint64_t total = 0;
  for (const char* directory : {"/tmp", "/dev/shm"}) {
    const std::string seen = cat("/proc/", process, "/root", directory);
    struct stat here{}, there{};
    struct statvfs about{};
    const bool is_own = ::stat(directory, &here) == 0 && ::stat(seen.c_str(), &there) == 0 && here.st_dev != there.st_dev;
    if (is_own && ::statvfs(seen.c_str(), &about) == 0) total += (about.f_files - about.f_ffree) * kBytesPerFile;
  }
  return total;
}

uint64_t sum(const Shared& shared) {
  uint64_t total = 0;
  for (const auto& [id, bytes] : shared) total += bytes;
  return total;
}

}  // namespace

uint64_t memory_at_most(pid_t root, Look look) {
  const std::vector<pid_t> processes = processes_below(root, look);
  uint64_t total = processes.empty() ? 0 : memory_of_names(processes.back());
  Shared open;
  for (const pid_t process : processes) {
    const std::string status = read_text(cat("/proc/", process, "/status"));
    total += bytes_of(status, "RssAnon:") + bytes_of(status, "RssShmem:");
    add_open(process, open);
  }
  return total + sum(open);
}

uint64_t memory_used(pid_t root) {
  const std::vector<pid_t> processes = processes_below(root, Look::whole);
  Shared open;
  for (const pid_t process : processes) add_open(process, open);
  uint64_t total = sum(open) + (processes.empty() ? 0 : memory_of_names(processes.back()));
  for (const pid_t process : processes) {
    total += bytes_of(read_text(cat("/proc/", process, "/smaps_rollup")), "Pss_Anon:") + mapped_only(process, open);
  }
  return total;
}

uint64_t disk_used(const std::filesystem::path& directory) {
  constexpr uint64_t kBlockBytes = 512;  // of st_blocks, whatever the file system's are
  constexpr int kFilesMax = 100'000;     // looked at: with more it would be looked at all the time
  uint64_t used = 0;
  int files = 0;
  std::error_code none;
  std::filesystem::recursive_directory_iterator entry(directory, std::filesystem::directory_options::skip_permission_denied,
                                                      none);
  for (const std::filesystem::recursive_directory_iterator end; !none && entry != end && files < kFilesMax; entry.increment(none), ++files) {
    struct stat about {};
    if (::lstat(entry->path().c_str(), &about) == 0) used += static_cast<uint64_t>(about.st_blocks) * kBlockBytes;
  }
  return used;
}

}  // namespace tidemill::engine
