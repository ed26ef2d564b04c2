#include "engine/workers/sandbox.h"

#include <unistd.h>

#include <array>

#include "base/text.h"
#include "engine/workers/host_program.h"
#include "engine/workers/sandbox_etc.h"

namespace tidemill::engine {
namespace {

namespace fs = std::filesystem;
using base::cat;
using Command = std::vector<std::string>;

// The user of AWS's sandboxes.
constexpr const char* kUser = "993";
constexpr const char* kGroup = "990";

// Descriptors from which the calls are read that the system is to refuse: in a sandbox one that the supervisor keeps
// (runtimes/supervisor/), when one is tried standard input.
constexpr const char* kFilter = "5";
constexpr const char* kTriedFilter = "0";
// One that refuses none: BPF_RET | BPF_K, SECCOMP_RET_ALLOW.
constexpr std::string_view kFilterOfNone{"\006\000\000\000\000\000\377\177", 8};

constexpr const char* kKeys = "/proc/keys";

constexpr std::string_view kSandboxSdk = "/var/sdk";  // above it (worker_environment.cc)

// Of the host's root: directories of programs and libraries, or links to them.
constexpr std::array<const char*, 6> kOfRoot{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

void add(Command& command, std::initializer_list<std::string> words) { command.insert(command.end(), words); }

bool is_below(const fs::path& path, const fs::path& directory) {
  const fs::path way = path.lexically_relative(directory);
  return !way.empty() && *way.begin() != "..";
}

// Namespaces of its own, nobody's rights, and of the system only those calls that a filter lets through.
void add_isolation(Command& command, FunctionNetwork network, const char* filter) {
  if (network == FunctionNetwork::none) add(command, {"--unshare-net"});
  add(command, {"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"});
  add(command, {"--uid", kUser, "--gid", kGroup, "--disable-userns", "--cap-drop", "ALL"});
  add(command, {"--hostname", "tidemill", "--new-session", "--die-with-parent", "--seccomp", filter});
}

void add_system(Command& command) {
  add(command, {"--ro-bind", "/usr", "/usr"});
  for (const char* path : kOfRoot) {
    std::error_code none;
    if (fs::is_symlink(path, none)) add(command, {"--symlink", fs::read_symlink(path, none).string(), path});
    else if (fs::is_directory(path, none)) add(command, {"--ro-bind", path, path});
  }
}

// Processes of its own, and no settings of the kernel: what a server of the superuser's starts is that user to it, which asks for
// no capability where it takes them in /proc/sys. Nor the names of keys, which it shows to whom it takes for their user.
void add_proc(Command& command) {
  add(command, {"--proc", "/proc", "--remount-ro", "/proc"});
  std::error_code none;
  if (fs::exists(kKeys, none)) add(command, {"--ro-bind", "/dev/null", kKeys});
}

std::optional<fs::path> find_program(std::string_view search_path) {
  std::string all = cat("/usr/bin:", search_path);
  for (size_t at = 0; at < all.size();) {
    const size_t colon = std::min(all.find(':', at), all.size());
    const fs::path directory = all.substr(at, colon - at);
    if (directory.is_absolute() && ::access((directory / "bwrap").c_str(), X_OK) == 0) return directory / "bwrap";
    at = colon + 1;
  }
  return std::nullopt;
}

}  // namespace

std::expected<Sandbox, std::string> Sandbox::find(std::string_view search_path, FunctionNetwork network) {
  const auto program = find_program(search_path);
  if (!program) return std::unexpected("bubblewrap (bwrap) is not installed");
  Command command{program->string()};
  add_isolation(command, network, kTriedFilter);
  add_system(command);
  add_proc(command);
  add(command, {"--dev", "/dev", "--size", "4096", "--tmpfs", "/tmp", "--", "/bin/true"});
  if (const ProgramEnd end = run_program(command, kFilterOfNone); end.code != 0) {
    const std::string_view why = std::string_view(end.errors).substr(0, end.errors.find('\n'));
    return std::unexpected(
        cat(program->string(), " may make no user namespaces here, or filter no calls of the system: ", why));
  }
  return Sandbox(*program, network);
}

std::vector<std::string> Sandbox::command(const SandboxView& view) const {
  Command command{bubblewrap_.string()};
  add_isolation(command, network_, kFilter);
  add_system(command);
  add(command, {"--ro-bind", (view.runtimes / kSandboxEtc).string(), "/etc"});
  add(command, {"--ro-bind-try", "/etc/hosts", "/etc/hosts"});
  if (name_server_.empty()) add(command, {"--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"});
  add_proc(command);
  add(command, {"--dev", "/dev", "--size", std::to_string(view.shared_memory_bytes), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
  add(command, {"--size", std::to_string(view.temporary_bytes), "--perms", "0700", "--tmpfs", std::string(kSandboxTemporary)});
  if (const auto home = view.interpreter.empty() ? std::nullopt : home_of(view.interpreter)) {
    add(command, {"--ro-bind", home->string(), home->string()});
  }
  if (!view.layers.empty()) add(command, {"--ro-bind", view.layers.string(), "/opt"});
  add(command, {"--ro-bind", view.runtimes.string(), std::string(kSandboxRuntimes)});
  if (!view.node_modules.empty()) {
    // By a link, as beside a package outside: require() goes by names and looks into the layers first (bootstrap.mjs).
    const std::string place = cat(kSandboxSdk, kSandboxNodeModules);
    add(command, {"--ro-bind", view.node_modules.string(), place, "--symlink", place, std::string(kSandboxNodeModules)});
  }
  for (const net::Link& link : view.var_links) add(command, {"--symlink", link.target, cat("/var/", link.name)});
  add(command, {"--ro-bind", view.code.string(), std::string(kSandboxCode), "--chdir", std::string(kSandboxCode)});
  add(command, {"--remount-ro", "/", "--"});
  return command;
}

std::optional<fs::path> Sandbox::home_of(const fs::path& interpreter) {
  std::error_code none;
  const fs::path program = fs::weakly_canonical(interpreter, none);
  for (const char* system : {"/usr", "/bin", "/lib"}) {
    if (is_below(program, system)) return std::nullopt;
  }
  const fs::path home = program.parent_path().parent_path();
  const bool is_of_its_own = program.parent_path().filename() == "bin" && home.has_relative_path() &&
                             (fs::is_directory(home / "include", none) || fs::is_directory(home / "jmods", none));
  return is_of_its_own ? home : program;
}

}  // namespace tidemill::engine
