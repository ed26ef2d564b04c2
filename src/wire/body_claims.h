// What the sender of an S3 body said of it, and whether it is true: Content-MD5, x-amz-checksum-…, x-amz-content-sha256.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "wire/body_stream.h"
#include "wire/checksum.h"

namespace tidemill::wire {

struct BodyClaims {
  std::optional<std::string> content_md5;     // as the header has it
  std::optional<std::string> content_sha256;  // x-amz-content-sha256
  std::optional<Algorithm> algorithm;
  std::optional<std::string> checksum;        // of that algorithm, base64; in a trailer if it is not here
};

// A checksum header, if it is set. Throws InvalidRequest if there is another, and for a value that is none of the algorithm's.
void add_claim(BodyClaims& claims, Algorithm algorithm, const std::optional<std::string>& value);
// The algorithm without a checksum, as x-amz-sdk-checksum-algorithm names it. Throws InvalidRequest for none of ours.
void name_algorithm(BodyClaims& claims, const std::optional<std::string>& name);
// The header x-amz-trailer may name an algorithm whose checksum stands behind the body.
void add_trailer(BodyClaims& claims, const std::optional<std::string>& trailer);

// The sums of one body that its claims need.
class ClaimedSums {
 public:
  // With `kept` the MD5 and the checksum of that algorithm are computed whatever is claimed. Throws InvalidDigest and
  // InvalidArgument for claims that cannot be right whatever the body is.
  explicit ClaimedSums(BodyClaims claims, std::optional<Algorithm> kept = {});

  void add(std::string_view piece);

  struct Result {
    std::string md5;      // bytes, as all of these; empty: not computed
    std::string kept;
    std::string claimed;  // of the claimed algorithm
  };
  // Once. Throws BadDigest and XAmzContentSHA256Mismatch if a claim is not true.
  Result finish(const BodySource::Headers& trailers);

 private:
  [[nodiscard]] std::optional<std::string> claimed_checksum(const BodySource::Headers& trailers) const;

  const BodyClaims claims_;
  std::optional<std::string> claimed_md5_;  // bytes
  std::unique_ptr<Sum> md5_;
  std::unique_ptr<Sum> kept_;
  std::unique_ptr<Sum> claimed_;  // null: the kept one's algorithm is claimed, or none
  std::unique_ptr<Sum> sha256_;   // of x-amz-content-sha256; null: nobody asks
};

}  // namespace tidemill::wire
