#include "main/options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "wire/pipeline/host_check.h"
#include "wire/pipeline/origin_check.h"

namespace tidemill {

namespace {

constexpr int kThreadsMax = 256;
constexpr int kGraceSecondsMax = 60 * 60;
constexpr int kWindowIdleWaitSecondsMax = 24 * 60 * 60;
constexpr uint64_t kCacheBytesMin = uint64_t{1} << 20;
constexpr uint64_t kCacheBytesMax = uint64_t{1} << 40;

struct Flag {
  std::string_view name;   // without "--"
  std::string_view value;  // what follows, for the help; empty: nothing does
  std::string_view help;
  void (*apply)(Options& options, std::string_view value);  // throws UsageError that goes on after "--name: "
};

[[noreturn]] void wrong(std::string_view value, std::string_view expected) {
  throw UsageError("\"" + std::string(value) + "\" is not " + std::string(expected));
}

int number(std::string_view text, int min, int max, std::string_view expected) {
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < min || value > max) {
    wrong(text, expected);
  }
  return value;
}

bool is_loopback(std::string_view address) { return address == "::1" || address.starts_with("127."); }

void set_data(Options& options, std::string_view value) {
  if (value.empty()) wrong(value, "a directory");
  // Functions run in directories of their own, where a relative path would mean another place.
  options.data = std::filesystem::absolute(value);
}

void set_key_file(Options& options, std::string_view value) {
  if (value.empty()) wrong(value, "a file's path");
  options.key_file = std::filesystem::absolute(value);
}

void set_bind(Options& options, std::string_view value) {
  if (value == "localhost") value = "127.0.0.1";
  if (wire::normal_host(value).empty()) wrong(value, "an address");
  options.bind = value;
}

void set_auth(Options& options, std::string_view value) {
  if (value == "open") options.auth = Auth::open;
  else if (value == "signed") options.auth = Auth::checked;
  else if (value == "iam") options.auth = Auth::judged;
  else wrong(value, "open, signed or iam");
}

void set_behind_proxy(Options& options, std::string_view value) {
  if (value == "" || value == "1" || value == "true") options.is_behind_proxy = true;
  else if (value == "0" || value == "false") options.is_behind_proxy = false;
  else wrong(value, "1 or 0");
}

void set_sandbox(Options& options, std::string_view value) {
  if (value == "on") options.sandbox = Sandboxing::on;
  else if (value == "off") options.sandbox = Sandboxing::off;
  else if (value == "auto") options.sandbox = Sandboxing::automatic;
  else wrong(value, "on, off or auto");
}

void set_function_network(Options& options, std::string_view value) {
  if (value == "open") options.function_network = engine::FunctionNetwork::open;
  else if (value == "none") options.function_network = engine::FunctionNetwork::none;
  else wrong(value, "open or none");
}

void check_sandbox(const Options& options) {
  const bool is_closed = options.function_network == engine::FunctionNetwork::none;
  if (is_closed && options.sandbox != Sandboxing::on) {
    throw UsageError("--function-network none needs --sandbox on, which keeps it");
  }
  if (is_closed && options.bind.contains(':')) {
    throw UsageError("--function-network none: functions reach the server by IPv4 only, and --bind is " + options.bind);
  }
}

void set_tls_certificate(Options& options, std::string_view value) {
  if (value.empty()) wrong(value, "a file's path");
  options.tls_certificate = std::filesystem::absolute(value);
}

void set_tls_key(Options& options, std::string_view value) {
  if (value.empty()) wrong(value, "a file's path");
  options.tls_key = std::filesystem::absolute(value);
}

void set_self_signed(Options& options, std::string_view value) {
  if (value == "" || value == "1" || value == "true") options.is_self_signed = true;
  else if (value == "0" || value == "false") options.is_self_signed = false;
  else wrong(value, "1 or 0");
}

void check_tls(const Options& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    throw UsageError("--tls-cert and --tls-key: one needs the other");
  }
  if (options.is_self_signed && !options.tls_key.empty()) {
    throw UsageError("--tls-self-signed makes a certificate, and --tls-cert names one: only one of both");
  }
}

