// Certificates of one's own making (X.509, RFC 5280), with keys on P-256: a local authority and what it vouches for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace tidemill::crypto {

// Both in PEM.
struct CertifiedKey {
  std::string certificate;
  std::string key;
};

// One that vouches for others, for ten years from a day before `now`.
[[nodiscard]] CertifiedKey make_authority(std::string_view name, base::Time now);

// A server's, for a year from a day before `now`, of these names ("localhost", "*.amazonaws.com") and addresses ("127.0.0.1").
// Throws std::runtime_error: the authority's cannot be read.
[[nodiscard]] CertifiedKey make_server_certificate(const CertifiedKey& authority, std::vector<std::string> names,
                                                   base::Time now);

}  // namespace tidemill::crypto
