#include "net/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>

extern "C" {  // glibc 2.36 forgets to say so itself
#include <sys/pidfd.h>
}

#include "base/log.h"
#include "base/process_tree.h"
#include "net/file_descriptor.h"
#include "net/loop_impl.h"

namespace tidemill::net {

namespace {

constexpr size_t kOutputPiece = 16 << 10;
// A supervisor that is told to end everything needs a few milliseconds. One that does not is kept from it by what it
// watches over; then the work is done in its place.
constexpr std::chrono::milliseconds kSupervisorEnd{500};

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

void check(int error, const char* what) {
  if (error != 0) fail(error, what);
}

// posix_spawn's two descriptions of what the child is to be.
struct SpawnSetup {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnSetup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;

  // A group of its own, no signal blocked or ignored, nothing open but `input` or null, the pipe and the pipe.
  void describe(const ProcessSpec& spec, int input, int output) {
    if (input >= 0) {
      check(posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO), "posix_spawn");
    } else {
      check(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0), "posix_spawn");
    }
    check(posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO), "posix_spawn");
    check(posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO), "posix_spawn");
    check(posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1), "posix_spawn");
    if (!spec.working_directory.empty()) {
      check(posix_spawn_file_actions_addchdir_np(&actions, spec.working_directory.c_str()), "posix_spawn");
    }
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    check(posix_spawnattr_setpgroup(&attributes, 0), "posix_spawn");
    check(posix_spawnattr_setsigmask(&attributes, &none), "posix_spawn");
    check(posix_spawnattr_setsigdefault(&attributes, &all), "posix_spawn");
    check(posix_spawnattr_setflags(
              &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF),
          "posix_spawn");
  }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

void limit(pid_t pid, __rlimit_resource which, rlim_t value) {
  const rlimit both{value, value};
  ::prlimit(pid, which, &both, nullptr);  // a child that has ended already needs none
}

}  // namespace

struct Process::Impl : std::enable_shared_from_this<Process::Impl> {
  Impl(Loop& loop, std::function<void(std::string_view)> receiver)
      : loop(loop), loop_impl(loop.impl()), output(std::move(receiver)), pipe(loop_impl.io), ended(loop_impl.io) {}

  void start(const ProcessSpec& spec) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail(errno, "cannot make a pipe");
    FileDescriptor read_end(ends[0]);
    const FileDescriptor write_end(ends[1]);
    FileDescriptor watched_over;  // its supervisor's end
    if (!spec.supervisor.empty()) watched_over = make_line();
    SpawnSetup setup;
    setup.describe(spec, watched_over ? watched_over.get() : -1, write_end.get());
    const auto command = command_of(spec);
    const auto argv = pointers(command);
    const auto environment = pointers(spec.environment);
    const int error = ::posix_spawn(&pid, argv[0], &setup.actions, &setup.attributes, argv.data(), environment.data());
    if (error != 0) fail(error, "cannot start " + command.at(0));
    if (spec.address_space_bytes_max != 0) limit(pid, RLIMIT_AS, spec.address_space_bytes_max);
    if (spec.open_files_max != 0 && !line) limit(pid, RLIMIT_NOFILE, spec.open_files_max);
    limit(pid, RLIMIT_CORE, 0);

