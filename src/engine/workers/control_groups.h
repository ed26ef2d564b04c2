// Control groups (man 7 cgroups): the kernel holds the memory and the CPU of a function's processes, all together, whatever
// they do to hide. Of version 2; those of version 1 made a cold start of Python ten milliseconds longer. Each environment has a
// group of its own below that of the server.
//
// No group has both processes and groups that are held: the server moves to a group "server" beside those of
// functions. So what it was started in must be its own (`Delegate=yes` of a unit), and is left as it was found if it is not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::engine {

struct GroupLimits {
  uint64_t memory_bytes = 0;  // of all that its processes and their files in memory take; beyond: the kernel kills
  uint64_t cpu_percent = 0;   // of one processor, at most
  uint64_t weight = 0;        // 1 to 10,000: of the processors' time where there is not enough for all
};

// Which limit of how many groups there may be has been reached at a group or above it, and what it is; empty: none.
// What the kernel says of that when one is to be made is EAGAIN, like a want of processes.
[[nodiscard]] std::string reached_limit(const std::filesystem::path& group);

class ControlGroups;

// Of one environment. Its processes have ended when this is destroyed, or end soon. Takes as long as the kernel likes.
class ControlGroup {
 public:
  ControlGroup(std::filesystem::path directory, ControlGroups& groups)
      : directory_(std::move(directory)), groups_(groups) {}
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;

  // Whoever writes "0" into this file is held, with all that it starts.
  [[nodiscard]] std::string door() const;

  // Whether the kernel has killed processes that took more memory than the group may have. False if that cannot be read
  // just now.
  [[nodiscard]] bool ran_out_of_memory() const;

 private:
  const std::filesystem::path directory_;
  ControlGroups& groups_;
};

// Any thread. Outlives its groups.
class ControlGroups {
 public:
  // Where the system has them, and `own`, the text of /proc/self/cgroup. What ended servers have left is removed. The
  // error says why there are none, as where no group of an environment may be made. Throws
  // std::filesystem::filesystem_error for want of descriptors: there may be.
  static std::expected<std::shared_ptr<ControlGroups>, std::string> open(const std::filesystem::path& root,
                                                                         std::string_view own);

  // Throws std::filesystem::filesystem_error if the system refuses one; it names the limit that too many others have
  // reached: then there may be one when one of them has gone.
  [[nodiscard]] std::unique_ptr<ControlGroup> make(std::string_view name, const GroupLimits& limits);

  explicit ControlGroups(std::filesystem::path base) : base_(std::move(base)) {}
  // Removes what is left.
  ~ControlGroups();

 private:
  friend class ControlGroup;
  static constexpr size_t kLeftMax = 10'000;  // groups whose processes still end; beyond, they are forgotten
  static constexpr size_t kRemovedAtOnceMax = 16;  // of these are tried when one is made, the oldest first

  void make_directory(const std::filesystem::path& directory);
  void remove(std::filesystem::path directory);
  void remove_left();

  const std::filesystem::path base_;  // below which groups are made
  std::mutex mutex_;
  std::deque<std::filesystem::path> left_;
};

}  // namespace tidemill::engine
