#include "engine/workers/worker_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"

namespace tidemill::engine {
namespace {

// How deep and wide a function's own processes are followed.
constexpr int kDepthMax = 4;

size_t read_file(const std::string& path, std::span<char> into) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t size = ::read(fd, into.data(), into.size());
  ::close(fd);
  return size > 0 ? static_cast<size_t>(size) : 0;
}

uint64_t next_number(std::string_view& text) {
  while (!text.empty() && (text.front() < '0' || text.front() > '9')) text.remove_prefix(1);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

uint64_t private_memory_below(pid_t process, int depth) {
  static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  std::array<char, 4096> buffer{};
  // Pages: size, resident, shared, ...
  std::string_view text(buffer.data(), read_file(base::cat("/proc/", process, "/statm"), buffer));
  next_number(text);
  const uint64_t resident = next_number(text);
  const uint64_t shared = next_number(text);
  uint64_t total = resident > shared ? (resident - shared) * page : 0;
  if (depth == 0) return total;
  text = {buffer.data(), read_file(base::cat("/proc/", process, "/task/", process, "/children"), buffer)};
  while (const uint64_t child = next_number(text)) total += private_memory_below(static_cast<pid_t>(child), depth - 1);
  return total;
}

}  // namespace

uint64_t private_memory(pid_t process) { return private_memory_below(process, kDepthMax); }

}  // namespace tidemill::engine
