#include "services/lambda/settings.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/workers/worker_leftovers.h"
#include "wire/arn.h"

namespace tidemill::lambda {
namespace {

using base::cat;

// AWS's limit of all names and values as one JSON object.
constexpr size_t kEnvironmentBytesMax = 4096;

// What a function may not set, because the platform does.
constexpr std::array<std::string_view, 25> kReservedVariables = {
    engine::kWorkerVariable, "_TIDEMILL_TIME_US", "_TIDEMILL_OPT", "_TIDEMILL_NODE_MODULES", "_TIDEMILL_ENDPOINT",
    "_HANDLER", "_X_AMZN_TRACE_ID", "AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_EXECUTION_ENV",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_LAMBDA_RUNTIME_API",
    "AWS_REGION", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SECURITY_TOKEN", "AWS_SESSION_TOKEN",
    "LAMBDA_RUNTIME_DIR", "LAMBDA_TASK_ROOT"};

void check_environment(const std::map<std::string, std::string>& variables) {
  std::string reserved;
  for (const auto& [name, value] : variables) {
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
  json::Object object;
  for (const auto& [name, value] : variables) object.set(name, value);
  const std::string measured = json::write(object);
  if (measured.size() > kEnvironmentBytesMax) {
    throw errors::invalid_parameter_value_exception(
        cat("Lambda was unable to configure your environment variables because the environment variables you have provided "
            "exceeded the 4KB limit. String measured: ",
            measured));
  }
}

// AWS's enumeration Runtime, those among them of which it makes no functions any more.
constexpr std::array<std::string_view, 51> kRuntimes = {
    "nodejs", "nodejs4.3", "nodejs6.10", "nodejs8.10", "nodejs10.x", "nodejs12.x", "nodejs14.x", "nodejs16.x",
    "nodejs18.x", "nodejs20.x", "nodejs22.x", "nodejs24.x", "java8", "java8.al2", "java11", "java17", "java21",
    "java25", "python2.7", "python3.6", "python3.7", "python3.8", "python3.9", "python3.10", "python3.11",
    "python3.12", "python3.13", "python3.14", "dotnetcore1.0", "dotnetcore2.0", "dotnetcore2.1",
    "dotnetcore3.1", "dotnet6", "dotnet8", "dotnet10", "nodejs4.3-edge", "go1.x", "ruby2.5", "ruby2.7",
    "ruby3.2", "ruby3.3", "ruby3.4", "ruby4.0", "provided", "provided.al2", "provided.al2023", "nodejs26.x",
    "python3.15", "java8.al2023", "java11.al2023", "java17.al2023"};

std::string runtimes() {
  std::string list;
  for (const std::string_view runtime : kRuntimes) list += cat(list.empty() ? "" : ", ", runtime);
  return list;
}

// As AWS does, which knows it before it looks for anything else; and then whether this host has what it takes.
void check_runtime(const std::string& runtime, const engine::Workers& workers) {
  if (std::ranges::find(kRuntimes, runtime) == kRuntimes.end()) {
    throw errors::invalid_parameter_value_exception(
        cat("Value ", runtime, " at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: [",
            runtimes(), "] or be a valid ARN"));
  }
  if (const auto reason = workers.unsupported_reason(runtime)) {
    throw errors::invalid_parameter_value_exception(
        cat("Value ", runtime, " at 'runtime' failed to satisfy constraint: ", *reason));
  }
}

// A standard queue or topic; empty: none.
void check_dead_letter_target(const std::string& arn) {
  const bool is_known = arn.empty() || wire::parse_arn_of("sqs", arn) || wire::parse_arn_of("sns", arn);
  if (is_known && !arn.ends_with(".fifo")) return;
  throw errors::invalid_parameter_value_exception(
      cat("The provided DeadLetterConfig target ", arn, " is not the ARN of a standard queue or topic"));
}

// Text has no levels: whoever goes back to it drops them.
void apply_logging(const shapes::LoggingConfig& logging, Function& function) {
  if (logging.log_group) function.log_group = *logging.log_group;
  if (logging.log_format) {
    const bool is_json = *logging.log_format == shapes::LogFormat::kJson;
    if (is_json != function.logging.is_json) function.logging = {.is_json = is_json};
  }
  if (!function.logging.is_json && (logging.application_log_level || logging.system_log_level)) {
    throw errors::invalid_parameter_value_exception(
        "ApplicationLogLevel and SystemLogLevel can be set only if LogFormat is JSON");
  }
  if (logging.application_log_level) function.logging.application_level = *logging.application_log_level;
  if (logging.system_log_level) function.logging.system_level = *logging.system_log_level;
}

bool any(const std::optional<std::vector<std::string>>& list) { return list && !list->empty(); }
bool any(const std::optional<std::string>& text) { return text && !text->empty(); }

// Settings that change nothing here, by name, as far as they ask for something.
std::vector<std::string> without_effect(const Settings& settings) {
  std::vector<std::string> names;
  if (settings.vpc_config && (any(settings.vpc_config->subnet_ids) || any(settings.vpc_config->security_group_ids))) {
    names.emplace_back("VpcConfig");
  }
  if (any(settings.kms_key_arn)) names.emplace_back("KMSKeyArn");
  if (settings.tracing_config && settings.tracing_config->mode == shapes::TracingMode::kActive) {
    names.emplace_back("TracingConfig.Mode Active");
  }
  if (settings.snap_start && settings.snap_start->apply_on == shapes::SnapStartApplyOn::kPublishedVersions) {
    names.emplace_back("SnapStart.ApplyOn PublishedVersions");
  }
  if (settings.file_system_configs && !settings.file_system_configs->empty()) names.emplace_back("FileSystemConfigs");
  return names;
}

void apply_lenient(const Settings& settings, Function& function) {
  LenientSettings kept = function.lenient.value_or(LenientSettings{});
  if (const auto& vpc = settings.vpc_config) {
    if (any(vpc->subnet_ids) || any(vpc->security_group_ids)) kept.vpc_config = vpc;
    else kept.vpc_config.reset();
  }
  if (settings.kms_key_arn) kept.kms_key_arn = *settings.kms_key_arn;
  if (settings.tracing_config) kept.traces = settings.tracing_config->mode == shapes::TracingMode::kActive;
  if (settings.snap_start) {
    kept.has_snap_start = settings.snap_start->apply_on == shapes::SnapStartApplyOn::kPublishedVersions;
  }
  if (settings.file_system_configs) kept.file_systems = *settings.file_system_configs;
  function.lenient = kept.any() ? std::optional(std::move(kept)) : std::nullopt;
}

}  // namespace

void warn_of_lenient(const Settings& settings, const std::string& function) {
  for (const std::string& name : without_effect(settings)) {
    base::log_warning("setting_without_effect", {{"function", function}, {"setting", name}});
  }
}

void check_settings(const Settings& settings, const engine::Workers& workers, bool is_lenient) {
  if (settings.runtime) check_runtime(*settings.runtime, workers);
  if (settings.environment && settings.environment->variables) check_environment(*settings.environment->variables);
  if (settings.dead_letter_config) check_dead_letter_target(settings.dead_letter_config->target_arn.value_or(""));
  if (is_lenient) return;
  for (const std::string& name : without_effect(settings)) {
    throw errors::invalid_parameter_value_exception(
        cat("Tidemill does not support ", name, ", which has no effect here; started with --lenient "
            "(TIDEMILL_LENIENT=1) it keeps and shows it (docs/lambda.md)"));
  }
}

// Where the code is interpreted it runs on any machine; packages with machine code of another say so when they are loaded.
void check_architecture(const Function& function) {
  const std::string architecture = function.effective_architecture();
  if (architecture == host_architecture() || !function.runtime.starts_with("provided")) return;
  throw not_supported(cat("Architectures ", architecture, " with the runtime ", function.runtime, " on this host (",
                          host_architecture(), ")"));
}

void apply_settings(const Settings& settings, Function& function) {
  if (settings.runtime) function.runtime = *settings.runtime;
  if (settings.handler) function.handler = *settings.handler;
  if (settings.description) function.description = *settings.description;
  if (settings.timeout) function.timeout_seconds = *settings.timeout;
  if (settings.memory_size) function.memory_mb = *settings.memory_size;
  if (settings.dead_letter_config) function.dead_letter_target = settings.dead_letter_config->target_arn.value_or("");
  // An Environment that says no Variables changes none.
  if (settings.environment && settings.environment->variables) function.environment = *settings.environment->variables;
  if (settings.logging_config) apply_logging(*settings.logging_config, function);
  if (settings.ephemeral_storage) function.ephemeral_storage_mb = settings.ephemeral_storage->size;
  apply_lenient(settings, function);
}

}  // namespace tidemill::lambda
