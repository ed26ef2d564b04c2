// The settings that CreateFunction and UpdateFunctionConfiguration have in common: checks beyond the model's constraints,
// and how they come into a function. A setting that would change what happens and is not supported is refused by name.
#pragma once

#include "engine/workers/workers.h"
#include "services/lambda/errors.h"
#include "services/lambda/function.h"

namespace tidemill::lambda {

// Both requests as seen from here.
struct Settings {
  const std::optional<std::string>& runtime;
  const std::optional<std::string>& handler;
  const std::optional<std::string>& description;
  const std::optional<int32_t>& timeout;
  const std::optional<int32_t>& memory_size;
  const std::optional<shapes::Environment>& environment;
  const std::optional<shapes::VpcConfig>& vpc_config;
  const std::optional<shapes::DeadLetterConfig>& dead_letter_config;
  const std::optional<std::string>& kms_key_arn;
  const std::optional<shapes::TracingConfig>& tracing_config;
  const std::optional<shapes::EphemeralStorage>& ephemeral_storage;
  const std::optional<shapes::SnapStart>& snap_start;
  const std::optional<shapes::LoggingConfig>& logging_config;
  const std::optional<std::vector<shapes::FileSystemConfig>>& file_system_configs;
};

template <class Request>
Settings settings_of(const Request& request) {
  return {request.runtime,       request.handler,     request.description, request.timeout,
          request.memory_size,   request.environment, request.vpc_config,  request.dead_letter_config,
          request.kms_key_arn,   request.tracing_config, request.ephemeral_storage,
          request.snap_start,    request.logging_config, request.file_system_configs};
}

// Throws AWS's errors for what cannot be, and by name for what Tidemill does not do; if `is_lenient`, what of that would
// change nothing here is taken.
void check_settings(const Settings& settings, const engine::Workers& workers, bool is_lenient);
// Throws by name for an architecture that this host does not run the function's runtime on.
void check_architecture(const Function& function);

// A line in the server's log for each setting that is only kept and shown.
void warn_of_lenient(const Settings& settings, const std::string& function);

// Takes over what is given; what is not stays as it is. Throws AWS's errors for what does not fit the rest.
void apply_settings(const Settings& settings, Function& function);

}  // namespace tidemill::lambda
