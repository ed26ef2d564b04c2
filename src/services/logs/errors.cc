#include "services/logs/errors.h"

#include "wire/role_arn.h"

namespace tidemill::logs {

wire::Error group_not_found() {
  return errors::resource_not_found_exception("The specified log group does not exist.");
}

wire::Error stream_not_found() {
  return errors::resource_not_found_exception("The specified log stream does not exist.");
}

wire::Error invalid_next_token() {
  return errors::invalid_parameter_exception("The specified nextToken is invalid.");
}

// What AWS says is not known: in the way of what it says of a destination.
void check_role(std::string_view arn) {
  if (!wire::is_role_arn(arn)) throw errors::invalid_parameter_exception("Invalid roleArn specified");
}

}  // namespace tidemill::logs
