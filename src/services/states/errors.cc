#include "services/states/errors.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::states {
namespace {

using base::cat;

// API reference, "Name": what names must not have.
constexpr std::string_view kForbidden = " \t\r\n<>{}[]?*\"#%\\^|~`$&,;:/";

}  // namespace

wire::Error invalid_arn(std::string_view arn) {
  return errors::invalid_arn(cat("Invalid Arn: 'Invalid ARN prefix: ", arn, "'"));
}
wire::Error invalid_name(std::string_view name) { return errors::invalid_name(cat("Invalid Name: '", name, "'")); }
wire::Error no_machine(std::string_view arn) {
  return errors::state_machine_does_not_exist(cat("State Machine Does Not Exist: '", arn, "'"));
}
wire::Error no_execution(std::string_view arn) {
  return errors::execution_does_not_exist(cat("Execution Does Not Exist: '", arn, "'"));
}
wire::Error no_activity(std::string_view arn) {
  return errors::activity_does_not_exist(cat("Activity Does Not Exist: '", arn, "'"));
}
wire::Error wrong_type() {
  return errors::state_machine_type_not_supported("This operation is not supported by this type of state machine");
}

void check_name(std::string_view name) {
  const bool is_bad = std::ranges::any_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f || kForbidden.contains(c);
  });
  if (is_bad) throw invalid_name(name);
}

wire::Error not_supported(std::string_view what) {
  return errors::validation_exception(cat("Tidemill does not support ", what, "."));
}

}  // namespace tidemill::states
