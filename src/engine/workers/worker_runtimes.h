// Which runtimes this host can run, and how a worker of one is started: the interpreters found on the host and our
// bootstraps for them, or the function's own `bootstrap`.
#pragma once

#include <expected>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/workers/worker_interpreters.h"

namespace tidemill::engine {

// Beside the supervisor: authorities of the server's own, and these with the system's.
inline constexpr std::string_view kAuthority = "etc/authority.pem";
inline constexpr std::string_view kAuthorities = "etc/authorities.pem";
inline constexpr std::string_view kJavaAuthorities = "etc/authorities.jks";

// What to execute for a worker: `interpreter` empty means the package's own bootstrap.
struct Launch {
  RuntimeName name;
  std::optional<Interpreter> interpreter;
  std::filesystem::path bootstrap;
  std::filesystem::path supervisor;
  std::filesystem::path node_modules;  // the AWS SDK for JavaScript; empty: it is not there
  bool has_authorities = false;  // kAuthority and kAuthorities stand beside the supervisor
  bool has_java_authorities = false;  // and kJavaAuthorities
  bool may_mount = false;  // the function's layers at /opt (HostRuntimes::may_mount)
};

// Any thread, once installed.
class HostRuntimes {
 public:
  // Interpreters are looked for when first asked for (find_interpreters). Strict refuses a version that the host lacks,
  // and needs to know which there are. What cannot be found out for want of descriptors or processes throws
  // std::system_error, and is looked for anew by who asks next.
  HostRuntimes(std::string_view search_path, bool strict) : search_path_(search_path), strict_(strict) {}

  // Writes our bootstraps and the supervisor below `directory`, where launches then find them. Throws
  // std::filesystem::filesystem_error.
  void install(const std::filesystem::path& directory);
  // Those of servers that functions are to trust, in PEM, beside the system's; once install() has run. Throws the same.
  void trust(std::string_view authorities);
  // Makes the /etc of sandboxes, in which names are looked up at this address first; empty: as on the host. Once trust() has
  // run. Throws the same.
  void furnish_sandboxes(std::string_view name_server);

  // How to run `runtime`, or why not, with the list of what is there.
  [[nodiscard]] std::expected<Launch, std::string> resolve(std::string_view runtime) const;

  [[nodiscard]] const std::vector<Interpreter>& interpreters() const;

  // Lets what stands in a directory beside `code` import the AWS SDK as if it were its own: a link "node_modules", which is
  // where import looks after the package itself. Throws std::filesystem::filesystem_error.
  static void link_node_modules(const Launch& launch, const std::filesystem::path& code);

  // Whether this process may give others a /opt of their own. Starts a process when first asked.
  [[nodiscard]] bool may_mount() const;

 private:
  [[nodiscard]] std::string list() const;
  [[nodiscard]] const Interpreter* choose(const RuntimeName& name) const;

  const std::string search_path_;
  const bool strict_;
  std::filesystem::path directory_;
  bool has_authorities_ = false;
  bool has_java_authorities_ = false;
  mutable std::mutex mutex_;  // of what is found out once
  mutable std::optional<bool> may_mount_;
  mutable std::optional<std::vector<Interpreter>> interpreters_;
};

}  // namespace tidemill::engine
