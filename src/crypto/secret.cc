#include "crypto/secret.h"

#include <openssl/crypto.h>

#include "crypto/random.h"

namespace tidemill::crypto {

void wipe(std::string& bytes) {
  bytes.resize(bytes.capacity());  // what short texts leave behind when they are moved
  OPENSSL_cleanse(bytes.data(), bytes.size());
  bytes.clear();
}

Secret new_secret(size_t count) { return Secret(random_bytes(count)); }

}  // namespace tidemill::crypto
