// Refusals that several operations share, with AWS's words.
#pragma once

#include <string>
#include <string_view>

#include "services/events/address.h"
#include "wire/error.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

namespace errors = wire::events::errors;

[[nodiscard]] wire::Error invalid(std::string message);
// "Parameter <name> is not valid. Reason: <reason>"
[[nodiscard]] wire::Error invalid_parameter(std::string_view name, std::string_view reason);
// Throws ValidationException.
void check_role(std::string_view arn);
[[nodiscard]] wire::Error bus_does_not_exist(const BusAddress& bus);
[[nodiscard]] wire::Error rule_does_not_exist(const RuleAddress& rule);
// `reason` in the words of the language (lang/patterns).
[[nodiscard]] wire::Error invalid_pattern(std::string_view reason);
[[nodiscard]] wire::Error limit_exceeded();
// A value or combination that AWS has and Tidemill lacks.
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::events
