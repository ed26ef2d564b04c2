// The processes below one, from /proc: its children, theirs, and so on.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace tidemill::base {

// More are not looked at.
inline constexpr size_t kProcessesBelowMax = 1024;

// quick: the children of each process's first thread, which starts the processes of most programs.
enum class Look { quick, whole };

// Those below `root`, without itself; those that have just ended among them. Looks no further once it has found more
// than `most`, and leaves out whom it cannot find for want of descriptors.
[[nodiscard]] std::vector<pid_t> processes_below(pid_t root, Look look, size_t most = kProcessesBelowMax);

// Kills (SIGKILL) all below `root` and then `root` itself, whatever state it is in; it takes in who loses its parent
// (PR_SET_CHILD_SUBREAPER). Needs no descriptors of this process. Gives up on what starts processes quicker than they
// can be killed.
void kill_with_all_below(pid_t root);

}  // namespace tidemill::base
