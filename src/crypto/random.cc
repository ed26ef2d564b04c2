#include "crypto/random.h"

#include <openssl/rand.h>

#include <stdexcept>

namespace tidemill::crypto {

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
    throw std::runtime_error("no random bytes are to be had");
  }
  return bytes;
}

}  // namespace tidemill::crypto
