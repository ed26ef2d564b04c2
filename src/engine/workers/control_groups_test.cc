// Against directories that stand for the kernel's. What the kernel makes of it shows tests/test_sandbox.py, where it has them.
#include "engine/workers/control_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/no_more_files.h"
#include "base/text.h"
#include "base/wants.h"

namespace tidemill::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr pid_t kNobody = 0x3FFFFFF;  // beyond the greatest that the kernel gives

class ControlGroupsTest : public testing::Test {
 protected:
  ControlGroupsTest() : root_(fs::path(testing::TempDir()) / base::cat("groups-", ::getpid())) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~ControlGroupsTest() override { fs::remove_all(root_); }

  void write(const fs::path& path, std::string_view text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::string read(const fs::path& path) const {
    std::ifstream in(root_ / path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::unique_ptr<ControlGroup> make(ControlGroups& groups) const {
    return groups.make("worker-1", {.memory_bytes = 1000, .cpu_percent = 150, .weight = 7});
  }

  const fs::path root_;
  const std::string own_ = base::cat("tidemill-", ::getpid());
};

TEST_F(ControlGroupsTest, HoldMemoryAndProcessors) {
  write("cgroup.controllers", "cpuset cpu io memory pids\n");
  write("a/b/cgroup.controllers", "cpu memory pids\n");
  const auto groups = ControlGroups::open(root_, "4:memory:/m\n0::/a/b\n");
  ASSERT_TRUE(groups) << groups.error();
  EXPECT_EQ(read("a/b/cgroup.subtree_control"), "+memory +cpu");
  const fs::path base = fs::path("a/b") / own_;
  EXPECT_EQ(read(base / "cgroup.subtree_control"), "+memory +cpu");
  const auto group = make(**groups);
  EXPECT_EQ(group->door(), (root_ / base / "worker-1/cgroup.procs").string());
  EXPECT_EQ(read(base / "worker-1/memory.max"), "1000");
  EXPECT_EQ(read(base / "worker-1/memory.oom.group"), "1");
  EXPECT_EQ(read(base / "worker-1/cpu.max"), "150000 100000");
  EXPECT_EQ(read(base / "worker-1/cpu.weight"), "7");
}

TEST_F(ControlGroupsTest, LetNothingGoToSwapWhereTheKernelHasOne) {
  write("cgroup.controllers", "cpu memory\n");
  const auto groups = ControlGroups::open(root_, "0::/\n");
  ASSERT_TRUE(groups) << groups.error();
  const auto without = make(**groups);
  EXPECT_FALSE(fs::exists(root_ / own_ / "worker-1/memory.swap.max"));
  write(fs::path(own_) / "worker-1/memory.swap.max", "max");
  const auto with = make(**groups);
  EXPECT_EQ(read(fs::path(own_) / "worker-1/memory.swap.max"), "0");
}

// The function's start is for want of a resource then, and not its own fault.
TEST_F(ControlGroupsTest, ThatCannotBeSetForWantOfDescriptorsSaySo) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  write("cgroup.controllers", "cpu memory\n");
  const auto groups = ControlGroups::open(root_, "0::/\n");
  ASSERT_TRUE(groups) << groups.error();
  {
    const base::testing::NoMoreFiles nothing_opens;
    EXPECT_THROW((void)ControlGroups::open(root_, "0::/\n"), fs::filesystem_error);
    try {
      (void)make(**groups);
      ADD_FAILURE() << "nothing holds it";
    } catch (const std::system_error& error) {
      EXPECT_TRUE(base::is_want_of_resources(error.code())) << error.what();
    }
  }
  EXPECT_NE(make(**groups), nullptr);
}

// Here what stands for a group cannot be removed as long as its files are there, as one with processes.
TEST_F(ControlGroupsTest, OfThoseThatAreLeftAFewAreTriedForEachThatIsMade) {
  constexpr int kLeft = 40;
  write("cgroup.controllers", "cpu memory\n");
  const auto groups = ControlGroups::open(root_, "0::/\n");
  ASSERT_TRUE(groups) << groups.error();
  const auto path_of = [&](int n) { return root_ / own_ / base::cat("left-", n); };
  const auto there = [&] {
    int count = 0;
    for (int n = 0; n < kLeft; ++n) count += fs::exists(path_of(n)) ? 1 : 0;
    return count;
  };
  std::vector<std::unique_ptr<ControlGroup>> made;
  for (int n = 0; n < kLeft; ++n) made.push_back((*groups)->make(base::cat("left-", n), {}));
  made.clear();
  EXPECT_EQ(there(), kLeft);
  for (int n = 0; n < kLeft; ++n) {
    for (const auto& file : fs::directory_iterator(path_of(n))) fs::remove(file.path());
  }
  for (int left = kLeft; left > 0; left = there()) {
    const auto another = (*groups)->make("another", {});
    EXPECT_LT(there(), left) << "each is tried sooner or later";
    EXPECT_GE(there(), left - 16);
    for (const auto& file : fs::directory_iterator(root_ / own_ / "another")) fs::remove(file.path());
  }
}

// As where systemd has left the controllers to version 1.
TEST_F(ControlGroupsTest, NeedTheControllersOfVersion2) {
  write("unified/cgroup.controllers", "hugetlb\n");
  EXPECT_THAT(ControlGroups::open(root_, "4:memory:/m\n1:cpu:/\n0::/\n").error(),
              HasSubstr("the controller memory is not to be had"));
}

TEST_F(ControlGroupsTest, WhatTheSystemRefusesIsTold) {
  EXPECT_EQ(ControlGroups::open(root_, "").error(), "the system has none of version 2");
  write("cgroup.controllers", "cpu memory\n");
  fs::create_directories(root_ / "cgroup.subtree_control");  // cannot be written
  EXPECT_THAT(ControlGroups::open(root_, "0::/\n").error(), HasSubstr("cgroup.subtree_control"));
  EXPECT_EQ(read("server/cgroup.procs"), "0") << "the server has gone to a group of its own";
  EXPECT_EQ(read("cgroup.procs"), "0") << "and back";
}

TEST_F(ControlGroupsTest, TheLimitThatTooManyHaveReachedIsNamed) {
  for (const char* group : {"", "a", "a/b"}) {
    write(fs::path(group) / "cgroup.procs", "");
    write(fs::path(group) / "cgroup.max.depth", "max\n");
    write(fs::path(group) / "cgroup.max.descendants", "max\n");
    write(fs::path(group) / "cgroup.stat", "nr_descendants 3\nnr_dying_descendants 90\n");
  }
  EXPECT_EQ(reached_limit(root_ / "a/b"), "");
  write("a/cgroup.max.descendants", "4\n");
  EXPECT_EQ(reached_limit(root_ / "a/b"), "") << "there may be one more";
  write("a/cgroup.max.descendants", "3\n");
  EXPECT_EQ(reached_limit(root_ / "a/b"), (root_ / "a/cgroup.max.descendants").string() + " is 3");
  write("a/cgroup.max.descendants", "max\n");
  write("a/cgroup.max.depth", "2\n");
  EXPECT_EQ(reached_limit(root_ / "a/b"), "") << "one below b is at the second level below a";
  write("a/cgroup.max.depth", "1\n");
  EXPECT_EQ(reached_limit(root_ / "a/b"), (root_ / "a/cgroup.max.depth").string() + " is 1");
}

TEST_F(ControlGroupsTest, TellWhetherMemoryRanOut) {
  write("cgroup.controllers", "cpu memory\n");
  const auto groups = ControlGroups::open(root_, "0::/\n");
  ASSERT_TRUE(groups) << groups.error();
  const auto group = make(**groups);
  EXPECT_FALSE(group->ran_out_of_memory());
  write(fs::path(own_) / "worker-1/memory.events", "low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\n");
  EXPECT_FALSE(group->ran_out_of_memory());
  write(fs::path(own_) / "worker-1/memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 2\noom_group_kill 1\n");
  EXPECT_TRUE(group->ran_out_of_memory());
}

TEST_F(ControlGroupsTest, WhatEndedServersHaveLeftGoes) {
  write("cgroup.controllers", "cpu memory\n");
  const fs::path stale = root_ / base::cat("tidemill-", kNobody);
  fs::create_directories(stale / "worker-9");
  const fs::path living = root_ / base::cat("tidemill-", ::getppid());
  fs::create_directories(living);
  ASSERT_TRUE(ControlGroups::open(root_, "0::/\n"));
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(living));
}

}  // namespace
}  // namespace tidemill::engine
