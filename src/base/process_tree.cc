#include "base/process_tree.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "base/wants.h"

namespace tidemill::base {

namespace {

constexpr int kRounds = 50;

bool is_wanting() { return is_want_of_resources({errno, std::generic_category()}); }

// The system tells them a page at a time, some 600 of them. False: it does not just now, for want of descriptors.
bool add_children(const std::string& path, std::vector<pid_t>& into) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return !is_wanting();
  std::array<char, 16 << 10> buffer{};
  pid_t child = 0;
  ssize_t size = 0;
  while ((size = ::read(file.fd(), buffer.data(), buffer.size())) > 0) {
    for (const char c : std::string_view(buffer.data(), static_cast<size_t>(size))) {
      if (c >= '0' && c <= '9') child = child * 10 + (c - '0');
      else if (child != 0) into.push_back(std::exchange(child, 0));
    }
  }
  const bool is_all = size == 0 || !is_wanting();
  if (child != 0) into.push_back(child);
  return is_all;
}

// It has ended, and its parent does not ask for it.
bool is_zombie(pid_t process) {
  const Descriptor file(::open(cat("/proc/", process, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return !is_wanting();
  std::array<char, 512> buffer{};
  const ssize_t size = ::read(file.fd(), buffer.data(), buffer.size());
  const std::string_view text(buffer.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const size_t name_end = text.rfind(')');
  return name_end == std::string_view::npos || text.substr(name_end).starts_with(") Z");
}

struct Below {
  std::vector<pid_t> processes;
  bool is_all = true;  // false: there may be others, which cannot be looked for just now
};

Below look_below(pid_t root, Look look, size_t most) {
  Below below{{root}};
  std::vector<pid_t>& found = below.processes;
  for (size_t next = 0; next < found.size() && found.size() <= most + 1; ++next) {
    const std::string threads = cat("/proc/", found[next], "/task/");
    if (look == Look::quick) {
      below.is_all &= add_children(cat(threads, found[next], "/children"), found);
      continue;
    }
    std::error_code gone;
    std::filesystem::directory_iterator thread(threads, gone);
    for (const std::filesystem::directory_iterator end; !gone && thread != end; thread.increment(gone)) {
      below.is_all &= add_children(thread->path() / "children", found);
    }
    below.is_all &= !is_want_of_resources(gone);
  }
  found.erase(found.begin());
  return below;
}

void kill_all_below(pid_t root) {
  // Whose parent ends during a look may be passed over: no more below that one, and not yet seen below the root.
  int looks_without_any = 0;
  for (int round = 0; round < kRounds && looks_without_any < 2; ++round) {
    const Below below = look_below(root, Look::whole, kProcessesBelowMax);
    bool may_be_alive = !below.is_all;
    for (const pid_t process : below.processes) {
      if (is_zombie(process)) continue;
      ::kill(process, SIGKILL);
      may_be_alive = true;
    }
    looks_without_any = may_be_alive ? 0 : looks_without_any + 1;
    ::usleep(1000);
  }
}

}  // namespace

std::vector<pid_t> processes_below(pid_t root, Look look, size_t most) {
  return look_below(root, look, most).processes;
}

void kill_with_all_below(pid_t root) {
  ::kill(root, SIGSTOP);  // it takes nobody in hand any more, so the ids of those that end stay theirs
  try {
    // A thread without the descriptors of the others can look also where this process may open nothing more.
    std::thread([root] {
      ::close_range(0, ~0U, CLOSE_RANGE_UNSHARE);
      kill_all_below(root);
    }).join();
  } catch (const std::system_error&) {  // nor may it start threads
    kill_all_below(root);
  }
  ::kill(root, SIGKILL);
}

}  // namespace tidemill::base
