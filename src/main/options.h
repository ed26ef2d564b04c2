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
#include "engine/workers/sandbox.h"

namespace tidemill {

enum class ClockKind { real, virtual_time, automatic };
enum class Auth {
  open,      // everybody is believed; on loopback only
  checked,   // signatures are verified
  judged,    // that, and every operation needs rights
};
enum class Sandboxing { on, off, automatic };  // automatic: on where others than this machine's can reach the server
enum class Command { serve, version, help };

struct Options {
  Command command = Command::help;
  std::filesystem::path data;  // absolute; default: $XDG_DATA_HOME/tidemill, or ~/.local/share/tidemill
  std::filesystem::path key_file;  // absolute, and not in `data`; empty: one in key_directory, named after the pond
  std::filesystem::path key_directory;  // $XDG_CONFIG_HOME/tidemill/keys, or ~/.config/tidemill/keys; empty: no home,
                                        // or one in `data`
  std::string bind = "127.0.0.1";
  Auth auth = Auth::open;
  bool is_behind_proxy = false;  // one that speaks TLS with clients
  std::filesystem::path tls_certificate;  // absolute; empty: no TLS, or the next but one
  std::filesystem::path tls_key;          // absolute; there with the other, and only then
  bool is_self_signed = false;            // TLS with a certificate of an authority of the pond's own
  Sandboxing sandbox = Sandboxing::automatic;
  engine::FunctionNetwork function_network = engine::FunctionNetwork::open;
  uint16_t port = 4566;        // 0: a free one
  ClockKind clock = ClockKind::real;
  std::string account = "000000000000";
  std::string region = "us-east-1";
  int threads = 0;             // 0: one per core
  std::vector<std::string> hosts;            // names of this server, as wire::normal_host() gives them
  std::vector<std::string> allowed_origins;  // of web pages, as wire::normal_origin() gives them
  bool strict_runtimes = false;
  bool lenient = false;        // settings of functions that change nothing are kept instead of refused
  bool throttle = false;
  std::string sns_certificates;  // what SigningCertURL begins with; empty: the server's endpoint
  int window_idle_wait_seconds = 120;  // after a tumbling window's end
  int grace_seconds = 10;      // for what is under way when the server is to stop
  uint64_t cache_bytes = 0;    // of the store's cache; 0: a share of the machine's memory
  std::filesystem::path log_file;  // absolute; empty: standard error
  base::Level log_level = base::Level::info;
};

[[nodiscard]] inline bool speaks_tls(const Options& options) {
  return options.is_self_signed || !options.tls_certificate.empty();
}

// Whether functions are to run in a sandbox.
[[nodiscard]] bool wants_sandbox(const Options& options);

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
