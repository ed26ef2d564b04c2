#include "base/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace tidemill::base {

namespace {

constexpr int kRounds = 50;

// The system tells them a page at a time, some 600 of them.
void add_children(const std::string& path, std::vector<pid_t>& into) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return;
  std::array<char, 16 << 10> buffer{};
  pid_t child = 0;
  for (ssize_t size; (size = ::read(file.fd(), buffer.data(), buffer.size())) > 0;) {
    for (const char c : std::string_view(buffer.data(), static_cast<size_t>(size))) {
      if (c >= '0' && c <= '9') child = child * 10 + (c - '0');
      else if (child != 0) into.push_back(std::exchange(child, 0));
    }
  }
  if (child != 0) into.push_back(child);
}

// It has ended, and its parent does not ask for it.
bool is_zombie(pid_t process) {
  const Descriptor file(::open(cat("/proc/", process, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> buffer{};
  const ssize_t size = file.is_open() ? ::read(file.fd(), buffer.data(), buffer.size()) : 0;
  const std::string_view text(buffer.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const size_t name_end = text.rfind(')');
  return name_end == std::string_view::npos || text.substr(name_end).starts_with(") Z");
}

}  // namespace

std::vector<pid_t> processes_below(pid_t root, Look look, size_t most) {
  std::vector<pid_t> found{root};
  for (size_t next = 0; next < found.size() && found.size() <= most + 1; ++next) {
    const std::string threads = cat("/proc/", found[next], "/task/");
    if (look == Look::quick) {
      add_children(cat(threads, found[next], "/children"), found);
      continue;
    }
    std::error_code gone;
    std::filesystem::directory_iterator thread(threads, gone);
    for (const std::filesystem::directory_iterator end; !gone && thread != end; thread.increment(gone)) {
      add_children(thread->path() / "children", found);
    }
  }
  found.erase(found.begin());
  return found;
}

void kill_with_all_below(pid_t root) {
  ::kill(root, SIGSTOP);  // it takes nobody in hand any more, so the ids of those that end stay theirs
  // Whose parent ends during a look may be passed over: no more below that one, and not yet seen below the root.
  int looks_without_any = 0;
  for (int round = 0; round < kRounds && looks_without_any < 2; ++round) {
    bool is_alive = false;
    for (const pid_t process : processes_below(root, Look::whole)) {
      if (is_zombie(process)) continue;
      ::kill(process, SIGKILL);
      is_alive = true;
    }
    looks_without_any = is_alive ? 0 : looks_without_any + 1;
    ::usleep(1000);
  }
  ::kill(root, SIGKILL);
}

}  // namespace tidemill::base
