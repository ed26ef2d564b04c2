#include "services/s3/body_output.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "services/s3/bucket_keys.h"

namespace tidemill::s3 {
namespace {

// Of what lies in the store and not in files so much is read before the rest: of an object in parts that is its last,
// small one. More than that, which no upload of today leaves, is read as it comes.
constexpr size_t kStoredAheadMax = 1 << 20;

class PieceSource final : public wire::BodySource {
 public:
  PieceSource(store::Blobs& blobs, std::shared_ptr<store::Snapshot> snapshot, std::string bucket_id,
              std::vector<Piece> pieces, std::shared_ptr<store::Blobs::Pins> pins)
      : blobs_(blobs),
        snapshot_(std::move(snapshot)),
        bucket_id_(std::move(bucket_id)),
        pieces_(std::move(pieces)),
        pins_(std::move(pins)) {}

  Task<std::optional<std::string>> next() override {
    if (snapshot_ && !has_looked_) co_await read_ahead();
    while (at_ < pieces_.size() && pieces_[at_].size == 0) ++at_;
    if (at_ == pieces_.size()) co_return std::nullopt;
    Piece& piece = pieces_[at_];
    std::string bytes = co_await read(piece);
    if (bytes.empty()) throw store::BlobError("a body is shorter than its object");
    piece.offset += bytes.size();
    piece.size -= bytes.size();
    co_return bytes;
  }

 private:
  Task<std::string> read(const Piece& piece) {
    if (piece.kind == Piece::Kind::blob) {
      co_return co_await blobs_.read({piece.id}, piece.offset, std::min<uint64_t>(piece.size, kReadBytes));
    }
    if (ahead_.empty()) co_return co_await read_stored(piece);
    std::string bytes = std::move(ahead_.front());
    ahead_.pop_front();
    co_return bytes;
  }

  // Whoever takes the answer may take hours, and as long as the snapshot lives the store keeps all that it sees.
  Task<void> read_ahead() {
    has_looked_ = true;
    size_t size = 0;
    for (const Piece& piece : pieces_) {
      if (piece.kind == Piece::Kind::blob || piece.size == 0) continue;
      size += piece.size;
      if (size > kStoredAheadMax) co_return;
      ahead_.push_back(co_await read_stored(piece));
    }
    snapshot_.reset();
  }

  Task<std::string> read_stored(const Piece& piece) {
    const auto bytes = co_await snapshot_->get(stored_body_key(bucket_id_, piece.id));
    if (!bytes) throw store::BlobError("a body is missing from the store");
    co_return bytes->substr(piece.offset, piece.size);
  }

  store::Blobs& blobs_;
  std::shared_ptr<store::Snapshot> snapshot_;  // none: all that it is needed for is ahead
  const std::string bucket_id_;
  std::vector<Piece> pieces_;  // what is left of each
  const std::shared_ptr<store::Blobs::Pins> pins_;
  size_t at_ = 0;
  bool has_looked_ = false;
  std::deque<std::string> ahead_;  // of the next pieces that are in the store
};

class StartedSource final : public wire::BodySource {
 public:
  StartedSource(std::optional<std::string> first, std::shared_ptr<wire::BodySource> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}

  Task<std::optional<std::string>> next() override {
    if (!first_) return rest_->next();
    return Task<std::optional<std::string>>::ready(std::exchange(first_, std::nullopt));
  }
  [[nodiscard]] Headers trailers() const override { return rest_->trailers(); }

 private:
  std::optional<std::string> first_;
  const std::shared_ptr<wire::BodySource> rest_;
};

}  // namespace

std::vector<Piece> slice(const std::vector<Piece>& pieces, const ByteRange& range) {
  std::vector<Piece> result;
  uint64_t begin = 0;  // of the piece, in the body
  const uint64_t end = range.first + range.size;
  for (const Piece& piece : pieces) {
    const uint64_t from = std::max(begin, range.first);
    const uint64_t until = std::min(begin + piece.size, end);
    if (from < until) {
      result.push_back({piece.kind, piece.id, piece.offset + (from - begin), until - from});
    }
    begin += piece.size;
  }
  return result;
}

store::Blobs::Pins pin(store::Blobs& blobs, const std::vector<Piece>& pieces) {
  std::vector<store::BlobId> ids;
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::blob) ids.push_back({piece.id});
  }
  return {blobs, std::move(ids)};
}

Task<void> require_pieces(store::Blobs& blobs, const std::vector<Piece>& pieces) {
  std::vector<store::BlobExtent> extents;
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::blob) extents.push_back({{piece.id}, piece.offset + piece.size});
  }
  return blobs.require(std::move(extents));
}

Task<std::shared_ptr<wire::BodySource>> with_first_bytes(std::shared_ptr<wire::BodySource> source) {
  auto first = co_await source->next();
  co_return std::make_shared<StartedSource>(std::move(first), std::move(source));
}

std::shared_ptr<wire::BodySource> read_pieces(store::Blobs& blobs, std::shared_ptr<store::Snapshot> snapshot,
                                              std::string bucket_id, std::vector<Piece> pieces,
                                              std::shared_ptr<store::Blobs::Pins> pins) {
  return std::make_shared<PieceSource>(blobs, std::move(snapshot), std::move(bucket_id), std::move(pieces),
                                       std::move(pins));
}

}  // namespace tidemill::s3
