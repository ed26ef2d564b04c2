#include "services/s3/body_intake.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr std::string_view kStreamingPayload = "STREAMING-";
constexpr size_t kSha256HexSize = 64;
constexpr size_t kMd5Size = 16;

// All sums of one body. Shared with the thread that writes, which may still be at it when the request has ended.
struct Sums {
  std::unique_ptr<Sum> md5 = make_md5();
  std::unique_ptr<Sum> checksum;
  std::unique_ptr<Sum> claimed;  // of another algorithm; null: it is the same, or none is claimed
  std::unique_ptr<Sum> sha256;  // of x-amz-content-sha256; null: nobody asks

  void add(std::string_view piece) {
    md5->add(piece);
    checksum->add(piece);
    if (claimed) claimed->add(piece);
    if (sha256) sha256->add(piece);
  }
};

bool says_sha256(const BodyClaims& claims) {
  return claims.content_sha256 && *claims.content_sha256 != kUnsignedPayload &&
         !claims.content_sha256->starts_with(kStreamingPayload);
}

std::shared_ptr<Sums> make_sums(const BodyClaims& claims, Algorithm kept) {
  auto sums = std::make_shared<Sums>();
  sums->checksum = make_sum(kept);
  if (claims.algorithm && *claims.algorithm != kept) sums->claimed = make_sum(*claims.algorithm);
  if (says_sha256(claims)) sums->sha256 = make_sum(Algorithm::sha256);
  return sums;
}

// Before the body is read: what cannot be right whatever it is.
std::optional<std::string> decode_md5(const BodyClaims& claims) {
  if (!claims.content_md5) return std::nullopt;
  auto md5 = base::base64_decode(*claims.content_md5);
  if (md5 && md5->size() == kMd5Size) return md5;
  throw errors::error("InvalidDigest", 400, "The Content-MD5 you specified was invalid.",
                      {{"Content-MD5", *claims.content_md5}});
}

void check_sha256_form(const BodyClaims& claims) {
  if (!says_sha256(claims) || claims.content_sha256->size() == kSha256HexSize) return;
  throw errors::invalid_argument("x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, or "
                                 "a valid sha256 value.",
                                 "x-amz-content-sha256", *claims.content_sha256);
}

void check_md5(const std::optional<std::string>& claimed, const std::string& md5) {
  if (!claimed || *claimed == md5) return;
  throw errors::error("BadDigest", 400, "The Content-MD5 you specified did not match what we received.",
                      {{"ExpectedDigest", hex_of(*claimed)}, {"CalculatedDigest", base::base64_encode(md5)}});
}

void check_checksum(const std::optional<std::string>& claimed, const Checksum& checksum) {
  if (!claimed || *claimed == checksum.text()) return;
  throw errors::error("BadDigest", 400,
                      base::cat("The ", name_of(checksum.algorithm),
                                " you specified did not match the calculated checksum."));
}

void check_sha256(const BodyClaims& claims, const std::string& computed) {
  if (*claims.content_sha256 == computed) return;
  throw errors::error("XAmzContentSHA256Mismatch", 400,
                      "The provided 'x-amz-content-sha256' header does not match what was computed.",
                      {{"ClientComputedContentSHA256", *claims.content_sha256}, {"S3ComputedContentSHA256", computed}});
}

// The checksum that stands behind the body, if it is not in the headers.
std::optional<std::string> claimed_checksum(const BodyClaims& claims, const wire::BodyStream& body, Algorithm algorithm) {
  if (claims.checksum) return claims.checksum;
  for (const auto& [name, value] : body.trailers()) {
    if (name == header_of(algorithm)) return value;
  }
  return std::nullopt;
}

// Reads up to what may lie in the store, and one piece more if there is more.
struct Beginning {
  std::string bytes;
  bool is_all = false;
};
Task<Beginning> read_beginning(const wire::BodyStream& body) {
  Beginning beginning;
  while (beginning.bytes.size() <= kStoredBodyBytesMax) {
    auto piece = co_await body.read();
    if (!piece) {
      beginning.is_all = true;
      break;
    }
    if (beginning.bytes.empty())
      beginning.bytes = *std::move(piece);
    else
      beginning.bytes += *piece;
  }
  co_return beginning;
}

