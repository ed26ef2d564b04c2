#include "services/logs/errors.h"

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

}  // namespace tidemill::logs
