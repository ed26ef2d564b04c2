// Where the server's certificate and key come from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "main/options.h"
#include "net/tls.h"

namespace tidemill {

struct Tls {
  std::shared_ptr<const net::TlsIdentity> identity;
  std::string authorities;  // in PEM: by what functions know the server, beside the authorities that the system knows
};

// Of --tls-cert and --tls-key; or one for the names that the server listens by, from an authority that the pond keeps
// (tls/authority.pem, and its key beside it) and makes when it is first asked for. Throws net::TlsError, one line that names
// the file: also where others than its owner may read the key.
[[nodiscard]] Tls load_tls(const Options& options);

// A certificate of that authority for these names. Throws the same.
[[nodiscard]] Tls vouch_for(const Options& options, std::vector<std::string> names);

}  // namespace tidemill