void check_size(uint64_t size) {
  if (size > kBodyBytesMax) throw errors::entity_too_large(size, kBodyBytesMax);
}

// Everything into a blob. `size` counts.
Task<std::unique_ptr<store::BlobWriter>> write_blob(store::Blobs& blobs, std::string beginning,
                                                    const wire::BodyStream& body, std::shared_ptr<Sums> sums,
                                                    uint64_t& size) {
  auto writer = co_await blobs.create([sums](std::string_view piece) { sums->add(piece); });
  size = beginning.size();
  co_await writer->write(std::move(beginning));
  while (auto piece = co_await body.read()) {
    size += piece->size();
    check_size(size);
    co_await writer->write(*std::move(piece));
  }
  co_await writer->finish();
  co_return writer;
}

}  // namespace

void add_claim(BodyClaims& claims, Algorithm algorithm, const std::optional<std::string>& value) {
  if (!value) return;
  if (claims.checksum) {
    throw errors::invalid_request("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
  }
  const auto bytes = base::base64_decode(*value);
  if (!bytes || bytes->size() != size_of(algorithm)) {
    throw errors::invalid_request(base::cat("Value for ", header_of(algorithm), " header is invalid."));
  }
  claims.algorithm = algorithm;
  claims.checksum = value;
}

void name_algorithm(BodyClaims& claims, const std::optional<std::string>& name) {
  if (!name || claims.checksum) return;
  const auto algorithm = algorithm_of(*name);
  if (!algorithm) {
    throw errors::invalid_request("Value for x-amz-sdk-checksum-algorithm header is invalid.");
  }
  claims.algorithm = algorithm;
}

void add_trailer(BodyClaims& claims, const std::optional<std::string>& trailer) {
  if (!trailer || claims.checksum) return;
  if (const auto algorithm = algorithm_of_header(*trailer)) claims.algorithm = algorithm;
}

Task<TakenBody> take_body(store::Blobs& blobs, wire::BodyStream body, BodyClaims claims, Algorithm kept) {
  const auto md5 = decode_md5(claims);
  check_sha256_form(claims);
  if (body.length()) check_size(*body.length());
  const auto sums = make_sums(claims, kept);

  TakenBody taken;
  std::unique_ptr<store::BlobWriter> writer;
  Beginning beginning = co_await read_beginning(body);
  if (beginning.is_all && beginning.bytes.size() <= kStoredBodyBytesMax) {
    sums->add(beginning.bytes);
    taken.size = beginning.bytes.size();
    taken.stored = std::move(beginning.bytes);
  } else {
    writer = co_await write_blob(blobs, std::move(beginning.bytes), body, sums, taken.size);
  }

  taken.md5 = sums->md5->finish();
  taken.checksum = {.algorithm = kept, .bytes = sums->checksum->finish()};
  taken.claimed = taken.checksum;
  if (sums->claimed) taken.claimed = {.algorithm = *claims.algorithm, .bytes = sums->claimed->finish()};
  check_md5(md5, taken.md5);
  check_checksum(claimed_checksum(claims, body, taken.claimed.algorithm), taken.claimed);
  if (sums->sha256) check_sha256(claims, hex_of(sums->sha256->finish()));

  if (writer)
    taken.pieces = {{.kind = Piece::Kind::blob, .id = writer->hand_over().bytes, .size = taken.size}};
  else if (taken.size > 0)
    taken.pieces = {{.kind = Piece::Kind::stored, .id = random_id(), .size = taken.size}};
  co_return taken;
}

void refer_to_body(store::Transaction& txn, const Bucket& bucket, const TakenBody& body) {
  for (const Piece& piece : body.pieces) {
    if (piece.kind == Piece::Kind::blob)
      store::refer_to_new_blob(txn, {piece.id});
    else
      txn.put(stored_body_key(bucket.id, piece.id), body.stored);
  }
}

void forget_body(store::Blobs& blobs, const TakenBody& taken) {
  for (const Piece& piece : taken.pieces) {
    if (piece.kind == Piece::Kind::blob) blobs.remove({piece.id});
  }
}

}  // namespace tidemill::s3
