// Refusals that several operations share, in AWS's words where they are known.
#pragma once

#include <cstddef>
#include <string_view>

#include "wire/error.h"
#include "wire/shapes/iam.h"

namespace tidemill::iam {

namespace errors = wire::iam::errors;

[[nodiscard]] wire::Error invalid(std::string_view what);
// "The role with name x cannot be found."; `what`: "role", "user policy".
[[nodiscard]] wire::Error no_such(std::string_view what, std::string_view name);
[[nodiscard]] wire::Error no_policy(std::string_view arn);
[[nodiscard]] wire::Error not_attachable(std::string_view arn);
// `what`: "Role".
[[nodiscard]] wire::Error exists(std::string_view what, std::string_view name);
[[nodiscard]] wire::Error conflict(std::string_view why);
[[nodiscard]] wire::Error over_quota(std::string_view quota, size_t most);
[[nodiscard]] wire::Error malformed(std::string_view why);
[[nodiscard]] wire::Error not_supported(std::string_view what);

}  // namespace tidemill::iam