// Who can be reached from elsewhere must know who asks, and be told that nobody listens on the way.
void check_bind(const Options& options) {
  if (is_loopback(options.bind)) return;
  const std::string start = "refusing to listen on \"" + options.bind + "\": ";
  if (options.auth == Auth::open) {
    throw UsageError(start + "without authentication only loopback addresses (127.0.0.1, ::1) are allowed; see --auth");
  }
  if (!options.is_behind_proxy && !speaks_tls(options)) {
    throw UsageError(start + "what is sent there is not encrypted; see --tls-cert, --tls-self-signed, and --behind-proxy, "
                             "which says that a proxy does that");
  }
}

void add_hosts(Options& options, std::string_view value) {
  for (const std::string& text : wire::split_list(value)) {
    std::string host = wire::normal_host(text);
    if (host.empty()) wrong(text, "a host's name or address, without a port");
    options.hosts.push_back(std::move(host));
  }
}

void add_origins(Options& options, std::string_view value) {
  for (const std::string& text : wire::split_list(value)) {
    std::string origin = wire::normal_origin(text);
    if (origin.empty()) wrong(text, "an origin like https://app.example:8080, without a path");
    options.allowed_origins.push_back(std::move(origin));
  }
}

void set_clock(Options& options, std::string_view value) {
  if (value == "real") options.clock = ClockKind::real;
  else if (value == "virtual") options.clock = ClockKind::virtual_time;
  else if (value == "auto") options.clock = ClockKind::automatic;
  else wrong(value, "real, virtual or auto");
}

void set_account(Options& options, std::string_view value) {
  const bool digits = std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (value.size() != 12 || !digits) wrong(value, "an account id of 12 digits");
  options.account = value;
}

void set_region(Options& options, std::string_view value) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (value.empty() || value.size() > 32 || !std::all_of(value.begin(), value.end(), allowed)) wrong(value, "a region");
  options.region = value;
}

void set_log_level(Options& options, std::string_view value) {
  if (value == "debug") options.log_level = base::Level::debug;
  else if (value == "info") options.log_level = base::Level::info;
  else if (value == "warning") options.log_level = base::Level::warning;
  else if (value == "error") options.log_level = base::Level::error;
  else wrong(value, "debug, info, warning or error");
}

void set_strict_runtimes(Options& options, std::string_view value) {
  if (value == "" || value == "1" || value == "true") options.strict_runtimes = true;
  else if (value == "0" || value == "false") options.strict_runtimes = false;
  else wrong(value, "1 or 0");
}

void set_lenient(Options& options, std::string_view value) {
  if (value == "" || value == "1" || value == "true") options.lenient = true;
  else if (value == "0" || value == "false") options.lenient = false;
  else wrong(value, "1 or 0");
}

void set_throttle(Options& options, std::string_view value) {
  if (value == "" || value == "1" || value == "true") options.throttle = true;
  else if (value == "0" || value == "false") options.throttle = false;
  else wrong(value, "1 or 0");
}

// "268435456", "256M", "1G": bytes, or binary multiples of them.
uint64_t size(std::string_view text, uint64_t min, uint64_t max, std::string_view expected) {
  constexpr std::string_view kSuffixes = "KMG";
  std::string_view digits = text;
  int shift = 0;
  if (const size_t unit = text.empty() ? std::string_view::npos : kSuffixes.find(text.back());
      unit != std::string_view::npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    digits.remove_suffix(1);
  }
  uint64_t count = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size() || count > max >> shift ||
      count << shift < min) {
    wrong(text, expected);
  }
  return count << shift;
}

void set_cache(Options& options, std::string_view value) {
  options.cache_bytes = size(value, kCacheBytesMin, kCacheBytesMax, "a size from 1M to 1024G");
}

