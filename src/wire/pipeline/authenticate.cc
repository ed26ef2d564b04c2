#include "wire/pipeline/authenticate.h"

#include <mutex>

#include "base/log.h"
#include "wire/access_key.h"
#include "wire/pipeline/presigned.h"

namespace tidemill::wire {

namespace {

// Clients outside make their URLs by the machine's time, functions by the platform's, which may be turned: what is good
// by either is good.
std::optional<Error> find_expiry_by_both(std::string_view target, base::Time platform_time) {
  auto expired = find_expiry(target, platform_time);
  if (!expired || !is_good_at(target, base::RealClock().now())) return expired;
  static std::once_flag told;
  std::call_once(told, [] {
    base::log_info("a presigned URL has expired by the platform's clock; it is taken since it is good by the machine's", {});
  });
  return std::nullopt;
}

// Empty: the key tells none.
std::string account_of(const std::string& access_key_id) {
  if (is_account(access_key_id)) return access_key_id;
  return account_of_access_key(access_key_id).value_or("");
}

}  // namespace

Task<Caller> BelieveEverybody::authenticate(const net::Request&, const Identity& identity) {
  const auto& scope = identity.scope;
  if (!scope) return Task<Caller>::ready();
  return Task<Caller>::ready({Principal(scope->access_key_id), account_of(scope->access_key_id), scope->region});
}

std::optional<Error> malformed_signature(const Identity& identity) {
  const auto& scope = identity.scope;
  const bool unreadable = !scope && identity.head.authorization.starts_with("AWS4-");
  const bool no_region = scope && !scope->region.empty() && !is_region_by_form(scope->region);
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
  if (!authenticator.checks_signatures()) {  // who does says it in more words
    if (auto malformed = malformed_signature(identity)) throw *std::move(malformed);
  }
  if (is_presigned(request.target)) {
    if (auto expired = find_expiry_by_both(request.target, clock.now())) throw *std::move(expired);
  }
  return authenticator.authenticate(request, identity);
}

}  // namespace tidemill::wire
