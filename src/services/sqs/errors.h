// Refusals that several operations share, with AWS's words.
#pragma once

#include <string>
#include <string_view>

#include "wire/error.h"
#include "wire/shapes/sqs.h"

namespace tidemill::sqs {

namespace errors = wire::sqs::errors;

[[nodiscard]] wire::Error queue_does_not_exist();
// Of a receive: too many messages are in flight.
[[nodiscard]] wire::Error over_limit();
[[nodiscard]] wire::Error missing_parameter(std::string_view name);
// "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be …"
[[nodiscard]] wire::Error invalid_parameter(std::string_view value, std::string_view name, std::string_view reason);
[[nodiscard]] wire::Error invalid_attribute(std::string_view name);
[[nodiscard]] wire::Error unknown_attribute(std::string_view name);
// A value or combination that AWS has and Tidemill lacks.
[[nodiscard]] wire::Error not_supported(std::string_view what);

// The member, if it is there and not empty. Throws MissingParameter.
[[nodiscard]] const std::string& required(const std::optional<std::string>& member, std::string_view name);

// What stands in a batch's list of failures.
[[nodiscard]] wire::sqs::BatchResultErrorEntry failed_entry(const std::string& id, const wire::Error& error);

}  // namespace tidemill::sqs