void set_sns_certificates(Options& options, std::string_view value) {
  if (!value.starts_with("http://") && !value.starts_with("https://")) wrong(value, "a URL of http or https");
  while (value.ends_with('/')) value.remove_suffix(1);
  options.sns_certificates = value;
}

constexpr Flag kFlags[] = {
    {"data", "DIR", "where everything is kept; default $XDG_DATA_HOME/tidemill or ~/.local/share/tidemill", set_data},
    {"key-file", "PATH",
     "the master key of what is encrypted, outside DIR; default $XDG_CONFIG_HOME/tidemill/keys/ID or ~/.config/tidemill/keys/ID",
     set_key_file},
    {"port", "PORT", "default 4566; 0 picks a free one",
     [](Options& options, std::string_view value) {
       options.port = static_cast<uint16_t>(number(value, 0, 65535, "a port from 0 to 65535"));
     }},
    {"bind", "ADDRESS", "default 127.0.0.1; others than loopback's need --auth signed or iam, and TLS or --behind-proxy",
     set_bind},
    {"auth", "KIND", "open (default): everybody is believed; signed: signatures are verified; iam: and policies enforced",
     set_auth},
    {"behind-proxy", "", "clients reach the server through a proxy that speaks TLS with them", set_behind_proxy},
    {"tls-cert", "FILE", "speak TLS: the certificate, and those up to its authority, in PEM", set_tls_certificate},
    {"tls-key", "FILE", "its key in PEM, without a passphrase, and nobody's but the server's to read", set_tls_key},
    {"tls-self-signed", "", "speak TLS with a certificate of an authority of its own: tls/authority.pem in DIR",
     set_self_signed},
    {"sandbox", "KIND",
     "of functions, by bubblewrap: on (or no start), off, auto (default: on beyond loopback and with --behind-proxy)",
     set_sandbox},
    {"function-network", "KIND", "open (default), or none: functions reach nothing but the server; needs --sandbox on",
     set_function_network},
    {"host", "NAME", "another name, and all below it, by which clients call this server; may be repeated", add_hosts},
    {"allow-origin", "ORIGIN",
     "web pages of this origin (https://app.example) may use the server; may be repeated", add_origins},
    {"clock", "KIND", "real (default), virtual (stands until POST /_tidemill/clock turns it), auto (jumps when quiet)",
     set_clock},
    {"account", "ID", "12 digits; default 000000000000", set_account},
    {"region", "NAME", "of requests that name none; default us-east-1", set_region},
    {"threads", "N", "event loops; default one per core",
     [](Options& options, std::string_view value) {
       options.threads = number(value, 1, kThreadsMax, "a number of threads from 1 to 256");
     }},
    {"cache", "SIZE", "of data kept in memory: 256M, 2G; default a sixteenth of the memory, from 64M to 1G", set_cache},
    {"strict-runtimes", "", "refuse a function's runtime version that this machine lacks instead of using its newest",
     set_strict_runtimes},
    {"lenient", "", "keep and show settings of functions that have no effect here (VpcConfig, ...) instead of refusing them",
     set_lenient},
    {"throttle", "", "enforce the throughput that tables are given", set_throttle},
    {"sns-certificates", "URL", "what SigningCertURL in messages of topics begins with; default the server's own",
     set_sns_certificates},
    {"window-idle-wait", "SECONDS",
     "how long after its end a tumbling window waits for a record that shows it is over; default 120",
     [](Options& options, std::string_view value) {
       options.window_idle_wait_seconds =
           number(value, 0, kWindowIdleWaitSecondsMax, "a number of seconds from 0 to 86400");
     }},
    {"grace", "SECONDS", "what a stop gives requests and functions that are under way; default 10",
     [](Options& options, std::string_view value) {
       options.grace_seconds = number(value, 0, kGraceSecondsMax, "a number of seconds from 0 to 3600");
     }},
    {"log-file", "PATH", "write the log there instead of to standard error; at 64 MiB it becomes PATH.1, up to PATH.4",
     [](Options& options, std::string_view value) {
       if (value.empty()) wrong(value, "a file's path");
       options.log_file = std::filesystem::absolute(value);
     }},
    {"log-level", "LEVEL", "debug, info (default), warning, error", set_log_level},
};

