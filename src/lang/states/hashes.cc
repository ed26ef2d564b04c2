#include "lang/states/hashes.h"

#include "base/hex.h"
#include "crypto/digest.h"

namespace tidemill::lang::states {

std::optional<std::string> hex_digest(std::string_view data, std::string_view algorithm) {
  if (algorithm == "MD5") return base::hex_of(crypto::md5(data));
  if (algorithm == "SHA-1") return base::hex_of(crypto::sha1(data));
  if (algorithm == "SHA-256") return base::hex_of(crypto::sha256(data));
  if (algorithm == "SHA-384") return base::hex_of(crypto::sha384(data));
  if (algorithm == "SHA-512") return base::hex_of(crypto::sha512(data));
  return std::nullopt;
}

}  // namespace tidemill::lang::states