    running = true;
    if (const int reason = watch(std::move(read_end)); reason != 0) {
      reap();
      fail(reason, "cannot watch " + spec.argv[0]);
    }
    await_end();
    read();
  }

  // 0, or why it cannot be done.
  int watch(FileDescriptor read_end) {
    FileDescriptor end(::pidfd_open(pid, 0));
    if (!end) return errno;
    boost::system::error_code error;
    ended.assign(end.get(), error);
    if (error) return error.value();
    (void)end.release();
    pipe.assign(read_end.get(), error);
    if (error) return error.value();
    (void)read_end.release();
    pipe.non_blocking(true, error);
    return error.value();
  }

  static std::string sandbox_of(const ProcessSpec& spec) {
    std::string text = "--sandbox";
    for (const std::string& door : spec.doors) text += (&door == &spec.doors.front() ? '=' : ',') + door;
    return text;
  }

  static std::string links_of(const ProcessSpec& spec) {
    std::string text;
    for (const Link& link : spec.var_links) text.append(link.name).append("=").append(link.target).append("\n");
    return text;
  }

  static std::string groups_of(const ProcessSpec& spec) {
    std::string text;
    for (const std::string& group : spec.groups) text.append(group).append("\n");
    return text;
  }

  static std::vector<std::string> command_of(const ProcessSpec& spec) {
    if (spec.supervisor.empty()) return spec.argv;
    std::vector<std::string> command{spec.supervisor, std::to_string(spec.open_files_max),
                                     std::to_string(spec.file_bytes_max),
                                     spec.is_sandbox ? sandbox_of(spec) : spec.opt, links_of(spec), groups_of(spec)};
    command.insert(command.end(), spec.argv.begin(), spec.argv.end());
    return command;
  }

  // The supervisor ends when this end of it is closed, by us or by our end.
  FileDescriptor make_line() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(errno, "cannot make a socket");
    line = FileDescriptor(ends[0]);
    return FileDescriptor(ends[1]);
  }

  void kill() {
    if (!running) return;
    tell_to_end();
    if (!line || late) return;
    late = loop.call_after(kSupervisorEnd, [self = weak_from_this()] {
      if (const auto impl = self.lock()) impl->end_in_its_place();
    });
  }

  void tell_to_end() {
    if (line) {
      ::shutdown(line.get(), SHUT_RDWR);
      ::kill(pid, SIGCONT);  // one that its own function has stopped hears it, too
    } else {
      ::kill(-pid, SIGKILL);
    }
  }

  // Kills and waits: for the end of this.
  void end() {
    if (!running) return;
    tell_to_end();
    if (line && !ends_within(kSupervisorEnd)) end_in_its_place();
    reap();
  }

  // Whatever signals come meanwhile.
  bool ends_within(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    pollfd ending{ended.native_handle(), POLLIN, 0};
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      const int ready = ::poll(&ending, 1, std::max(0, static_cast<int>(left.count())));
      if (ready >= 0 || errno != EINTR) return ready > 0;
    }
  }

  void end_in_its_place() {
    if (!running) return;
    base::log_warning("a function's supervisor had to be killed", {});
    base::kill_with_all_below(pid);
  }

  void read() {
    pipe.async_read_some(boost::asio::buffer(buffer), [self = shared_from_this()](const auto& error, size_t count) {
      const Loop::Impl::Turn turn(self->loop_impl);
      if (!self->output) return;
      if (error) {
        const auto receiver = std::exchange(self->output, nullptr);
        return receiver("");
      }
      // The receiver may destroy the process.
      const auto receiver = self->output;
      receiver({self->buffer, count});
      if (self->output) self->read();
    });
  }

  void await_end() {
    ended.async_wait(boost::asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](const auto& error) {
      const Loop::Impl::Turn turn(self->loop_impl);
      if (!error) self->reap();
    });
  }

  // The child has ended, or is made to. Until it is reaped its id, and with it its group's, cannot mean another.
  void reap() {
    if (!std::exchange(running, false)) return;
    ::kill(-pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    ExitStatus result;
    if (line && ::recv(line.get(), &result.start_error, sizeof result.start_error, MSG_DONTWAIT) < 0) {
      result.start_error = 0;
    }
    line = FileDescriptor();
    late.reset();
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    else result.code = WEXITSTATUS(status);
    exited.set(result);
  }

  Loop& loop;
  Loop::Impl& loop_impl;
  std::function<void(std::string_view)> output;
  boost::asio::posix::stream_descriptor pipe;
  boost::asio::posix::stream_descriptor ended;  // a pidfd
  base::Future<ExitStatus> exited;
  FileDescriptor line;  // to its supervisor, if it has one
  std::optional<base::Alarm> late;  // it was told to end
  pid_t pid = 0;
  bool running = false;  // not reaped
  char buffer[kOutputPiece];
};

Process::Process(Loop& loop, const ProcessSpec& spec, std::function<void(std::string_view bytes)> output)
    : impl_(std::make_shared<Impl>(loop, std::move(output))) {
  impl_->start(spec);
}

Process::~Process() {
  impl_->output = nullptr;
  impl_->late.reset();
  boost::system::error_code ignored;
  impl_->pipe.close(ignored);
  impl_->end();  // a killed child ends in well under a millisecond
  impl_->ended.close(ignored);
}

pid_t Process::pid() const { return impl_->pid; }
base::Future<ExitStatus> Process::exited() const { return impl_->exited; }

void Process::kill() { impl_->kill(); }

}  // namespace tidemill::net