const Flag* find_flag(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return f.name == name; });
  return found == std::end(kFlags) ? nullptr : found;
}

std::string environment_name(std::string_view flag) {
  std::string name = "TIDEMILL_";
  for (const char c : flag) name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

void apply(Options& options, const Flag& flag, const std::string& source, std::string_view value) {
  try {
    flag.apply(options, value);
  } catch (const UsageError& error) {
    throw UsageError(source + ": " + error.what());
  }
}

std::filesystem::path default_data(const Environment& environment) {
  const auto data_home = environment("XDG_DATA_HOME");
  if (data_home && data_home->starts_with('/')) return std::filesystem::path(*data_home) / "tidemill";
  const auto home = environment("HOME");
  if (!home || home->empty()) throw UsageError("--data: there is no $HOME to put the data under; say where to keep it");
  return std::filesystem::path(*home) / ".local" / "share" / "tidemill";
}

// Empty: there is no place. That is said once a key is needed.
std::filesystem::path default_key_directory(const Environment& environment) {
  const auto config_home = environment("XDG_CONFIG_HOME");
  if (config_home && config_home->starts_with('/')) return std::filesystem::path(*config_home) / "tidemill" / "keys";
  const auto home = environment("HOME");
  if (!home || !home->starts_with('/')) return {};
  return std::filesystem::path(*home) / ".config" / "tidemill" / "keys";
}

// Whoever copies or loses the data directory is not to have, or lose, the key with it.
void keep_keys_apart(Options& options) {
  // Links on the way lead where they lead; what is not there yet is taken as it is written.
  const auto real = [](const std::filesystem::path& place) {
    std::error_code error;
    auto path = std::filesystem::weakly_canonical(place, error);
    return error ? place.lexically_normal() : path;
  };
  const auto is_in_data = [&](const std::filesystem::path& place) {
    if (place.empty()) return false;
    const auto way = real(place).lexically_relative(real(options.data));
    return !way.empty() && *way.begin() != "..";
  };
  if (is_in_data(options.key_directory)) options.key_directory.clear();
  if (!is_in_data(options.key_file)) return;
  throw UsageError("--key-file: " + options.key_file.string() + " lies in the data directory " + options.data.string() +
                   ": the master key is kept, and backed up, apart from what it opens");
}

Command command_of(std::string_view word) {
  if (word == "serve") return Command::serve;
  if (word == "version" || word == "--version") return Command::version;
  // Their flags are those of their own headers (replay_command.h); here they come with --help only.
  constexpr std::array<std::string_view, 10> kClients{"logs",  "replay", "backoff", "clock",      "backup",
                                                     "check", "faults", "graph",   "executions", "explain"};
  if (std::ranges::find(kClients, word) != kClients.end()) return Command::help;
  if (word == "help" || word == "--help" || word == "-h") return Command::help;
  throw UsageError("unknown command \"" + std::string(word) + "\"; tidemill --help shows what there is");
}

}  // namespace

bool wants_sandbox(const Options& options) {
  if (options.sandbox != Sandboxing::automatic) return options.sandbox == Sandboxing::on;
  return !is_loopback(options.bind) || options.is_behind_proxy;
}

bool asks_for_help(std::span<const std::string_view> arguments) {
  return std::ranges::any_of(arguments, [](std::string_view text) { return text == "--help" || text == "-h"; });
}

