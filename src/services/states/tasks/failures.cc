#include "services/states/tasks/failures.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "store/store.h"

namespace tidemill::states::tasks {
namespace {

using base::cat;

constexpr std::string_view kException = "Exception";

// Codes without a class in SDKs: of the protocol, and of services' constraints.
constexpr auto kWithoutClass = std::to_array<std::string_view>(
    {"AccessDenied", "AccessDeniedException", "AuthorizationError", "IncompleteSignature", "InternalFailure",
     "InvalidAction", "InvalidParameterCombination", "MissingParameter", "SerializationException", "ServiceUnavailable",
     "UnknownOperationException", "UnrecognizedClientException", "ValidationError"});
// Those services that have a class for ValidationException.
constexpr auto kValidating =
    std::to_array<std::string_view>({"healthlake", "kinesis", "logs", "pipes", "scheduler", "sns", "states"});
// Services that have no class for AccessDeniedException are the rule; these do.
constexpr auto kDenying = std::to_array<std::string_view>({"healthlake", "kinesis", "logs", "secretsmanager"});
// SQS has classes for its own errors only.
constexpr auto kNotOfSqs =
    std::to_array<std::string_view>({"InvalidParameterValueException", "MissingRequiredParameterException"});
// S3 has classes for few of its codes.
constexpr auto kOfS3 = std::to_array<std::string_view>(
    {"BucketAlreadyExists", "BucketAlreadyOwnedByYou", "EncryptionTypeMismatch", "IdempotencyParameterMismatch",
     "InvalidObjectState", "InvalidRequest", "InvalidWriteOffset", "NoSuchBucket", "NoSuchKey", "NoSuchUpload",
     "NotFound", "ObjectAlreadyInActiveTierError", "ObjectNotInActiveTierError", "TooManyParts"});

bool is_one_of(const auto& list, std::string_view word) { return std::ranges::find(list, word) != list.end(); }

bool has_class(std::string_view service, std::string_view code) {
  if (service == "s3") return is_one_of(kOfS3, code);
  if (service == "sqs" && is_one_of(kNotOfSqs, code)) return false;
  if (code == "ValidationException") return is_one_of(kValidating, service);
  if (code == "AccessDeniedException" && is_one_of(kDenying, service)) return true;
  return !is_one_of(kWithoutClass, code);
}

std::string class_of(std::string_view code) {
  return code.ends_with(kException) ? std::string(code) : cat(code, kException);
}

Failed optimised_failure(const ServiceNames& names, const wire::Error& error, std::string_view request_id) {
  const std::string_view code = error.query_code.empty() ? error.code : error.query_code;
  const std::string name =
      has_class(names.service, error.code) ? class_of(error.code) : std::string(names.old_exception);
  return {cat(names.old_prefix, ".", name),
          cat(error.message, " (Service: ", names.old_service, "; Status Code: ", error.http_status,
              "; Error Code: ", code, "; Request ID: ", request_id, "; Proxy: null)")};
}

Failed sdk_failure(const ServiceNames& names, const wire::Error& error, std::string_view request_id) {
  const std::string name = has_class(names.service, error.code) ? class_of(error.code) : cat(names.prefix, kException);
  const std::string more = names.service == "s3" ? cat(", Extended Request ID: ", request_id) : "";
  return {cat(names.prefix, ".", name),
          cat(error.message, " (Service: ", names.prefix, ", Status Code: ", error.http_status,
              ", Request ID: ", request_id, more, ") (SDK Attempt Count: 1)")};
}

}  // namespace

Failed failure_of(const Target& target, const wire::Error& error, std::string_view request_id) {
  const ServiceNames* names = names_of(target.service);
  return target.kind == TargetKind::sdk ? sdk_failure(*names, error, request_id)
                                        : optimised_failure(*names, error, request_id);
}

Failed failure_of(const wire::Registry& registry, const Target& target, const std::exception& error,
                  std::string_view request_id) {
  const auto* operation = registry.find(target.service, target.operation);
  constexpr int kInternal = 500;
  constexpr int kThrottled = 400;
  const bool is_throttled = dynamic_cast<const store::Overloaded*>(&error) != nullptr;
  const std::string_view code = is_throttled ? operation->info.throttling_error : operation->info.internal_error;
  // What a defect was stands in the log, not in what users keep.
  std::string message = is_throttled ? std::string(error.what()) : "The service could not carry out the call.";
  return failure_of(target, wire::Error(std::string(code), is_throttled ? kThrottled : kInternal, std::move(message)),
                    request_id);
}

Failed runtime_failure(std::string cause) { return {"States.Runtime", std::move(cause)}; }

Failed role_refused(std::string_view machine_role, std::string_view role, std::string_view reason) {
  return {"States.TaskFailed", cat("The role ", machine_role, " is not authorized to assume the task state's role, ",
                                   role, ". AccessDenied: ", reason)};
}

Failed too_large(const Resource& resource) {
  return {"States.DataLimitExceeded",
          cat("The state/task '", resource.arn,
              "' returned a result with a size exceeding the maximum number of bytes service limit.")};
}

}  // namespace tidemill::states::tasks
