// Who sends a request. One interface: of a server that takes requests from its own machine only everybody may be
// believed; what checks signatures (verify_signatures.h) takes that one's place, and nothing else changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/task.h"
#include "wire/chunk_signatures.h"
#include "wire/context.h"
#include "wire/error.h"
#include "wire/pipeline/identify.h"

namespace tidemill::wire {

struct Caller {
  Principal principal;
  std::string account;  // empty: the server's own
  std::string region;   // empty: the server's own
  // If set, the pieces of the body are signed (wire/aws_chunked.h). Other bodies are held to what their headers claim
  // (wire/body_claims.h), or have been read by now (Identity::payload_hash).
  std::shared_ptr<ChunkSignatures> chunks = {};
};

// Any thread.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Of an identified operation. Throws Error for who is not who they say.
  virtual Task<Caller> authenticate(const net::Request& request, const Identity& identity) = 0;
  // Before the body is read that the request brings: throws Error for what is wrong whatever the body is. Of a form it
  // is not known yet which operation it means.
  virtual Task<void> examine(const net::Request&, const Identity&) { return Task<void>::ready(); }
  // Then bodies are read first, but S3's, as they are part of what is signed.
  [[nodiscard]] virtual bool checks_signatures() const { return false; }
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
