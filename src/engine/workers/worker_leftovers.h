// Processes of functions that outlived the server: after it was killed, a handler that was under way goes on, and could act on
// what the restarted server delivers once more. They end before anything new begins.
#pragma once

#include <filesystem>
#include <string_view>

namespace tidemill::engine {

// In the environment of every worker and what it starts: the worker's own directory below the scratch directory.
inline constexpr std::string_view kWorkerVariable = "TIDEMILL_WORKER";

// Kills the processes of an earlier server that used `scratch`. Costs a look at every process of the machine if that
// server was killed, and nothing if it stopped properly. Throws std::filesystem::filesystem_error for want of
// descriptors: nobody knows then what goes on.
void end_leftover_workers(const std::filesystem::path& scratch);

}  // namespace tidemill::engine
