#include "wire/chunk_signatures.h"

#include <openssl/evp.h>

#include <stdexcept>

#include "base/hex.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "crypto/hmac.h"
#include "wire/error.h"
#include "wire/signature.h"

namespace tidemill::wire {

using base::cat;

namespace {

constexpr std::string_view kEmptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

void begin(EVP_MD_CTX* context) {
  if (EVP_DigestInit_ex(context, EVP_sha256(), nullptr) != 1) throw std::runtime_error("SHA-256 is not available");
}

}  // namespace

void ChunkSignatures::Free::operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }

ChunkSignatures::ChunkSignatures(std::string key, std::string time, std::string scope, std::string seed,
                                 bool has_trailers)
    : key_(std::move(key)),
      time_and_scope_(cat(time, "\n", scope)),
      previous_(std::move(seed)),
      has_trailers_(has_trailers),
      sha256_(EVP_MD_CTX_new()) {
  begin(sha256_.get());
}

ChunkSignatures::~ChunkSignatures() = default;

void ChunkSignatures::add(std::string_view bytes) {
  if (EVP_DigestUpdate(sha256_.get(), bytes.data(), bytes.size()) != 1) throw std::runtime_error("SHA-256 failed");
}

void ChunkSignatures::check_chunk(std::string_view signature) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  if (EVP_DigestFinal_ex(sha256_.get(), reinterpret_cast<unsigned char*>(digest.data()), &size) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  digest.resize(size);
  begin(sha256_.get());
  check(
      cat("AWS4-HMAC-SHA256-PAYLOAD\n", time_and_scope_, "\n", previous_, "\n", kEmptyHash, "\n", base::hex_of(digest)),
      signature);
}

void ChunkSignatures::check_trailers(std::string_view trailers, std::string_view signature) {
  check(
      cat("AWS4-HMAC-SHA256-TRAILER\n", time_and_scope_, "\n", previous_, "\n", base::hex_of(crypto::sha256(trailers))),
      signature);
}

void ChunkSignatures::check(std::string_view text, std::string_view signature) {
  std::string wanted = sign(key_, text);
  if (!crypto::same_in_constant_time(wanted, signature)) {
    throw Error(
        "SignatureDoesNotMatch", 403,
        "The request signature we calculated does not match the signature you provided. Check your key and signing "
        "method.");
  }
  previous_ = std::move(wanted);
}

}  // namespace tidemill::wire
