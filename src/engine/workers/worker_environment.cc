#include "engine/workers/worker_environment.h"

#include "base/text.h"
#include "engine/workers/worker_leftovers.h"

namespace tidemill::engine {
namespace {

// AWS gives 1,024.
constexpr uint64_t kOpenFilesMax = 1024;

std::map<std::string, std::string> environment(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place) {
  const std::string root = spec.code.string();
  // What a function may choose itself.
  std::map<std::string, std::string> result{
      {"LANG", "en_US.UTF-8"},
      {"TZ", ":UTC"},
      {"PATH", "/usr/local/bin:/usr/bin:/bin:/opt/bin"},
      {"LD_LIBRARY_PATH", root + ":" + root + "/lib"},
      {"NODE_PATH", root + "/node_modules"},
      {"TMPDIR", place.temporary.string()},
      {"HOME", place.temporary.string()},
      {"AWS_ENDPOINT_URL", place.endpoint},
  };
  for (const auto& [name, value] : spec.environment) result[name] = value;

  // What it may not (services/lambda refuses these names).
  result[std::string(kWorkerVariable)] = place.temporary.string();
  result["_HANDLER"] = spec.handler;
  result["LAMBDA_TASK_ROOT"] = root;
  result["LAMBDA_RUNTIME_DIR"] = launch.interpreter ? launch.bootstrap.parent_path().string() : root;
  result["AWS_LAMBDA_RUNTIME_API"] = base::cat("127.0.0.1:", place.port);
  result["AWS_LAMBDA_FUNCTION_NAME"] = spec.name;
  result["AWS_LAMBDA_FUNCTION_VERSION"] = spec.version;
  result["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] = std::to_string(spec.memory_mb);
  result["AWS_LAMBDA_LOG_GROUP_NAME"] = spec.log_group;
  result["AWS_LAMBDA_LOG_STREAM_NAME"] = place.log_stream;
  result["AWS_LAMBDA_INITIALIZATION_TYPE"] = "on-demand";
  result["AWS_REGION"] = spec.region;
  result["AWS_DEFAULT_REGION"] = spec.region;
  // An access key id of 12 digits is the account that a call belongs to.
  result["AWS_ACCESS_KEY_ID"] = spec.account;
  result["AWS_SECRET_ACCESS_KEY"] = "tidemill";
  result["AWS_SESSION_TOKEN"] = "tidemill";
  if (launch.interpreter) result["AWS_EXECUTION_ENV"] = "AWS_Lambda_" + spec.runtime;
  return result;
}

std::vector<std::string> command(const FunctionSpec& spec, const Launch& launch) {
  std::vector<std::string> result{command_of(spec, launch)};
  if (!launch.interpreter) return result;
  if (launch.name.language == Language::nodejs) {
    // The heap stays below the function's memory, as on AWS, so that node collects before it is killed.
    result.push_back(base::cat("--max-old-space-size=", spec.memory_mb * 9 / 10));
  }
  result.push_back(launch.bootstrap.string());
  return result;
}

}  // namespace

std::string command_of(const FunctionSpec& spec, const Launch& launch) {
  return launch.interpreter ? launch.interpreter->path.string() : (spec.code / "bootstrap").string();
}

net::ProcessSpec worker_process(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place) {
  net::ProcessSpec process;
  process.argv = command(spec, launch);
  for (const auto& [name, value] : environment(spec, launch, place)) process.environment.push_back(name + "=" + value);
  process.working_directory = spec.code.string();
  process.open_files_max = kOpenFilesMax;
  process.supervisor = launch.supervisor.string();
  return process;
}

}  // namespace tidemill::engine
