#include "wire/body_claims.h"

#include "base/base64.h"
#include "base/hex.h"
#include "base/text.h"
#include "wire/error.h"

namespace tidemill::wire {
namespace {

constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr std::string_view kStreamingPayload = "STREAMING-";
constexpr size_t kSha256HexSize = 64;
constexpr size_t kMd5Size = 16;

Error refusal(std::string code, std::string message, decltype(Error::details) details = {}) {
  Error error(std::move(code), 400, std::move(message));
  error.details = std::move(details);
  return error;
}

bool says_sha256(const BodyClaims& claims) {
  return claims.content_sha256 && *claims.content_sha256 != kUnsignedPayload &&
         !claims.content_sha256->starts_with(kStreamingPayload);
}

std::optional<std::string> decode_md5(const BodyClaims& claims) {
  if (!claims.content_md5) return std::nullopt;
  auto md5 = base::base64_decode(*claims.content_md5);
  if (md5 && md5->size() == kMd5Size) return md5;
  throw refusal("InvalidDigest", "The Content-MD5 you specified was invalid.", {{"Content-MD5", *claims.content_md5}});
}

void check_sha256_form(const BodyClaims& claims) {
  if (claims.content_sha256->size() == kSha256HexSize) return;
  throw refusal("InvalidArgument",
                "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, or a valid sha256 value.",
                {{"ArgumentName", "x-amz-content-sha256"}, {"ArgumentValue", *claims.content_sha256}});
}

}  // namespace

void add_claim(BodyClaims& claims, Algorithm algorithm, const std::optional<std::string>& value) {
  if (!value) return;
  if (claims.checksum) {
    throw refusal("InvalidRequest",
                  "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
  }
  const auto bytes = base::base64_decode(*value);
  if (!bytes || bytes->size() != size_of(algorithm)) {
    throw refusal("InvalidRequest", base::cat("Value for ", header_of(algorithm), " header is invalid."));
  }
  claims.algorithm = algorithm;
  claims.checksum = value;
}

void name_algorithm(BodyClaims& claims, const std::optional<std::string>& name) {
  if (!name || claims.checksum) return;
  const auto algorithm = algorithm_of(*name);
  if (!algorithm) throw refusal("InvalidRequest", "Value for x-amz-sdk-checksum-algorithm header is invalid.");
  claims.algorithm = algorithm;
}

void add_trailer(BodyClaims& claims, const std::optional<std::string>& trailer) {
  if (!trailer || claims.checksum) return;
  if (const auto algorithm = algorithm_of_header(*trailer)) claims.algorithm = algorithm;
}

ClaimedSums::ClaimedSums(BodyClaims claims, std::optional<Algorithm> kept)
    : claims_(std::move(claims)), claimed_md5_(decode_md5(claims_)) {
  if (claimed_md5_ || kept) md5_ = make_md5();
  if (kept) kept_ = make_sum(*kept);
  if (claims_.algorithm && claims_.algorithm != kept) claimed_ = make_sum(*claims_.algorithm);
  if (!says_sha256(claims_)) return;
  check_sha256_form(claims_);
  sha256_ = make_sum(Algorithm::sha256);
}

void ClaimedSums::add(std::string_view piece) {
  for (Sum* sum : {md5_.get(), kept_.get(), claimed_.get(), sha256_.get()}) {
    if (sum) sum->add(piece);
  }
}

std::optional<std::string> ClaimedSums::claimed_checksum(const BodySource::Headers& trailers) const {
  if (claims_.checksum || !claims_.algorithm) return claims_.checksum;
  for (const auto& [name, value] : trailers) {
    if (name == header_of(*claims_.algorithm)) return value;
  }
  return std::nullopt;
}

ClaimedSums::Result ClaimedSums::finish(const BodySource::Headers& trailers) {
  Result result;
  if (md5_) result.md5 = md5_->finish();
  if (kept_) result.kept = kept_->finish();
  result.claimed = claimed_ ? claimed_->finish() : result.kept;
  if (claimed_md5_ && *claimed_md5_ != result.md5) {
    throw refusal("BadDigest", "The Content-MD5 you specified did not match what we received.",
                  {{"ExpectedDigest", base::base64_encode(*claimed_md5_)}, {"CalculatedDigest", base::base64_encode(result.md5)}});
  }
  if (const auto claimed = claimed_checksum(trailers); claimed && *claimed != base::base64_encode(result.claimed)) {
    throw refusal("BadDigest",
                  base::cat("The ", name_of(*claims_.algorithm), " you specified did not match the calculated checksum."));
  }
  if (!sha256_) return result;
  const std::string computed = base::hex_of(sha256_->finish());
  if (computed == *claims_.content_sha256) return result;
  throw refusal("XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed.",
                {{"ClientComputedContentSHA256", *claims_.content_sha256}, {"S3ComputedContentSHA256", computed}});
}

}  // namespace tidemill::wire
