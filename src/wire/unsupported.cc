#include "wire/unsupported.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kSuffix = "Exception";  // which Query clients do not see

Error refusal(const OperationInfo& operation, std::string message) {
  if (operation.unsupported_error == "ValidationException") return validation_error(std::move(message));
  const bool is_not_implemented = operation.unsupported_error == "NotImplemented";  // S3's
  Error error(std::string(operation.unsupported_error), is_not_implemented ? 501 : 400, std::move(message));
  if (error.code.ends_with(kSuffix)) error.query_code = error.code.substr(0, error.code.size() - kSuffix.size());
  if (operation.protocol == Protocol::rest_json) error.more_members = "\"Type\":\"User\"";
  return error;
}

}  // namespace

Error unsupported_parameter(const OperationInfo& operation, std::string_view parameter) {
  std::string message = "Tidemill does not support the parameter ";
  message.append(parameter).append(" of ").append(operation.name);
  return refusal(operation, std::move(message));
}

Error unsupported_operation(const OperationInfo& operation) {
  std::string message = "Tidemill does not support the operation ";
  message.append(operation.name).append(": ").append(operation.unsupported_reason);
  return refusal(operation, std::move(message));
}

}  // namespace tidemill::wire
