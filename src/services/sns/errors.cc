#include "services/sns/errors.h"

#include "base/text.h"

namespace tidemill::sns {

using base::cat;

wire::Error invalid_parameter(std::string_view what) {
  return errors::invalid_parameter_exception(cat("Invalid parameter: ", what));
}
wire::Error invalid_attribute(std::string_view what) { return invalid_parameter(cat("Attributes Reason: ", what)); }
wire::Error topic_does_not_exist() { return errors::not_found_exception("Topic does not exist"); }
wire::Error subscription_does_not_exist() { return errors::not_found_exception("Subscription does not exist"); }
wire::Error not_supported(std::string_view what) {
  return invalid_parameter(cat("Tidemill does not support ", what));
}

}  // namespace tidemill::sns
