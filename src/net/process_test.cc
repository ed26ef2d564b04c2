#include "net/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <thread>

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Runs a shell script to its end on a loop.
struct ShellRun {
  explicit ShellRun(const std::string& script, ProcessSpec spec = {}) : loop(activity) {
    spec.argv = {"/bin/sh", "-c", script};
    start(spec);
  }
  void start(const ProcessSpec& spec) {
    loop.post([this, spec] {
      process = std::make_unique<Process>(loop, spec, [this](std::string_view bytes) {
        if (bytes.empty()) output_ended = true;
        output += bytes;
      });
      scope.spawn(wait());
    });
  }
  Task<void> wait() {
    status = co_await process->exited();
    exited = true;
  }
  // Until the child has ended and its output has been read, or `done` says so.
  void finish(std::function<bool()> done = {}) {
    if (!done) done = [this] { return exited && output_ended; };
    std::function<void()> look = [&] {
      if (done() || ++looks == kLooksMax) return loop.stop();
      alarm = loop.call_after(1ms, [&] { look(); });
    };
    loop.post([&] { look(); });
    loop.run();
    EXPECT_LT(looks, kLooksMax);
  }

  static constexpr int kLooksMax = 60'000;  // each takes a millisecond and more

  base::Activity activity;
  Loop loop;
  base::Alarm alarm;
  std::unique_ptr<Process> process;
  base::Scope scope;
  std::string output;
  bool output_ended = false;
  bool exited = false;
  ExitStatus status;
  int looks = 0;
};

bool is_alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  stat >> number >> name >> state;
  return !state.empty() && state != "Z";
}

TEST(Process, OutputAndExitCodeArrive) {
  ShellRun run("echo out; echo err >&2; exit 3");
  run.finish();
  EXPECT_EQ(run.output, "out\nerr\n");
  EXPECT_EQ(run.status.code, 3);
  EXPECT_EQ(run.status.signal, 0);
}

TEST(Process, MuchOutputArrivesWhole) {
  ShellRun run("i=0; while [ $i -lt 2000 ]; do echo 0123456789012345678901234567890123456789012345678901234567890; i=$((i+1)); done");
  run.finish();
  EXPECT_EQ(run.output.size(), 2000u * 62);
}

TEST(Process, OnlyTheGivenEnvironmentIsSeenAndNoDescriptorIsInherited) {
  const FILE* leak = std::fopen("/dev/null", "r");
  ASSERT_NE(leak, nullptr);
  ProcessSpec spec;
  spec.environment = {"A=b"};
  spec.working_directory = "/usr";
  ShellRun run("pwd; echo A=$A HOME=$HOME; i=3; while [ $i -lt 100 ]; do [ -e /proc/$$/fd/$i ] && echo open: $i; i=$((i+1)); done; "
               "echo looked", spec);
  run.finish();
  EXPECT_THAT(run.output, HasSubstr("/usr\n"));
  EXPECT_THAT(run.output, HasSubstr("A=b HOME=\n"));
  EXPECT_THAT(run.output, testing::EndsWith("looked\n"));
  EXPECT_THAT(run.output, testing::Not(HasSubstr("open:")));
}

TEST(Process, TheSignalThatEndedItIsSaid) {
  ShellRun run("kill -USR1 $$; sleep 10");
  run.finish();
  EXPECT_EQ(run.status.signal, SIGUSR1);
}

TEST(Process, KillReachesTheWholeGroup) {
  ShellRun run("sleep 100 & echo $!; wait");
  run.finish([&] { return run.output.ends_with('\n'); });
  const pid_t grandchild = std::stoi(run.output);
  EXPECT_TRUE(is_alive(grandchild));
  run.process->kill();
  run.finish();
  EXPECT_EQ(run.status.signal, SIGKILL);
  while (is_alive(grandchild)) std::this_thread::sleep_for(1ms);
}

TEST(Process, WhatALeaderLeavesBehindIsKilled) {
  ShellRun run("sleep 100 & echo $!; exit 0");
  run.finish();
  EXPECT_EQ(run.status.code, 0);
  while (is_alive(std::stoi(run.output))) std::this_thread::sleep_for(1ms);
}

TEST(Process, DestroyingItKillsAndReaps) {
  ShellRun run("trap '' TERM; sleep 100 & echo $!; wait");
  run.finish([&] { return run.output.ends_with('\n'); });
  const pid_t child = run.process->pid();
  run.loop.post([&] { run.process.reset(); });
  run.finish([&] { return run.process == nullptr; });
  EXPECT_EQ(::kill(child, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

// They are set once the child runs, the last one last.
TEST(Process, LimitsHold) {
  ProcessSpec spec;
  spec.open_files_max = 77;
  spec.address_space_bytes_max = 300 << 20;
  ShellRun run("until [ $(ulimit -n) = 77 ] && [ $(ulimit -c) = 0 ]; do :; done; ulimit -n; ulimit -v; ulimit -c", spec);
  run.finish();
  EXPECT_EQ(run.output, "77\n307200\n0\n");
}

// The system calls of this thread end so from now on, until it ends.
void refuse_on_this_thread(long call, int reason) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(reason)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

TEST(Process, AChildThatCannotBeWatchedIsReapedAndTheReasonIsSaid) {
  std::error_code reason;
  std::thread([&] {
    base::Activity activity;
    Loop loop(activity);
    ProcessSpec spec;
    spec.argv = {"/bin/sleep", "100"};
    refuse_on_this_thread(SYS_epoll_ctl, ENOMEM);
    try {
      const Process process(loop, spec, [](std::string_view) {});
    } catch (const std::system_error& error) {
      reason = error.code();
    } catch (const std::exception&) {  // has no code that anybody looks for
    }
  }).join();
  EXPECT_EQ(reason, std::errc::not_enough_memory);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

// A supervisor takes a while to its end; signals are no sign that it is late.
TEST(Process, ASupervisorHasItsTimeHoweverManySignalsCome) {
  std::string directory = testing::TempDir() + "process-XXXXXX";
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  const std::filesystem::path script = directory + "/supervisor";
  const std::filesystem::path ended = directory + "/ended";
  std::ofstream(script) << "#!/bin/sh\necho up\nread told\n"
                           "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done\n"
                           "echo > " << ended.string() << "\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &action, &before);
  constexpr int kTries = 10;  // on a busy machine one may be late indeed
  for (int tried = 0; tried < kTries && !std::filesystem::exists(ended); ++tried) {
    ProcessSpec spec;
    spec.supervisor = script;
    ShellRun run("", spec);
    run.finish([&] { return run.output == "up\n"; });
    std::atomic<bool> begun = false;
    std::atomic<bool> over = false;
    std::thread signals([&, waiting = ::pthread_self()] {
      for (; !over; begun = true) ::pthread_kill(waiting, SIGUSR1);
    });
    while (!begun) std::this_thread::yield();
    run.loop.post([&] { run.process.reset(); });
    run.finish([&] { return run.process == nullptr; });
    over = true;
    signals.join();
  }
  EXPECT_TRUE(std::filesystem::exists(ended));
  ::sigaction(SIGUSR1, &before, nullptr);
  std::filesystem::remove_all(directory);
}

TEST(Process, AProgramThatIsMissingIsSaidAtOnce) {
  base::Activity activity;
  Loop loop(activity);
  ProcessSpec spec;
  spec.argv = {"/nonexistent/program"};
  EXPECT_THROW(Process(loop, spec, [](std::string_view) {}), std::system_error);
}

}  // namespace
}  // namespace tidemill::net
