#include "crypto/sealing.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>
#include <stdexcept>

#include "crypto/random.h"

namespace tidemill::crypto {
namespace {

constexpr size_t kNonceSize = 12;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

// Fetched once: looking an algorithm up costs more than a short message.
const EVP_CIPHER* algorithm() {
  static const EVP_CIPHER* const found = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  return found;
}

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes(char* text) { return reinterpret_cast<unsigned char*>(text); }

void require(bool done) {
  if (!done) throw std::runtime_error("AES-256-GCM is not available");
}

// The key and nonce of one message.
Secret message_key(const Secret& secret, std::string_view salt) {
  if (secret.bytes().size() != kSealingKeySize) throw std::logic_error("a sealing key has 32 bytes");
  return Secret(authentication_code("SHA512", secret.bytes(), salt));
}

enum class Way { seal, open };

// Ready for the text: keyed, and told the context.
Cipher begin(Way way, const Secret& key, std::string_view context) {
  Cipher cipher(EVP_CIPHER_CTX_new());
  const std::string_view nonce = key.bytes().substr(kSealingKeySize, kNonceSize);
  require(cipher && algorithm() &&
          EVP_CipherInit_ex2(cipher.get(), algorithm(), bytes(key.bytes()), bytes(nonce), way == Way::seal ? 1 : 0,
                             nullptr) == 1);
  int size = 0;
  require(EVP_CipherUpdate(cipher.get(), nullptr, &size, bytes(context), static_cast<int>(context.size())) == 1);
  return cipher;
}

}  // namespace

std::string seal(const Secret& secret, std::string_view plain, std::string_view context) {
  std::string sealed = random_bytes(kSealingSaltSize);
  const Secret key = message_key(secret, sealed);
  const Cipher cipher = begin(Way::seal, key, context);
  sealed.resize(kSealedExtra + plain.size());
  int size = 0;
  require(EVP_CipherUpdate(cipher.get(), bytes(sealed.data() + kSealingSaltSize), &size, bytes(plain),
                           static_cast<int>(plain.size())) == 1);
  char* const tag = sealed.data() + kSealingSaltSize + plain.size();
  require(EVP_CipherFinal_ex(cipher.get(), bytes(tag), &size) == 1);
  require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kSealingTagSize, tag) == 1);
  return sealed;
}

std::optional<Secret> open_sealed(const Secret& secret, std::string_view sealed, std::string_view context) {
  if (sealed.size() < kSealedExtra) return std::nullopt;
  const Secret key = message_key(secret, sealed.substr(0, kSealingSaltSize));
  const Cipher cipher = begin(Way::open, key, context);
  const std::string_view text = sealed.substr(kSealingSaltSize, sealed.size() - kSealedExtra);
  std::string tag(sealed.substr(sealed.size() - kSealingTagSize));
  require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kSealingTagSize, tag.data()) == 1);
  std::string plain(text.size(), '\0');
  int size = 0;
  require(EVP_CipherUpdate(cipher.get(), bytes(plain.data()), &size, bytes(text), static_cast<int>(text.size())) == 1);
  unsigned char none = 0;
  Secret opened(std::move(plain));
  if (EVP_CipherFinal_ex(cipher.get(), &none, &size) != 1) return std::nullopt;
  return opened;
}

std::string authentication_code(const char* digest, std::string_view key, std::string_view text) {
  std::string code(EVP_MAX_MD_SIZE, '\0');
  size_t size = 0;
  if (!EVP_Q_mac(nullptr, "HMAC", nullptr, digest, nullptr, key.data(), key.size(), bytes(text), text.size(),
                 bytes(code.data()), code.size(), &size)) {
    throw std::runtime_error("HMAC is not available");
  }
  code.resize(size);
  return code;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tidemill::crypto
