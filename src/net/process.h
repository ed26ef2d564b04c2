// Child processes: started with posix_spawn in a process group of their own, watched through the loop.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/future.h"
#include "net/loop.h"

namespace tidemill::net {

struct Link {
  std::string name;
  std::string target;
};

struct ProcessSpec {
  std::vector<std::string> argv;         // argv[0] is the path of the program
  std::vector<std::string> environment;  // "NAME=value", and nothing else is inherited
  std::string working_directory;
  uint64_t address_space_bytes_max = 0;  // RLIMIT_AS; 0: not limited
  uint64_t open_files_max = 1024;
  uint64_t file_bytes_max = 0;  // RLIMIT_FSIZE; 0: not limited. Writing beyond fails with EFBIG. With a supervisor only
  // The program that starts it (runtimes/supervisor/): then whatever it starts itself ends with it, wherever that has
  // gone, and all of it ends with this process, also by SIGKILL. Empty: none, and only its process group ends with it.
  std::string supervisor = {};
  // With a supervisor: a directory that the program finds at /opt, and nobody else, to be read only. Empty: none.
  std::string opt = {};
  // With `opt`: links ("lang/bin/node") that the program finds below /var, beside what the host has there; it starts
  // without them where they cannot be made. Neither names nor targets have line feeds; names have no "=".
  std::vector<Link> var_links = {};
  // With a supervisor: the program makes a sandbox and starts another inside (runtimes/supervisor/), whose end is told as if
  // it were this one's. `opt` is of no meaning then.
  bool is_sandbox = false;
  // With a supervisor: control groups that hold the program and all that it starts, by the files that take processes.
  std::vector<std::string> groups = {};
  // Of a sandbox with a loopback of its own: addresses outside ("127.0.0.1:4566") to which connections to the same ports at
  // 127.0.0.1 are carried.
  std::vector<std::string> doors = {};
};

struct ExitStatus {
  int code = 0;    // exit code, if `signal` is 0
  int signal = 0;  // the signal that ended it
  int start_error = 0;  // errno: its supervisor could not start it
};

// All members on the loop it was started on. Destroying it kills the whole process group (SIGKILL), or all that is
// below its supervisor, and reaps it.
class Process {
 public:
  // `output` gets what the child writes on standard output and standard error, as it comes, and "" at the end of both.
  // Throws std::system_error if the program cannot be started.
  Process(Loop& loop, const ProcessSpec& spec, std::function<void(std::string_view bytes)> output);
  ~Process();
  Process(const Process&) = delete;

  // Its own, or its supervisor's: then it and what it started are below that.
  [[nodiscard]] pid_t pid() const;
  // Set when the child has ended.
  [[nodiscard]] base::Future<ExitStatus> exited() const;
  // Ends all of it as by SIGKILL.
  void kill();

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace tidemill::net
