#include "services/events/errors.h"

#include "base/text.h"
#include "wire/role_arn.h"

namespace tidemill::events {

using base::cat;

wire::Error invalid(std::string message) { return errors::validation_exception(std::move(message)); }

wire::Error invalid_parameter(std::string_view name, std::string_view reason) {
  return invalid(cat("Parameter ", name, " is not valid. Reason: ", reason));
}

void check_role(std::string_view arn) {
  if (!wire::is_role_arn(arn)) throw invalid_parameter(arn, "Provided Arn is not in correct format.");
}

wire::Error bus_does_not_exist(const BusAddress& bus) {
  return errors::resource_not_found_exception(cat("Event bus ", bus.name, " does not exist."));
}

wire::Error rule_does_not_exist(const RuleAddress& rule) {
  return errors::resource_not_found_exception(
      cat("Rule ", rule.name, " does not exist on EventBus ", rule.bus.name, "."));
}

wire::Error invalid_pattern(std::string_view reason) {
  return errors::invalid_event_pattern_exception(cat("Event pattern is not valid. Reason: ", reason));
}

wire::Error limit_exceeded() {
  return errors::limit_exceeded_exception("The requested resource exceeds the maximum number allowed.");
}

wire::Error not_supported(std::string_view what) { return invalid(cat("Tidemill does not support ", what)); }

}  // namespace tidemill::events
