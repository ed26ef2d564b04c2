// The /etc of sandboxes: a copy of what programs and libraries read of the host's, made once. One directory to bind,
// where each file of its own would be a mount more, for which the kernel waits in every start.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tidemill::engine {

// Below the directory of runtimes.
inline constexpr std::string_view kSandboxEtc = "etc-inside";

struct SandboxEtc {
  std::string_view users;        // /etc/passwd
  std::string_view groups;       // /etc/group
  std::string_view name_server;  // that is asked before the host's; empty: names are looked up as on the host
  std::string_view authorities;  // in PEM: whom all programs trust; empty: as on the host
};

// Takes the place of what is there. Throws std::filesystem::filesystem_error.
void make_sandbox_etc(const std::filesystem::path& directory, const SandboxEtc& etc);

}  // namespace tidemill::engine
