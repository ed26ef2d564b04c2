#include "services/cloudwatch/errors.h"

#include <utility>

#include "base/text.h"

namespace tidemill::cloudwatch {

using base::cat;

wire::Error invalid_value(std::string_view parameter, std::string_view value) {
  return errors::invalid_parameter_value_exception(
      cat("The value ", value, " for parameter ", parameter, " is invalid."));
}

wire::Error does_not_fit(std::string message) { return {"ValidationError", 400, std::move(message)}; }

wire::Error collection_too_large(std::string_view parameter, size_t size_max) {
  return errors::invalid_parameter_value_exception(
      cat("The collection ", parameter, " must not have a size greater than ", size_max, "."));
}

wire::Error name_is_taken(std::string_view name, std::string_view kind) {
  return does_not_fit(cat("The alarm name ", name, " is already used by a ", kind, " alarm."));
}

wire::Error invalid_next_token() { return errors::invalid_next_token("The specified nextToken is invalid."); }

wire::Error not_supported(std::string_view what) {
  return errors::invalid_parameter_value_exception(cat("Tidemill does not support ", what));
}

}  // namespace tidemill::cloudwatch
