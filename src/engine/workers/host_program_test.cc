#include "engine/workers/host_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "base/no_more_files.h"
#include "base/wants.h"

namespace tidemill::engine {
namespace {

ProgramEnd shell(const std::string& script, std::string_view input = {}) {
  return run_program({"/bin/sh", "-c", script}, input);
}

// Nothing: it was run.
std::error_code why_not(const std::string& script) {
  try {
    (void)shell(script);
    return {};
  } catch (const std::system_error& error) {
    return error.code();
  }
}

TEST(HostProgramTest, TellsHowAProgramEndedAndWhatItWrote) {
  const ProgramEnd end = shell("cat; echo no >&2; exit 3", std::string_view("\0yes", 4));
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.output, std::string("\0yes", 4));
  EXPECT_EQ(end.errors, "no\n");
  EXPECT_EQ(shell("kill -9 $$").code, 128 + SIGKILL);
}

TEST(HostProgramTest, OneThatIsNotThereEndsAsShellsTellIt) {
  const ProgramEnd end = run_program({"/nowhere/program"});
  EXPECT_EQ(end.code, 127);
  EXPECT_EQ(end.errors, "No such file or directory");
}

TEST(HostProgramTest, OneThatCannotBeRunForWantOfFilesIsNoneThatSaidNo) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  const base::testing::NoMoreFiles nothing_opens;
  EXPECT_TRUE(base::is_want_of_resources(why_not("true")));
}

// As bubblewrap does, and shells that cannot start what they are told to.
TEST(HostProgramTest, OneThatSaysWhatItLacksIsNoneThatSaidNo) {
  EXPECT_EQ(why_not("echo 'Creating new namespace failed: Resource temporarily unavailable' >&2; exit 1"),
            std::errc::resource_unavailable_try_again);
  EXPECT_EQ(why_not("echo 'Creating new namespace failed: Operation not permitted' >&2; exit 1"), std::error_code());
  EXPECT_EQ(why_not("echo 'Too many open files' >&2"), std::error_code()) << "it went well";
}

// The limit of processes, which holds no superuser.
TEST(HostProgramTest, OneThatCannotBeRunForWantOfProcessesIsNoneThatSaidNo) {
  const pid_t other = ::fork();
  if (other == 0) {
    constexpr uid_t kNobody = 65534;
    if (::getuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(1);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NPROC, &none);
    ::_exit(base::is_want_of_resources(why_not("true")) ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tidemill::engine
