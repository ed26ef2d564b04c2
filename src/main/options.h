// The command line: what a person may ask of the program. Every flag can also stand in the environment, as TIDEMILL_
// and its name (--data: TIDEMILL_DATA), where an empty value counts as none; the command line has precedence. Of
// flags that may be repeated the environment has a list with commas, to which the command line adds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace tidemill {

enum class ClockKind { real, virtual_time, automatic };
enum class Command { serve, version, help };

struct Options {
  Command command = Command::help;
  std::filesystem::path data;  // absolute; default: $XDG_DATA_HOME/tidemill, or ~/.local/share/tidemill
  std::string bind = "127.0.0.1";
  uint16_t port = 4566;        // 0: a free one
  ClockKind clock = ClockKind::real;
  std::string account = "000000000000";
  std::string region = "us-east-1";
  int threads = 0;             // 0: one per core
  std::vector<std::string> hosts;            // names of this server, as wire::normal_host() gives them
  std::vector<std::string> allowed_origins;  // of web pages, as wire::normal_origin() gives them
  bool strict_runtimes = false;
  bool throttle = false;
  std::string sns_certificates;  // what SigningCertURL begins with; empty: the server's endpoint
  int window_idle_wait_seconds = 120;  // after a tumbling window's end
  uint64_t cache_bytes = 0;    // of the store's cache; 0: a share of the machine's memory
  std::filesystem::path log_file;  // absolute; empty: standard error
  base::Level log_level = base::Level::info;
};

// What was asked for makes no sense; what() is one line that says why.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The value of an environment variable, if it is set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// `arguments` without the program's name. Throws UsageError.
Options parse_options(std::span<const std::string_view> arguments, const Environment& environment);

// Whether --help stands among them, also where something else is wrong.
bool asks_for_help(std::span<const std::string_view> arguments);

std::string help_text();

}  // namespace tidemill
