#include "base/process_tree.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/no_more_files.h"

namespace tidemill::base {
namespace {

// A subreaper whose grandchild has left its session, and whose child between has ended. `told` gets the grandchild's
// id once that is so; it is open as long as that lives.
void be_a_tree(int told) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t root = ::getpid();
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      while (::getppid() != root) ::usleep(1000);
      const pid_t self = ::getpid();
      (void)!::write(told, &self, sizeof self);
      for (;;) ::pause();
    }
    ::_exit(0);
  }
  ::close(told);
  for (;;) ::pause();
}

TEST(ProcessTree, FindsAndEndsWhatHasLeftItsSession) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t root = ::fork();
  if (root == 0) be_a_tree(ends[1]);
  ::close(ends[1]);
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  const auto has = [](const std::vector<pid_t>& all, pid_t one) { return std::ranges::find(all, one) != all.end(); };
  EXPECT_TRUE(has(processes_below(root, Look::whole), grandchild));
  EXPECT_TRUE(has(processes_below(::getpid(), Look::quick), root));
  kill_with_all_below(root);
  int status = 0;
  EXPECT_EQ(::waitpid(root, &status, 0), root);
  EXPECT_TRUE(WIFSIGNALED(status));
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "who held the other end has ended";
  ::close(ends[0]);
}

TEST(ProcessTree, EndsAllAlsoWhereThisProcessMayOpenNothingMore) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t root = ::fork();
  if (root == 0) be_a_tree(ends[1]);
  ::close(ends[1]);
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  {
    const testing::NoMoreFiles none;
    kill_with_all_below(root);
  }
  EXPECT_EQ(::waitpid(root, nullptr, 0), root);
  constexpr int kPatienceMs = 10'000;  // a process may be killed some time before it has ended
  pollfd end{ends[0], POLLIN, 0};
  const bool has_ended = ::poll(&end, 1, kPatienceMs) == 1;
  EXPECT_TRUE(has_ended) << "who holds the other end lives on";
  if (!has_ended) ::kill(grandchild, SIGKILL);
  ::close(ends[0]);
}

TEST(ProcessTree, FindsAndEndsMoreThanTheSystemTellsAtOnce) {
  constexpr int kChildren = 1000;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t root = ::fork();
  if (root == 0) {
    for (int child = 0; child < kChildren; ++child) {
      if (::fork() != 0) continue;
      for (;;) ::pause();
    }
    (void)!::write(ends[1], "x", 1);
    ::close(ends[1]);
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(processes_below(root, Look::whole).size(), size_t{kChildren});
  kill_with_all_below(root);
  int status = 0;
  EXPECT_EQ(::waitpid(root, &status, 0), root);
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "who held the other end has ended";
  ::close(ends[0]);
}

}  // namespace
}  // namespace tidemill::base
