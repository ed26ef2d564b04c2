#include "services/sqs/errors.h"

#include "base/text.h"

namespace tidemill::sqs {

using base::cat;

wire::Error queue_does_not_exist() {
  wire::Error error = errors::queue_does_not_exist("The specified queue does not exist.");
  error.query_message = "The specified queue does not exist for this wsdl version.";
  return error;
}

wire::Error over_limit() {
  return errors::over_limit(
      "Too many messages have been received without being deleted. Please delete your received messages or let them "
      "timeout before receiving more.");
}

wire::Error missing_parameter(std::string_view name) {
  return errors::missing_required_parameter_exception(cat("The request must contain the parameter ", name, "."));
}

wire::Error invalid_parameter(std::string_view value, std::string_view name, std::string_view reason) {
  return errors::invalid_parameter_value_exception(
      cat("Value ", value, " for parameter ", name, " is invalid. Reason: ", reason));
}

wire::Error invalid_attribute(std::string_view name) {
  return errors::invalid_attribute_value(cat("Invalid value for the parameter ", name, "."));
}

wire::Error unknown_attribute(std::string_view name) {
  return errors::invalid_attribute_name(cat("Unknown Attribute ", name, "."));
}

wire::Error not_supported(std::string_view what) {
  return errors::unsupported_operation(cat("Tidemill does not support ", what));
}

const std::string& required(const std::optional<std::string>& member, std::string_view name) {
  if (!member || member->empty()) throw missing_parameter(name);
  return *member;
}

wire::sqs::BatchResultErrorEntry failed_entry(const std::string& id, const wire::Error& error) {
  return {.id = id,
          .sender_fault = error.http_status < 500,
          .code = error.query_code.empty() ? error.code : error.query_code,
          .message = error.message};
}

}  // namespace tidemill::sqs
