// Which processes a function has, from /proc: all that is below its supervisor (runtimes/supervisor/).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemill::engine {

// More are not looked at.
inline constexpr size_t kProcessesPerWorkerMax = 1024;

// quick: the children of each process's first thread, which starts the processes of most programs.
enum class Look { quick, whole };

// Those below `root`, without itself; those that are gone meanwhile among them.
[[nodiscard]] std::vector<pid_t> processes_below(pid_t root, Look look);

// Whether a process below `root` holds the socket whose own end is `peer` ("127.0.0.1:50312"), connected to `port`
// there. Nothing: the system does not tell.
[[nodiscard]] std::optional<bool> is_held_below(pid_t root, std::string_view peer, uint16_t port);

}  // namespace tidemill::engine
