// How requests name a group: by its name, by an identifier that is a name or an ARN, or by an ARN.
#pragma once

#include <optional>
#include <string>

#include "store/resources.h"
#include "wire/context.h"

namespace tidemill::logs {

[[nodiscard]] store::ResourceAddress group_called(const wire::Context& context, std::string name);

// By exactly one of both. Throws InvalidParameterException.
[[nodiscard]] store::ResourceAddress group_called(const wire::Context& context, const std::optional<std::string>& name,
                                                  const std::optional<std::string>& identifier);

// With or without ":*" at its end. Throws InvalidParameterException for what is no ARN of a group of the caller's.
[[nodiscard]] store::ResourceAddress group_of_arn(const wire::Context& context, std::string_view arn);

}  // namespace tidemill::logs
