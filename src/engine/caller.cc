#include "engine/caller.h"

namespace tidemill::engine {

Caller caller_of(const wire::Principal& principal) {
  using Kind = wire::Principal::Kind;
  Caller caller;
  caller.is_platform = principal.kind() == Kind::platform;
  if (const wire::Standing* standing = principal.standing()) caller.standing = *standing;
  const bool has_key = principal.kind() == Kind::access_key ||
                       (principal.kind() == Kind::role && principal.name() != caller.standing->role_arn);
  if (has_key) caller.access_key = principal.name();
  return caller;
}

wire::Principal Caller::principal() const {
  if (is_platform) return wire::Principal::platform();
  if (!standing) return access_key.empty() ? wire::Principal() : wire::Principal(access_key);
  if (standing->role_arn.empty()) {
    return wire::Principal::service(standing->service, standing->source_arn, standing->source_account);
  }
  return wire::Principal::role(*standing, access_key);
}

}  // namespace tidemill::engine
