// ARNs of roles, as requests name those that a service is to act under.
#pragma once

#include <string_view>

namespace tidemill::wire {

// Whether it is one that somebody may have, in any partition: "arn:aws:iam::123456789012:role/path/name".
[[nodiscard]] bool is_role_arn(std::string_view text);

}  // namespace tidemill::wire
