#include "services/lambda/settings.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "engine/workers/worker_leftovers.h"
#include "wire/arn.h"

namespace tidemill::lambda {
namespace {

using base::cat;

// AWS's limit of all names and values together.
constexpr size_t kEnvironmentBytesMax = 4096;

// What a function may not set, because the platform does.
constexpr std::array<std::string_view, 21> kReservedVariables = {
    engine::kWorkerVariable,
    "_HANDLER", "_X_AMZN_TRACE_ID", "AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_EXECUTION_ENV",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_LAMBDA_RUNTIME_API",
    "AWS_REGION", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SECURITY_TOKEN", "AWS_SESSION_TOKEN",
    "LAMBDA_RUNTIME_DIR", "LAMBDA_TASK_ROOT"};

void check_environment(const std::map<std::string, std::string>& variables) {
  std::string reserved;
  size_t bytes = 0;
  for (const auto& [name, value] : variables) {
    bytes += name.size() + value.size();
    if (value.find('\0') != std::string::npos) {
      throw errors::invalid_parameter_value_exception(cat("The value of the environment variable ", name, " has a NUL"));
    }
    if (std::ranges::find(kReservedVariables, name) == kReservedVariables.end()) continue;
    if (!reserved.empty()) reserved += ", ";
    reserved += name;
  }
  if (!reserved.empty()) {
    throw errors::invalid_parameter_value_exception(
        cat("Lambda was unable to configure your environment variables because the environment variables you have provided "
            "contains reserved keys that are currently not supported for modification. Reserved keys used in this request: ",
            reserved));
  }
  if (bytes > kEnvironmentBytesMax) {
    throw errors::invalid_parameter_value_exception(
        "Lambda was unable to configure your environment variables because the environment variables you have provided "
        "exceeded the 4KB limit.");
  }
}

void check_runtime(const std::string& runtime, const engine::Workers& workers) {
  if (const auto reason = workers.unsupported_reason(runtime)) {
    throw errors::invalid_parameter_value_exception(
        cat("Value ", runtime, " at 'runtime' failed to satisfy constraint: ", *reason));
  }
}

void check_logging(const shapes::LoggingConfig& logging) {
  if (logging.log_format && *logging.log_format != shapes::LogFormat::kText) {
    throw not_supported("LoggingConfig.LogFormat JSON");
  }
  if (logging.application_log_level) throw not_supported("LoggingConfig.ApplicationLogLevel");
  if (logging.system_log_level) throw not_supported("LoggingConfig.SystemLogLevel");
}

// A standard queue or topic; empty: none.
void check_dead_letter_target(const std::string& arn) {
  const bool is_known = arn.empty() || wire::parse_arn_of("sqs", arn) || wire::parse_arn_of("sns", arn);
  if (is_known && !arn.ends_with(".fifo")) return;
  throw errors::invalid_parameter_value_exception(
      cat("The provided DeadLetterConfig target ", arn, " is not the ARN of a standard queue or topic"));
}

bool any(const std::optional<std::vector<std::string>>& list) { return list && !list->empty(); }
bool any(const std::optional<std::string>& text) { return text && !text->empty(); }

}  // namespace

void check_settings(const Settings& settings, const engine::Workers& workers) {
  if (settings.runtime) check_runtime(*settings.runtime, workers);
  if (settings.environment && settings.environment->variables) check_environment(*settings.environment->variables);
  if (settings.vpc_config &&
      (any(settings.vpc_config->subnet_ids) || any(settings.vpc_config->security_group_ids))) {
    throw not_supported("VpcConfig");
  }
  if (settings.dead_letter_config) check_dead_letter_target(settings.dead_letter_config->target_arn.value_or(""));
  if (any(settings.kms_key_arn)) throw not_supported("KMSKeyArn");
  if (settings.tracing_config && settings.tracing_config->mode == shapes::TracingMode::kActive) {
    throw not_supported("TracingConfig.Mode Active");
  }
  if (any(settings.layers)) throw not_supported("Layers");
  if (settings.ephemeral_storage && settings.ephemeral_storage->size != kEphemeralStorageMb) {
    throw not_supported(cat("EphemeralStorage.Size ", settings.ephemeral_storage->size));
  }
  if (settings.snap_start && settings.snap_start->apply_on == shapes::SnapStartApplyOn::kPublishedVersions) {
    throw not_supported("SnapStart.ApplyOn PublishedVersions");
  }
  if (settings.logging_config) check_logging(*settings.logging_config);
}

void check_architectures(const std::optional<std::vector<std::string>>& architectures) {
  if (!architectures) return;
#if defined(__aarch64__)
  constexpr std::string_view kHost = shapes::Architecture::kArm64;
#else
  constexpr std::string_view kHost = shapes::Architecture::kX86_64;
#endif
  for (const std::string& architecture : *architectures) {
    if (architecture != kHost) throw not_supported(cat("Architectures ", architecture, " on this host (", kHost, ")"));
  }
}

void apply_settings(const Settings& settings, Function& function) {
  if (settings.runtime) function.runtime = *settings.runtime;
  if (settings.handler) function.handler = *settings.handler;
  if (settings.description) function.description = *settings.description;
  if (settings.timeout) function.timeout_seconds = *settings.timeout;
  if (settings.memory_size) function.memory_mb = *settings.memory_size;
  if (settings.dead_letter_config) function.dead_letter_target = settings.dead_letter_config->target_arn.value_or("");
  if (settings.environment) {
    function.environment = settings.environment->variables.value_or(std::map<std::string, std::string>{});
  }
  if (settings.logging_config && settings.logging_config->log_group) {
    function.log_group = *settings.logging_config->log_group;
  }
}

}  // namespace tidemill::lambda
