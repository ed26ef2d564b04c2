// What functions run in so that they reach nothing but their own: namespaces of their own, made by bubblewrap. Inside they find
// themselves where AWS has them: the code at /var/task, the runtime at /var/runtime, layers at /opt, and a /tmp of the
// size that they may have; the host's programs and libraries (/usr) to be read only, and of /etc what these need. They
// see no processes but their own, are nobody's superuser, and end with the first of them.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/workers/control_groups.h"
#include "net/process.h"

namespace tidemill::engine {

// Where things are inside.
inline constexpr std::string_view kSandboxCode = "/var/task";
inline constexpr std::string_view kSandboxRuntimes = "/var/runtime";
inline constexpr std::string_view kSandboxNodeModules = "/var/node_modules";  // beside the code, where import looks
inline constexpr std::string_view kSandboxTemporary = "/tmp";
// What stands in the environment of a sandbox before the names of those variables that are for inside only: a program that
// loads libraries as these say must not hear of them outside (runtimes/supervisor/).
inline constexpr std::string_view kInsidePrefix = "_INSIDE_";

// What of the host one function sees.
struct SandboxView {
  std::filesystem::path code;
  std::filesystem::path layers;       // empty: none
  std::filesystem::path runtimes;     // our bootstraps, and kSandboxEtc (sandbox_etc.h)
  std::filesystem::path interpreter;  // empty: the package's own
  std::filesystem::path node_modules;  // empty: none
  std::vector<net::Link> var_links = {};  // below /var: "lang/bin/node"
  uint64_t temporary_bytes = 0;
  uint64_t shared_memory_bytes = 0;   // of /dev/shm
};

// What functions reach beside the server.
enum class FunctionNetwork { open, none };

class Sandbox {
 public:
  // Looks for bubblewrap in /usr/bin and the directories of `search_path` ("a:b"), and tries it: the system may forbid
  // what it needs. The error says why there is none. Throws std::system_error if it cannot be tried for want of
  // descriptors or processes.
  static std::expected<Sandbox, std::string> find(std::string_view search_path, FunctionNetwork network);

  explicit Sandbox(std::filesystem::path bubblewrap, FunctionNetwork network = FunctionNetwork::open)
      : bubblewrap_(std::move(bubblewrap)), network_(network) {}

  [[nodiscard]] bool has_network() const { return network_ == FunctionNetwork::open; }

  // Inside, names are looked up at this address first, and then as the host does. Empty, the default: as on the host.
  void ask_for_names(std::string address) { name_server_ = std::move(address); }
  [[nodiscard]] const std::string& name_server() const { return name_server_; }

  // What holds the memory and the CPU of each environment; null, the default: nothing does but the looks of the workers.
  void hold_with(std::shared_ptr<ControlGroups> groups) { groups_ = std::move(groups); }
  [[nodiscard]] ControlGroups* groups() const { return groups_.get(); }

  // What starts a program inside, to which its command line is to be appended (paths as inside).
  [[nodiscard]] std::vector<std::string> command(const SandboxView& view) const;

  // What of the host an interpreter outside /usr needs: its installation, or the program alone, where it lies among other things.
  // Nothing: it lies in /usr.
  static std::optional<std::filesystem::path> home_of(const std::filesystem::path& interpreter);

 private:
  std::filesystem::path bubblewrap_;
  FunctionNetwork network_;
  std::string name_server_;
  std::shared_ptr<ControlGroups> groups_;
};

}  // namespace tidemill::engine
