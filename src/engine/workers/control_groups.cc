#include "engine/workers/control_groups.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "base/wants.h"

namespace tidemill::engine {
namespace {

namespace fs = std::filesystem;
using base::cat;

constexpr std::string_view kOurs = "tidemill-";   // and the process that has made it
constexpr std::string_view kServer = "server";    // where the server itself goes, of version 2
constexpr uint64_t kPeriodMicroseconds = 100'000;  // the kernel's default
constexpr uint64_t kPercent = 100;
constexpr uint64_t kWeightMax = 10'000;

// The kernel takes each of these whole, by one write. Throws fs::filesystem_error if it does not.
void set_value(const fs::path& file, std::string_view value) {
  // Nothing is made in a real one; what stands for one in tests has no files yet.
  constexpr mode_t kOwnerMay = 0600;
  const base::Descriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerMay));
  const auto size = static_cast<ssize_t>(value.size());
  if (opened.is_open() && ::write(opened.fd(), value.data(), value.size()) == size) return;
  throw base::disk_error("cannot write", file);
}

// Empty: it was taken; else why not. Throws only for want of descriptors.
std::string write_value(const fs::path& file, std::string_view value) {
  try {
    set_value(file, value);
    return "";
  } catch (const fs::filesystem_error& error) {
    base::throw_if_wanting(error.code(), "cannot write", file);
    return cat("cannot write ", file.string(), ": ", error.code().message());
  }
}

bool has_word(std::string_view text, std::string_view word, char separator) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find_first_of(std::string{separator, '\n'}));
    if (part == word) return true;
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return false;
}

// "0::/a" among those of version 1, which have names between the colons.
std::optional<std::string> path_of(std::string_view own) {
  while (!own.empty()) {
    const std::string_view line = own.substr(0, own.find('\n'));
    own.remove_prefix(std::min(own.size(), line.size() + 1));
    if (line.starts_with("0::/")) return std::string(line.substr(4));
  }
  return std::nullopt;
}

// Groups below it first. False: a process is still in one.
bool remove_tree(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> below;
  for (fs::directory_iterator each(directory, error); !error && each != fs::directory_iterator(); each.increment(error)) {
    std::error_code none;
    if (each->is_directory(none)) below.push_back(each->path());
  }
  for (const fs::path& one : below) (void)remove_tree(one);
  return ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
}

// What servers have left that are no more.
void remove_stale(const fs::path& base) {
  std::error_code error;
  std::vector<fs::path> stale;
  for (fs::directory_iterator each(base, error); !error && each != fs::directory_iterator(); each.increment(error)) {
    const std::string name = each->path().filename();
    pid_t pid = 0;
    if (!name.starts_with(kOurs)) continue;
    const auto [end, reason] = std::from_chars(name.data() + kOurs.size(), name.data() + name.size(), pid);
    const bool is_gone = reason == std::errc() && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
    if (is_gone) stale.push_back(each->path());
  }
  for (const fs::path& one : stale) (void)remove_tree(one);
}

std::string make_base(const fs::path& above, fs::path& base) {
  remove_stale(above);
  base = above / cat(kOurs, ::getpid());
  std::error_code error;
  fs::create_directory(base, error);
  return error ? cat("cannot make ", base.string(), ": ", error.message()) : std::string();
}

// Empty: groups below `own` can be held.
std::string prepare_version_2(const fs::path& own, fs::path& base) {
  const std::string controllers = base::text_if_any(own / "cgroup.controllers");
  for (const char* wanted : {"memory", "cpu"}) {
    if (!has_word(controllers, wanted, ' ')) return cat("the controller ", wanted, " is not to be had in ", own.string());
  }
  if (std::string why = make_base(own, base); !why.empty()) return why;
  constexpr std::string_view kBoth = "+memory +cpu";
  const fs::path server = own / kServer;
  // The root may have processes and groups; of others those that are in it go to one of their own, or nothing is held.
  std::string why = write_value(own / "cgroup.subtree_control", kBoth);
  if (!why.empty()) {
    std::error_code error;
    fs::create_directory(server, error);
    why = write_value(server / "cgroup.procs", "0");
    if (why.empty()) why = write_value(own / "cgroup.subtree_control", kBoth);
    if (!why.empty()) {
      (void)write_value(own / "cgroup.procs", "0");
      (void)::rmdir(server.c_str());
    }
  }
  if (why.empty()) why = write_value(base / "cgroup.subtree_control", kBoth);
  if (!why.empty()) (void)remove_tree(base);
  return why;
}

// What would go to swap is not beside its memory; a kernel without swap has no such file.
constexpr const char* kSwap = "memory.swap.max";

std::vector<std::pair<std::string, std::string>> values_of(const GroupLimits& limits, const fs::path& directory) {
  const uint64_t quota = kPeriodMicroseconds * limits.cpu_percent / kPercent;
  std::vector<std::pair<std::string, std::string>> values{
      {"memory.max", std::to_string(limits.memory_bytes)},
      {"memory.oom.group", "1"},
      {"cpu.max", cat(quota, " ", kPeriodMicroseconds)},
      {"cpu.weight", std::to_string(std::clamp<uint64_t>(limits.weight, 1, kWeightMax))}};
  std::error_code none;
  if (fs::exists(directory / kSwap, none)) values.emplace_back(kSwap, "0");
  return values;
}

}  // namespace

ControlGroup::~ControlGroup() { groups_.remove(directory_); }

std::string ControlGroup::door() const { return (directory_ / "cgroup.procs").string(); }

std::expected<std::shared_ptr<ControlGroups>, std::string> ControlGroups::open(const fs::path& root, std::string_view own) {
  std::string why = "the system has none of version 2";
  // Version 2 alone at the root, or beside version 1 ("unified", as systemd mounts both).
  for (const fs::path& mounted : {root, root / "unified"}) {
    std::error_code none;
    const auto path = path_of(own);
    if (!path || !fs::exists(mounted / "cgroup.controllers", none)) continue;
    fs::path base;
    why = prepare_version_2(mounted / *path, base);
    if (why.empty()) return std::make_shared<ControlGroups>(std::move(base));
  }
  return std::unexpected(why);
}

ControlGroups::~ControlGroups() {
  (void)remove_tree(base_);
}

std::unique_ptr<ControlGroup> ControlGroups::make(std::string_view name, const GroupLimits& limits) {
  remove_left();
  auto group = std::make_unique<ControlGroup>(base_ / name, *this);
  fs::create_directory(base_ / name);
  for (const auto& [file, value] : values_of(limits, base_ / name)) set_value(base_ / name / file, value);
  return group;
}

// A group goes once the last of its processes is gone, which takes a moment.
void ControlGroups::remove(fs::path directory) {
  if (remove_tree(directory)) return;
  const std::lock_guard lock(mutex_);
  if (left_.size() < kLeftMax) left_.push_back(std::move(directory));
}

void ControlGroups::remove_left() {
  std::vector<fs::path> some;
  {
    const std::lock_guard lock(mutex_);
    for (; !left_.empty() && some.size() < kRemovedAtOnceMax; left_.pop_front()) {
      some.push_back(std::move(left_.front()));
    }
  }
  for (fs::path& directory : some) remove(std::move(directory));
}

}  // namespace tidemill::engine
