// tidemill: the program.
#include <string.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <vector>

#include "base/log.h"
#include "base/log_file.h"
#include "main/backoff_command.h"
#include "main/backup_command.h"
#include "main/check_command.h"
#include "main/clock_command.h"
#include "main/descriptors.h"
#include "main/executions_command.h"
#include "main/explain_command.h"
#include "main/faults_command.h"
#include "main/graph_command.h"
#include "main/logs_command.h"
#include "main/options.h"
#include "main/replay_command.h"
#include "main/server.h"
#include "main/version.h"

// How the server's heap (jemalloc) behaves; it reads this before main() begins. What was freed goes back to the kernel
// after ten seconds, so that what large answers took serves the next ones: by default the system's own heap gives it back
// with each, and the kernel then clears every page anew, a third of the speed of a Scan. Few arenas, since few threads
// allocate much: the loops and the committer. Without a threshold for "oversized" pieces, which are given back at once: a
// loop that frees an answer of 48 MB would be busy with that for ten milliseconds.
extern "C" {
extern const char* malloc_conf;  // the name and the type are jemalloc's
const char* malloc_conf = "narenas:4,dirty_decay_ms:10000,muzzy_decay_ms:0,oversize_threshold:0";
}

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

bool is_stopping(int signal) { return std::ranges::find(kStoppingSignals, signal) != std::end(kStoppingSignals); }

// Whether another signal to stop comes within the time.
bool stops_within(const sigset_t& signals, std::chrono::milliseconds time) {
  const timespec wait{time.count() / 1000, time.count() % 1000 * 1'000'000};
  return is_stopping(sigtimedwait(&signals, nullptr, &wait));
}

int serve(const Options& options) {
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
    Server server(options);
    if (const auto& key = server.new_root_key()) {
      print("tidemill root credentials, shown once: AWS_ACCESS_KEY_ID=" + key->access_key_id +
            " AWS_SECRET_ACCESS_KEY=" + key->secret + "\n");
    }
    print("tidemill ready " + server.endpoint() + "\n");
    int signal = 0;
    for (;;) {
      sigwait(&signals, &signal);
      if (is_stopping(signal)) break;
      base::log_info("a signal that means nothing here", {{"signal", std::string("SIG") + sigabbrev_np(signal)}});
    }
    base::log_info("stopping", {{"signal", std::string("SIG") + sigabbrev_np(signal)}});
    server.stop([&signals](std::chrono::milliseconds time) { return stops_within(signals, time); });
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
    if (!arguments.empty() && arguments[0] == "backoff" && !asks_for_help(arguments)) {
      return backoff(parse_backoff_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "explain" && !asks_for_help(arguments)) {
      return explain(parse_explain_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "check" && !asks_for_help(arguments)) {
      return check_pond(parse_check_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "backup" && !asks_for_help(arguments)) {
      return make_backup(parse_backup_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "clock" && !asks_for_help(arguments)) {
      return turn_clock(parse_clock_options(std::span(arguments).subspan(1), environment));
    }
    if (arguments.size() > 1 && arguments[0] == "faults" && asks_for_help(arguments)) {
      print(faults_help());
      return 0;
    }
    if (!arguments.empty() && arguments[0] == "faults" && !asks_for_help(arguments)) {
      return faults(parse_faults_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "graph" && !asks_for_help(arguments)) {
      return draw_graph(parse_graph_options(std::span(arguments).subspan(1), environment));
    }
    if (!arguments.empty() && arguments[0] == "executions" && !asks_for_help(arguments)) {
      return list_executions(parse_executions_options(std::span(arguments).subspan(1), environment));
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
