// Control groups (man 7 cgroups): the kernel holds the memory and the CPU of a function's processes, all together, whatever
// they do to hide. Of version 2 where its controllers are to be had, else of version 1. Each environment has a group of its own
// below that of the server.
//
// With version 2 no group has both processes and groups that are held: the server moves to a group "server" beside those of
// functions. So what it was started in must be its own (`Delegate=yes` of a unit), and is left as it was found if it is not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
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

// Of one environment. Its processes have ended when this is destroyed, or end soon.
class ControlGroup {
 public:
  ControlGroup(std::vector<std::filesystem::path> directories, std::function<void(std::filesystem::path)> remove)
      : directories_(std::move(directories)), remove_(std::move(remove)) {}
  ~ControlGroup() {
    for (const auto& directory : directories_) remove_(directory);
  }
  ControlGroup(const ControlGroup&) = delete;

  // Into each of these a process writes "0" to be held, with all that it starts.
  [[nodiscard]] std::vector<std::string> doors() const;

 private:
  const std::vector<std::filesystem::path> directories_;  // of version 1 one for each controller
  const std::function<void(std::filesystem::path)> remove_;
};

// Any thread. Outlives its groups.
class ControlGroups {
 public:
  // Where the system has them, and `own`, the text of /proc/self/cgroup. What ended servers have left is removed. The error
  // says why there are none.
  static std::expected<std::shared_ptr<ControlGroups>, std::string> open(const std::filesystem::path& root,
                                                                         std::string_view own);

  // Null: the system refuses one; `why` says what.
  [[nodiscard]] std::unique_ptr<ControlGroup> make(std::string_view name, const GroupLimits& limits, std::string& why);

  [[nodiscard]] int version() const { return version_; }

  ControlGroups(int version, std::vector<std::filesystem::path> bases) : version_(version), bases_(std::move(bases)) {}
  // Removes what is left.
  ~ControlGroups();

 private:
  static constexpr size_t kLeftMax = 10'000;  // groups whose processes still end; beyond, they are forgotten

  void remove(std::filesystem::path directory);
  void remove_left();

  const int version_;
  // Below which groups are made: of version 2 one; of version 1 those of memory and of cpu.
  const std::vector<std::filesystem::path> bases_;
  std::mutex mutex_;
  std::vector<std::filesystem::path> left_;
};

}  // namespace tidemill::engine
