// Who sends a request. One interface: today everybody who reaches the server is believed, as it takes requests from
// its own machine only; what checks signatures takes that one's place, and nothing else changes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/task.h"
#include "wire/context.h"
#include "wire/error.h"
#include "wire/pipeline/identify.h"

namespace tidemill::wire {

struct Caller {
  Principal principal;
  std::string account;  // empty: the server's own
  std::string region;   // empty: the server's own
  // If set, called with the whole body before the operation runs; throws Error if the body is not what was signed.
  // Bodies that stream are held to what their headers claim instead (wire/body_claims.h).
  std::function<void(std::string_view body)> check_body = {};
};

// Any thread.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Of an identified operation. Throws Error for who is not who they say.
  virtual Task<Caller> authenticate(const net::Request& request, const Identity& identity) = 0;
};

// Believes what the credential scope says, unchecked.
class BelieveEverybody final : public Authenticator {
 public:
  Task<Caller> authenticate(const net::Request& request, const Identity& identity) override;
};

// The stage: what cannot be a signature at all, or has expired, is refused whoever checks; then `authenticator` is
// asked. Throws Error.
Task<Caller> authenticate(Authenticator& authenticator, const net::Request& request, const Identity& identity,
                          base::Clock& clock);

// An Authorization header of version 4 that cannot be read, or a region that is none.
[[nodiscard]] std::optional<Error> malformed_signature(const Identity& identity);

}  // namespace tidemill::wire
