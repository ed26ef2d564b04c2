// What a function's process is started with: its command line and its environment, as AWS documents them for runtimes
// ("Defined runtime environment variables").
#pragma once

#include <string>

#include "engine/workers/worker_runtimes.h"
#include "engine/workers/workers.h"
#include "net/process.h"

namespace tidemill::engine {

struct WorkerPlace {
  uint16_t port = 0;               // of its runtime API
  std::filesystem::path temporary;  // its own TMPDIR
  std::string log_stream;          // "2026/11/21/[$LATEST]0123456789abcdef0123456789abcdef"
  std::string endpoint;            // AWS_ENDPOINT_URL
};

// The program that is started: an interpreter, or the package's own.
[[nodiscard]] std::string command_of(const FunctionSpec& spec, const Launch& launch);

[[nodiscard]] net::ProcessSpec worker_process(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place);

}  // namespace tidemill::engine
