#include "services/s3/copying.h"

#include <algorithm>

#include "net/http.h"
#include "services/s3/body_output.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

constexpr std::string_view kVersionParameter = "versionId=";

wire::Error invalid_source(std::string_view header) {
  return errors::invalid_argument("Invalid copy source object key",
                                  "x-amz-copy-source", header);
}

}  // namespace

ObjectRequest parse_copy_source(std::string_view header, std::optional<std::string> expected_owner) {
  if (header.starts_with("arn:")) throw errors::not_implemented("access points as the source of a copy");
  std::string_view path = header;
  std::optional<std::string> version;
  const size_t mark = path.rfind('?');
  if (mark != std::string_view::npos && path.substr(mark + 1).starts_with(kVersionParameter)) {
    version = net::percent_decode(path.substr(mark + 1 + kVersionParameter.size()));
    if (!version) throw invalid_source(header);
    path = path.substr(0, mark);
  }
  std::string spaced(path);
  std::ranges::replace(spaced, '+', ' ');  // as AWS reads it; a plus is %2B
  const auto decoded = net::percent_decode(spaced);
  if (!decoded) throw invalid_source(header);
  std::string_view rest = *decoded;
  if (rest.starts_with('/')) rest.remove_prefix(1);
  const size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == rest.size()) throw invalid_source(header);
  return {std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1)), std::move(version),
          std::move(expected_owner)};
}

Task<CopiedSums> sum_pieces(store::Blobs& blobs, const OpenObject& open, std::vector<Piece> pieces, Algorithm algorithm) {
  const std::shared_ptr<Sum> md5 = make_md5();
  const std::shared_ptr<Sum> checksum = make_sum(algorithm);
  const auto source = read_pieces(blobs, open.snapshot, open.bucket.id, std::move(pieces), open.pins);
  while (auto piece = co_await source->next()) {
    co_await blobs.run_aside([md5, checksum, piece = *std::move(piece)] {
      md5->add(piece);
      checksum->add(piece);
    });
  }
  co_return CopiedSums{md5->finish(), checksum->finish()};
}

Task<std::optional<std::vector<Piece>>> share_pieces(store::Transaction& txn, const OpenObject& open,
                                                     const ObjectRequest& source, const Bucket& target,
                                                     std::vector<Piece> pieces) {
  const FoundObject now = co_await require_object(txn, source);
  if (now.bucket.id != open.bucket.id || now.object.body != open.object.body) co_return std::nullopt;
  for (Piece& piece : pieces) {
    if (piece.kind == Piece::Kind::blob) {
      co_await store::refer_to_blob(txn, {piece.id});
      continue;
    }
    const auto bytes = co_await txn.get(stored_body_key(open.bucket.id, piece.id));
    if (!bytes) throw std::runtime_error("a body is missing from the store");
    const std::string_view part = std::string_view(*bytes).substr(piece.offset, piece.size);
    piece = {Piece::Kind::stored, random_id(), 0, piece.size};
    txn.put(stored_body_key(target.id, piece.id), part);
  }
  co_return pieces;
}

}  // namespace tidemill::s3
