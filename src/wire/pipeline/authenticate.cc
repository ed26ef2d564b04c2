#include "wire/pipeline/authenticate.h"

#include "wire/pipeline/presigned.h"

namespace tidemill::wire {

Task<Caller> BelieveEverybody::authenticate(const net::Request&, const Identity& identity) {
  const auto& scope = identity.scope;
  if (!scope) return Task<Caller>::ready();
  return Task<Caller>::ready({Principal(scope->access_key_id),
                              is_account(scope->access_key_id) ? scope->access_key_id : std::string(), scope->region});
}

std::optional<Error> malformed_signature(const Identity& identity) {
  const auto& scope = identity.scope;
  const bool unreadable = !scope && identity.head.authorization.starts_with("AWS4-");
  const bool no_region = scope && !scope->region.empty() && !is_region(scope->region);
  if (!unreadable && !no_region) return {};
  Error error("IncompleteSignatureException", 400,
              unreadable ? "Authorization header requires a Credential of the form "
                           "<key id>/<date>/<region>/<service>/aws4_request"
                         : "Credential has no valid region");
  error.type_namespace = "com.amazon.coral.service";
  return error;
}

Task<Caller> authenticate(Authenticator& authenticator, const net::Request& request, const Identity& identity,
                          base::Clock& clock) {
  if (auto malformed = malformed_signature(identity)) throw *std::move(malformed);
  if (is_presigned(request.target)) {
    if (auto expired = find_expiry(request.target, clock.now())) throw *std::move(expired);
  }
  return authenticator.authenticate(request, identity);
}

}  // namespace tidemill::wire
