// The signatures of an aws-chunked body's pieces, each made of the one before, the first of the request's own (AWS:
// "Signature calculations for the Authorization header: transferring a payload in multiple chunks"), and of its
// trailers.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

namespace tidemill::wire {

class ChunkSignatures {
 public:
  // `key`: signing_key(). `time` and `scope` as signed, `seed` the request's signature. `has_trailers`: these are
  // signed.
  ChunkSignatures(std::string key, std::string time, std::string scope, std::string seed, bool has_trailers);
  ~ChunkSignatures();
  ChunkSignatures(const ChunkSignatures&) = delete;

  // The next bytes of the chunk.
  void add(std::string_view bytes);
  // The chunk has ended. Throws Error SignatureDoesNotMatch.
  void check_chunk(std::string_view signature);
  // `trailers`: a line "name:value\n" each. Throws Error SignatureDoesNotMatch.
  void check_trailers(std::string_view trailers, std::string_view signature);
  [[nodiscard]] bool has_trailers() const { return has_trailers_; }

 private:
  void check(std::string_view text, std::string_view signature);

  const std::string key_;
  const std::string time_and_scope_;
  std::string previous_;
  const bool has_trailers_;
  struct Free {
    void operator()(EVP_MD_CTX* context) const;
  };
  std::unique_ptr<EVP_MD_CTX, Free> sha256_;
};

}  // namespace tidemill::wire