Options parse_options(std::span<const std::string_view> arguments, const Environment& environment) {
  Options options;
  if (arguments.empty()) return options;
  options.command = command_of(arguments[0]);
  if (options.command != Command::serve) {
    if (arguments.size() > 1 && !asks_for_help(arguments)) {
      throw UsageError("unexpected argument \"" + std::string(arguments[1]) + "\"");
    }
    return options;
  }
  if (asks_for_help(arguments)) {
    options.command = Command::help;
    return options;
  }
  for (const Flag& flag : kFlags) {
    const std::string name = environment_name(flag.name);
    const auto value = environment(name);
    if (value && !value->empty()) apply(options, flag, name, *value);
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const size_t equals = argument.find('=');
    const std::string_view written = argument.substr(0, equals);
    const Flag* flag = written.starts_with("--") ? find_flag(written.substr(2)) : nullptr;
    if (!flag) throw UsageError("unknown flag \"" + std::string(written) + "\"; tidemill --help shows what there is");
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (!flag->value.empty()) {
      if (++i == arguments.size()) throw UsageError(std::string(written) + " needs a value: " + std::string(flag->value));
      value = arguments[i];
    }
    apply(options, *flag, std::string(written), value);
  }
  if (options.data.empty()) options.data = default_data(environment);
  options.key_directory = default_key_directory(environment);
  keep_keys_apart(options);
  check_tls(options);
  check_sandbox(options);
  check_bind(options);
  return options;
}

std::string help_text() {
  std::string text =
      "Tidemill runs event-driven serverless applications behind the AWS APIs, in one process.\n\n"
      "  tidemill serve [flags]   start the server\n"
      "  tidemill logs FUNCTION [--follow] [--since 10m] [--endpoint URL] [--region NAME]\n"
      "                           show what a function prints; URL: default $TIDEMILL_ENDPOINT, $AWS_ENDPOINT_URL\n"
      "  tidemill replay (--document FILE | --queue NAME) [--drop] [--endpoint URL] [--region NAME]\n"
      "                           give the records of discarded batches to their function again, or up\n"
      "  tidemill backoff TOPIC [--principal P --cause C (--silence 2h | --reset)] [--endpoint URL] [--region NAME]\n"
      "                           show what a topic with TidemillBackoff holds back, silence it or begin anew\n"
      "  tidemill backup --to DIR [--endpoint URL]\n"
      "                           have a running server copy its data directory to DIR, which is not there yet\n"
      "  tidemill check --data DIR\n"
      "                           read all of a data directory that no server uses, and say what is damaged\n"
      "  tidemill clock (show | advance 2h | set 2026-12-24T08:00:00Z) [--endpoint URL]\n"
      "                           turn the clock of a server with --clock virtual, and say what ran\n"
      "  tidemill faults (list | add FAULT | clear [ID]) [--endpoint URL]\n"
      "                           throttle, delay or fail operations and functions: tidemill faults add --help\n"
      "  tidemill graph MACHINE|EXECUTION [--output FILE] [--dot] [--endpoint URL] [--region NAME]\n"
      "                           draw a state machine, or an execution's way through it, as SVG (needs graphviz)\n"
      "  tidemill executions [MACHINE] [--status NAME] [--watch] [--endpoint URL] [--region NAME]\n"
      "                           list the executions that run, or have ended so; --watch goes on with what changes\n"
      "  tidemill explain [REQUEST-ID] [--endpoint URL]\n"
      "                           why a server with --auth iam allowed or denied a request, the last denied one without id\n"
      "  tidemill version         say which version this is\n"
      "  tidemill --help          show this\n\n"
      "Flags of serve, each also as an environment variable (--data: TIDEMILL_DATA):\n\n";
  for (const Flag& flag : kFlags) {
    std::string left = "  --" + std::string(flag.name) + (flag.value.empty() ? "" : " ") + std::string(flag.value);
    left.resize(std::max<size_t>(left.size() + 1, 21), ' ');
    text += left + std::string(flag.help) + "\n";
  }
  text += "\nThe server prints \"tidemill ready http://ADDRESS:PORT\" once it listens; its log goes to standard error, or to --log-file.\n"
          "Point any AWS client at it: export AWS_ENDPOINT_URL=http://127.0.0.1:4566\n";
  return text;
}

}  // namespace tidemill
