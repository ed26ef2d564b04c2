// tidemill: the program.
#include <malloc.h>
#include <string.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <vector>

#include "base/log.h"
#include "base/log_file.h"
#include "main/backup_command.h"
#include "main/check_command.h"
#include "main/descriptors.h"
#include "main/logs_command.h"
#include "main/options.h"
#include "main/replay_command.h"
#include "main/server.h"
#include "main/version.h"

namespace {

using namespace tidemill;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// A terminal that goes away ends the server as cleanly as Ctrl-C does.
constexpr int kStoppingSignals[] = {SIGTERM, SIGINT, SIGHUP};
// By default these would kill it on the spot.
constexpr int kIgnoredSignals[] = {SIGUSR1, SIGUSR2};

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (!value) return std::nullopt;
  return value;
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int fail(int code, std::string message) {
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  std::fprintf(stderr, "tidemill: %s\n", message.c_str());
  return code;
}

// Keeps what large answers took for the next ones. By default the allocator gives it back to the kernel with each, which
// then clears every page anew: a third of the speed of a Scan. Each thread keeps at most the second, since what it frees
// beyond that still goes back.
void keep_freed_memory() {
  constexpr int kFromKernelBytes = 4 << 20;  // a request of the allocator this large gets pages of its own
  constexpr int kKeptBytes = 16 << 20;
  mallopt(M_MMAP_THRESHOLD, kFromKernelBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
}

int serve(const Options& options) {
  keep_freed_memory();
  base::set_log_level(options.log_level);
  // Before there are threads, so that all of them leave these to sigwait below.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kStoppingSignals) sigaddset(&signals, signal);
  for (const int signal : kIgnoredSignals) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (!options.log_file.empty()) base::log_to_file(options.log_file);
    raise_descriptor_limit();
    const Server server(options);
    print("tidemill ready " + server.endpoint() + "\n");
    int signal = 0;
    for (;;) {
      sigwait(&signals, &signal);
      if (std::ranges::find(kStoppingSignals, signal) != std::end(kStoppingSignals)) break;
      base::log_info("a signal that means nothing here", {{"signal", std::string("SIG") + sigabbrev_np(signal)}});
    }
    base::log_info("stopping", {{"signal", std::string("SIG") + sigabbrev_np(signal)}});
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
  try {
    if (!arguments.empty() && arguments[0] == "logs" && !asks_for_help(arguments)) {
      return show_logs(parse_logs_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "replay" && !asks_for_help(arguments)) {
      return replay(parse_replay_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "check" && !asks_for_help(arguments)) {
      return check_pond(parse_check_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "backup" && !asks_for_help(arguments)) {
      return make_backup(parse_backup_options(std::span(arguments).subspan(1), environment));
    }
    const Options options = parse_options(arguments, environment);
    switch (options.command) {
      case Command::serve: return serve(options);
      case Command::version: print("tidemill " + std::string(kVersion) + "\n"); return 0;
      case Command::help: print(help_text()); return 0;
    }
  } catch (const UsageError& error) {
    return fail(kWrongUsage, error.what());
  }
}
