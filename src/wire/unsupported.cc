#include "wire/unsupported.h"

namespace tidemill::wire {

Error unsupported_parameter(const OperationInfo& operation, std::string_view parameter) {
  std::string message = "Tidemill does not support the parameter ";
  message.append(parameter).append(" of ").append(operation.name);
  if (operation.unsupported_error == "ValidationException") return validation_error(std::move(message));
  Error error(std::string(operation.unsupported_error), 400, std::move(message));
  if (operation.protocol == Protocol::rest_json) error.more_members = "\"Type\":\"User\"";
  return error;
}

}  // namespace tidemill::wire
