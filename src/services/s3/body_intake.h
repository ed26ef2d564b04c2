// Takes the body of an object or a part in: piece by piece, with its checksums on the way, into a blob, or into memory if it
// is small; and checks it against all that its sender said of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/hex.h"
#include "services/s3/bucket.h"
#include "services/s3/checksum.h"
#include "services/s3/object.h"
#include "services/s3/versions.h"
#include "store/blobs.h"
#include "store/paused.h"
#include "store/store.h"
#include "wire/body_claims.h"
#include "wire/body_stream.h"
#include "wire/error.h"

namespace tidemill::s3 {

// Bodies up to here lie in the store: they cost one sync in all, shared with whatever commits at the same time.
inline constexpr uint64_t kStoredBodyBytesMax = 64 << 10;
// AWS's limit of an object that is sent in one request, and of a part.
inline constexpr uint64_t kBodyBytesMax = uint64_t{5} << 30;

using wire::BodyClaims;

// A checksum header that is set, of those that requests have; the named algorithm without one. Throws InvalidRequest for
// several, for an algorithm that is none, and for a value that is none of its.
template <class Request>
BodyClaims claims_of(const Request& request, const std::optional<std::string>& sdk_algorithm);

// A body that is on the disk, or in memory, and that nothing refers to yet.
struct TakenBody {
  uint64_t size = 0;
  std::string md5;          // bytes
  Checksum checksum;        // of the algorithm whose checksum is kept
  Checksum claimed;         // of the one that was claimed, if any was
  std::string stored;       // a small body
  std::vector<Piece> pieces;  // one, or none of an empty body

  [[nodiscard]] std::string etag() const { return base::hex_of(md5); }
};

// Reads the body to its end; the checksum that is kept is `kept`'s. Throws BadDigest, InvalidDigest,
// XAmzContentSHA256Mismatch, EntityTooLarge, and what reading throws. Then nothing of it is left.
Task<TakenBody> take_body(store::Blobs& blobs, wire::BodyStream body, BodyClaims claims, Algorithm kept);

// Within the transaction that makes the first reference.
Task<void> refer_to_body(store::Transaction& txn, store::Blobs& blobs, const Bucket& bucket, const TakenBody& body);

// Runs `body`, (Transaction&, Removals&) -> Task<Value>, which refers to what was taken; afterwards removes what has lost
// its last reference, or what was taken if the transaction refuses it.
template <class Body>
auto commit_body(store::Store& store, store::Blobs& blobs, const TakenBody& taken, Body body)
    -> std::invoke_result_t<Body&, store::Transaction&, Removals&>;

// ---------------------------------------------------------------------------------------------------------------------

template <class Request>
BodyClaims claims_of(const Request& request, const std::optional<std::string>& sdk_algorithm) {
  BodyClaims claims;
  add_claim(claims, Algorithm::crc32, request.checksum_crc32);
  add_claim(claims, Algorithm::crc32c, request.checksum_crc32_c);
  add_claim(claims, Algorithm::crc64nvme, request.checksum_crc64_nvme);
  add_claim(claims, Algorithm::sha1, request.checksum_sha1);
  add_claim(claims, Algorithm::sha256, request.checksum_sha256);
  name_algorithm(claims, sdk_algorithm);
  return claims;
}

// What blobs lose if the transaction certainly has not taken place: whatever its body throws, it was not committed.
// After failures of the commit nobody knows, and the next start removes what nothing refers to.
void forget_body(store::Blobs& blobs, const TakenBody& taken);

template <class Body>
auto commit_body(store::Store& store, store::Blobs& blobs, const TakenBody& taken, Body body)
    -> std::invoke_result_t<Body&, store::Transaction&, Removals&> {
  using Result = std::invoke_result_t<Body&, store::Transaction&, Removals&>;
  Removals removals;
  bool has_body_thrown = false;
  const auto attempt = [&](store::Transaction& txn) -> Result {
    removals.clear();
    has_body_thrown = false;
    try {
      co_return co_await body(txn, removals);
    } catch (...) {
      has_body_thrown = true;
      throw;
    }
  };
  const auto finish = [&] {
    for (store::BlobId& id : removals) blobs.remove(std::move(id));
  };
  try {
    if constexpr (std::is_same_v<Result, Task<void>>) {
      co_await store.transact(attempt);
      finish();
    } else {
      auto value = co_await store.transact(attempt);
      finish();
      co_return value;
    }
  } catch (const store::CommitUnsure&) {
    throw;
  } catch (const store::Overloaded&) {
    forget_body(blobs, taken);
    throw;
  } catch (...) {
    if (has_body_thrown) forget_body(blobs, taken);
    throw;
  }
}

// The same where no body was taken in.
template <class Body>
auto change_bodies(store::Store& store, store::Blobs& blobs, Body body)
    -> std::invoke_result_t<Body&, store::Transaction&, Removals&> {
  const TakenBody none;
  co_return co_await commit_body(store, blobs, none, std::move(body));
}

}  // namespace tidemill::s3
