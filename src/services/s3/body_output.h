// Gives the bytes of an object: as a stream for an answer, or piece by piece for what is computed of them.
#pragma once

#include <memory>
#include <vector>

#include "services/s3/bucket.h"
#include "services/s3/byte_range.h"
#include "services/s3/object.h"
#include "store/blobs.h"
#include "store/store.h"
#include "wire/body_stream.h"

namespace tidemill::s3 {

// What is read of a blob at a time.
inline constexpr size_t kReadBytes = 512 << 10;
// Answers up to here are read before they are sent.
inline constexpr size_t kStoredPieceAnswerMax = 64 << 10;

// The part of `pieces` that `range` of the body is.
[[nodiscard]] std::vector<Piece> slice(const std::vector<Piece>& pieces, const ByteRange& range);

// The blobs of these pieces, pinned.
[[nodiscard]] store::Blobs::Pins pin(store::Blobs& blobs, const std::vector<Piece>& pieces);

// Throws store::BlobError unless the files of all pieces are there, as long as they must be.
Task<void> require_pieces(store::Blobs& blobs, const std::vector<Piece>& pieces);

// The pieces' bytes. `snapshot` shows the reference to them, and what they are in the store; it was taken after the
// pins, and is let go with the first bytes.
[[nodiscard]] std::shared_ptr<wire::BodySource> read_pieces(store::Blobs& blobs, std::shared_ptr<store::Snapshot> snapshot,
                                                            std::string bucket_id, std::vector<Piece> pieces,
                                                            std::shared_ptr<store::Blobs::Pins> pins);

// The same with its first bytes in hand: what is wrong with them, the caller learns before it has said anything.
Task<std::shared_ptr<wire::BodySource>> with_first_bytes(std::shared_ptr<wire::BodySource> source);

}  // namespace tidemill::s3
