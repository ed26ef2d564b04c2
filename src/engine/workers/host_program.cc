#include "engine/workers/host_program.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "base/wants.h"

namespace tidemill::engine {
namespace {

using base::cat;
using base::Descriptor;

constexpr size_t kKeptBytesMax = 4096;
constexpr int kNotStarted = 127;
constexpr int kSignalled = 128;
constexpr std::string_view kLanguage = "LC_ALL=";

// In memory, so that nobody waits for whom else to read or write.
Descriptor stream_of(const char* name) {
  Descriptor stream(::memfd_create(name, MFD_CLOEXEC));
  if (!stream.is_open()) throw base::disk_error("cannot make", name);
  return stream;
}

std::string beginning_of(const Descriptor& stream) {
  std::string text(kKeptBytesMax, '\0');
  const ssize_t size = ::pread(stream.fd(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

std::vector<char*> words_of(std::vector<std::string>& texts) {
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  return words;
}

// This process's, but that the program says in words that can be known what it lacks.
std::vector<std::string> environment() {
  std::vector<std::string> result{cat(kLanguage, "C")};
  for (char** variable = ::environ; *variable; ++variable) {
    if (!std::string_view(*variable).starts_with(kLanguage)) result.emplace_back(*variable);
  }
  return result;
}

class Streams {
 public:
  Streams() { ::posix_spawn_file_actions_init(&actions_); }
  ~Streams() { ::posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  void give(const Descriptor& stream, int as) { ::posix_spawn_file_actions_adddup2(&actions_, stream.fd(), as); }
  [[nodiscard]] const posix_spawn_file_actions_t& actions() const { return actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

int end_of(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& argv, std::string_view input) {
  const Descriptor given = stream_of("input");
  const Descriptor output = stream_of("output");
  const Descriptor errors = stream_of("errors");
  if (::pwrite(given.fd(), input.data(), input.size(), 0) != static_cast<ssize_t>(input.size())) {
    throw base::disk_error("cannot write", "input");
  }
  Streams streams;
  streams.give(given, STDIN_FILENO);
  streams.give(output, STDOUT_FILENO);
  streams.give(errors, STDERR_FILENO);
  std::vector<std::string> arguments = argv;
  std::vector<std::string> variables = environment();
  pid_t process = 0;
  const int error = ::posix_spawn(&process, argv.front().c_str(), &streams.actions(), nullptr,
                                  words_of(arguments).data(), words_of(variables).data());
  const std::string what = cat("cannot run ", argv.front());
  const std::error_code reason(error, std::generic_category());
  if (base::is_want_of_resources(reason)) throw std::system_error(reason, what);
  if (reason) return {.code = kNotStarted, .output = {}, .errors = reason.message()};
  ProgramEnd end{.code = end_of(process), .output = beginning_of(output), .errors = beginning_of(errors)};
  const std::error_code want = end.code == 0 ? std::error_code() : base::want_told_in(end.errors);
  if (want) throw std::system_error(want, what);
  return end;
}

}  // namespace tidemill::engine
