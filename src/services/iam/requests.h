// What requests of different kinds say alike.
#pragma once

#include <vector>

#include "base/json_record.h"
#include "services/iam/identity.h"
#include "wire/context.h"
#include "wire/shapes/iam.h"

namespace tidemill::iam {

// Whom a request of a user, group or role means.
template <class Request>
[[nodiscard]] IdentityAddress address_of(const wire::Context& context, const Request& request) {
  if constexpr (requires { request.role_name; }) {
    return {Kind::role, context.account, request.role_name};
  } else if constexpr (requires { request.group_name; }) {
    return {Kind::group, context.account, request.group_name};
  } else {
    return {Kind::user, context.account, request.user_name};
  }
}

// Throws InvalidInput for keys that repeat, however they are written, and LimitExceeded for too many.
[[nodiscard]] base::json::TextMap with_tags(base::json::TextMap tags, const std::vector<wire::iam::Tag>& added);

}  // namespace tidemill::iam
