#include "services/lambda/errors.h"

#include "base/text.h"

namespace tidemill::lambda {

wire::Error function_not_found(std::string_view arn) {
  return errors::resource_not_found_exception(base::cat("Function not found: ", arn));
}

wire::Error not_supported(std::string_view what) {
  return errors::invalid_parameter_value_exception(base::cat("Tidemill does not support ", what, " (docs/lambda.md)"));
}

}  // namespace tidemill::lambda
