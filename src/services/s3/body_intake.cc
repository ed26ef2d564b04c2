#include "services/s3/body_intake.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

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
                                                    const wire::BodyStream& body, std::shared_ptr<wire::ClaimedSums> sums,
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

Task<TakenBody> take_body(store::Blobs& blobs, wire::BodyStream body, BodyClaims claims, Algorithm kept) {
  const Algorithm claimed = claims.algorithm.value_or(kept);
  // Shared with the thread that writes, which may still be at it when the request has ended.
  const auto sums = std::make_shared<wire::ClaimedSums>(std::move(claims), kept);
  if (body.length()) check_size(*body.length());

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

  auto result = sums->finish(body.trailers());
  taken.md5 = std::move(result.md5);
  taken.checksum = {.algorithm = kept, .bytes = std::move(result.kept)};
  taken.claimed = {.algorithm = claimed, .bytes = std::move(result.claimed)};

  if (writer)
    taken.pieces = {{.kind = Piece::Kind::blob, .id = writer->hand_over().bytes, .size = taken.size}};
  else if (taken.size > 0)
    taken.pieces = {{.kind = Piece::Kind::stored, .id = random_id(), .size = taken.size}};
  co_return taken;
}

Task<void> refer_to_body(store::Transaction& txn, store::Blobs& blobs, const Bucket& bucket, const TakenBody& body) {
  for (const Piece& piece : body.pieces) {
    if (piece.kind == Piece::Kind::blob)
      co_await blobs.refer_to_new(txn, {piece.id});
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
