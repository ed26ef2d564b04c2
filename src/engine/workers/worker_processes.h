// Which processes a function has: all that is below its supervisor (runtimes/supervisor/).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/process_tree.h"

namespace tidemill::engine {

using base::Look;
using base::processes_below;

// Whether a process below `root` holds the socket whose own end is `peer` ("127.0.0.1:50312"), connected to `port`
// there. Nothing: the system never tells. False if it does not just now, for want of descriptors or memory. With many
// processes and files this takes seconds.
[[nodiscard]] std::optional<bool> is_held_below(pid_t root, std::string_view peer, uint16_t port);

}  // namespace tidemill::engine
