// What a function's process is started with: its command line and its environment, as AWS documents them for runtimes
// ("Defined runtime environment variables").
#pragma once

#include <optional>
#include <string>

#include "engine/workers/function_keys.h"
#include "engine/workers/sandbox.h"
#include "engine/workers/worker_runtimes.h"
#include "engine/workers/workers.h"
#include "net/process.h"

namespace tidemill::engine {

struct WorkerPlace {
  uint16_t port = 0;               // of its runtime API
  std::filesystem::path temporary;  // its own TMPDIR
  std::string log_stream;          // "2026/11/21/[$LATEST]0123456789abcdef0123456789abcdef"
  std::string endpoint;            // AWS_ENDPOINT_URL
  bool is_provisioned = false;     // started before anybody calls
  std::optional<base::Time> time;  // that it is to see; nothing: the machine's
  const Sandbox* sandbox = nullptr;  // null: it runs as the server does
  std::optional<FunctionCredentials> credentials = {};  // nothing: those that a server which checks none takes
};

// AWS's name for why a process was started.
[[nodiscard]] std::string_view initialization_type(bool is_provisioned);

// The program that is started: an interpreter, or the package's own.
[[nodiscard]] std::string command_of(const FunctionSpec& spec, const Launch& launch);

// The program that is started in its place with its command line as arguments (AWS_LAMBDA_EXEC_WRAPPER), which is to become
// it; empty: none. Only interpreters are wrapped, as on AWS.
[[nodiscard]] std::string wrapper_of(const FunctionSpec& spec, const Launch& launch);

[[nodiscard]] net::ProcessSpec worker_process(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place);

}  // namespace tidemill::engine
