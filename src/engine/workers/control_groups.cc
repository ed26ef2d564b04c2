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

// Nothing: it begins with no number, as "max" does.
std::optional<int64_t> number_in(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Of a line "name number" among others.
std::optional<int64_t> number_after(std::string_view text, std::string_view name) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size()) {
    if (at == 0 || text[at - 1] == '\n') return number_in(text.substr(at + name.size()));
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

// What has kept a group from being made there; empty: no limit has.
std::string limit_of(const std::error_code& error, const fs::path& above) {
  return error == std::errc::resource_unavailable_try_again ? reached_limit(above) : "";
}

// Empty: it was made, or was there.
std::string make_group(const fs::path& group) {
  std::error_code error;
  fs::create_directory(group, error);
  if (!error) return "";
  const std::string limit = limit_of(error, group.parent_path());
  if (limit.empty()) base::throw_if_wanting(error, "cannot make", group);
  return cat("cannot make ", group.string(), ": ", limit.empty() ? error.message() : limit);
}

// With one of an environment's in it, if only for a moment: else there would be none later.
std::string make_base(const fs::path& above, fs::path& base) {
  remove_stale(above);
  base = above / cat(kOurs, ::getpid());
  std::string why = make_group(base);
  if (!why.empty()) return why;
  const fs::path tried = base / "tried";
  why = make_group(tried);
  (void)::rmdir(why.empty() ? tried.c_str() : base.c_str());
  return why;
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

std::string reached_limit(const fs::path& group) {
  int below = 1;  // the one to be made
  for (fs::path each = group; fs::exists(each / "cgroup.procs"); each = each.parent_path(), ++below) {
    const auto depth = number_in(base::text_if_any(each / "cgroup.max.depth"));
    if (depth && *depth < below) return cat((each / "cgroup.max.depth").string(), " is ", *depth);
    const auto descendants = number_in(base::text_if_any(each / "cgroup.max.descendants"));
    const auto there = number_after(base::text_if_any(each / "cgroup.stat"), "nr_descendants ");
    if (descendants && there.value_or(0) >= *descendants) {
      return cat((each / "cgroup.max.descendants").string(), " is ", *descendants);
    }
  }
  return "";
}

bool ControlGroup::ran_out_of_memory() const {
  try {
    return number_after(base::text_if_any(directory_ / "memory.events"), "oom_kill ").value_or(0) > 0;
  } catch (const fs::filesystem_error&) {
    return false;
  }
}

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
  make_directory(base_ / name);
  for (const auto& [file, value] : values_of(limits, base_ / name)) set_value(base_ / name / file, value);
  return group;
}

void ControlGroups::make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directory(directory, error);
  if (error == std::errc::resource_unavailable_try_again) {
    remove_left();
    fs::create_directory(directory, error);
  }
  if (!error) return;
  const std::string limit = limit_of(error, base_);
  throw fs::filesystem_error(
      limit.empty() ? "cannot make a control group" : cat("as many control groups as may be: ", limit),
      directory, error);
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
