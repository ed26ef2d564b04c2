// The parent of a function's processes: starts one program, and ends with it and all that has come of it.
//
//   supervisor <open files> <program> <argument>...
//
// Standard input is a socket to the server. As long as that is open the program runs; when it is closed, also because
// the server is no more, everything is killed. If the program cannot be started its errno goes to the server that way.
// This process ends as the program did (code or signal), once no process is left.
//
// Whatever the program starts stays below this process, whichever session or group it makes itself a part of: who loses
// its parent becomes this one's child (PR_SET_CHILD_SUBREAPER). A static program without C++'s library, so that it
// starts within a millisecond and takes less than one of the function's megabytes.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace {

constexpr int kServer = STDIN_FILENO;
constexpr int kCannotStart = 127;  // as shells say it; the server goes by the errno

void limit(__rlimit_resource which, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(which, &both);
}

// In the child, until it is the program.
[[noreturn]] void become(char** command, pid_t parent, int report) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setpgid(0, 0);
  // Who kills the supervisor kills what it started.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
  ::execv(command[0], command);
  const int reason = errno;
  (void)!::write(report, &reason, sizeof reason);
  ::_exit(kCannotStart);
}

// Starts the program. The errno of a start that failed goes to the server.
pid_t start(char** command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(command, self, ends[1]);
  int reason = child < 0 ? errno : 0;
  ::close(ends[1]);
  if (child > 0) {
    while (::read(ends[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
  }
  ::close(ends[0]);
  if (reason != 0) (void)!::send(kServer, &reason, sizeof reason, MSG_NOSIGNAL);
  return child;
}

// Sends SIGKILL to each child of this process. False: the system does not tell which there are.
bool kill_children() {
  char path[64];
  ::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(::getpid()));
  FILE* const list = ::fopen(path, "re");
  if (!list) return false;
  int child = 0;
  while (::fscanf(list, "%d", &child) == 1) ::kill(child, SIGKILL);
  ::fclose(list);
  return true;
}

// Kills what there is below, round by round: the children of those that die become children of this process.
void end_all(pid_t program, int& status) {
  for (;;) {
    if (!kill_children()) ::kill(-program, SIGKILL);
    int ended = 0;
    const pid_t who = ::waitpid(-1, &ended, 0);
    if (who == program) status = ended;
    if (who < 0 && errno == ECHILD) return;
  }
}

// Takes the children that have ended. True: the program is one of them.
bool take_ended(pid_t program, int& status) {
  bool over = false;
  int ended = 0;
  for (pid_t who = 0; (who = ::waitpid(-1, &ended, WNOHANG)) > 0;) {
    if (who != program) continue;
    status = ended;
    over = true;
  }
  return over;
}

// Until the program has ended or the server wants it to.
void watch(pid_t program, int signals, int& status) {
  for (;;) {
    pollfd both[] = {{kServer, POLLIN, 0}, {signals, POLLIN, 0}};
    if (::poll(both, 2, -1) < 0) continue;
    signalfd_siginfo news;
    if (both[1].revents != 0 && ::read(signals, &news, sizeof news) > 0 && take_ended(program, status)) return;
    if (both[0].revents != 0) return;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    ::fputs("usage: supervisor <open files> <program> <argument>...\n", stderr);
    return 2;
  }
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child_ended, nullptr);
  const int signals = ::signalfd(-1, &child_ended, SFD_CLOEXEC);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, static_cast<rlim_t>(::atoll(arguments[1])));

  const pid_t program = start(arguments + 2);
  if (program < 0) return kCannotStart;
  // The output ends when those who write it have ended, and the directory may go before this process does.
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  (void)!::chdir("/");

  int status = 0;
  watch(program, signals, status);
  end_all(program, status);
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::kill(::getpid(), WTERMSIG(status));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kCannotStart;
}
