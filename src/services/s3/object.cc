#include "services/s3/object.h"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/packed.h"
#include "base/text.h"

namespace tidemill::s3 {
namespace {

constexpr uint8_t kFormat = 1;
constexpr size_t kVersionBytes = 24;  // of which eight are the sequence

constexpr std::string_view kWhat = "a record of a bucket";

void put_algorithm(std::string& out, Algorithm algorithm) { base::append_u8(out, static_cast<uint8_t>(algorithm)); }

std::optional<Algorithm> find_algorithm(base::OrderedReader& in) {
  const uint8_t number = in.u8();
  if (number == 0 || number > kAlgorithms.size()) return std::nullopt;
  return static_cast<Algorithm>(number);
}

Algorithm get_algorithm(base::OrderedReader& in) { return find_algorithm(in).value_or(kAlgorithmDefault); }

constexpr auto kChecksumParts = [](auto& part, auto& checksum) {
  part(checksum.type);
  part(checksum.bytes);
  part(checksum.parts);
};

// Its algorithm, which is 0 if there is none, says whether more of it follows.
void put_checksum(std::string& out, const std::optional<Checksum>& checksum) {
  if (!checksum) return base::append_u8(out, 0);
  put_algorithm(out, checksum->algorithm);
  base::PartWriter part(out);
  kChecksumParts(part, *checksum);
}

std::optional<Checksum> get_checksum(base::OrderedReader& in) {
  const auto algorithm = find_algorithm(in);
  if (!algorithm) return std::nullopt;
  Checksum checksum{.algorithm = *algorithm};
  base::PartReader part(in);
  kChecksumParts(part, checksum);
  return checksum;
}

constexpr auto kPieceParts = [](auto& part, auto& piece) {
  part(piece.kind);
  part.fixed(piece.id, Piece::kIdSize);
  part(piece.offset);
  part(piece.size);
};

constexpr auto kDescriptionParts = [](auto& part, auto& description) {
  part(description.system);
  part(description.user);
  part(description.tags);
};

constexpr auto kObjectParts = [](auto& part, auto& object) {
  part(object.sequence);
  part(object.version);
  part(object.is_marker);
  part(object.modified);
  part(object.noncurrent_since);
  part(object.size);
  part(object.etag);
  part(object.checksum, put_checksum, get_checksum);
  part(object.parts);
  part.list(object.body.pieces, kPieceParts);
  part(object.body.list);
  kDescriptionParts(part, object.description);
  part.last(object.upload);
  part.end();
};

constexpr auto kPieceListParts = [](auto& part, auto& list) {
  part.list(list.pieces, kPieceParts);
  part.list(list.parts, [](auto& inside, auto& of_object) {
    inside(of_object.number);
    inside(of_object.size);
    inside(of_object.checksum);
  });
  part.end();
};

constexpr auto kUploadParts = [](auto& part, auto& upload) {
  part(upload.id);
  part(upload.initiated);
  part(upload.algorithm, put_algorithm, get_algorithm);
  part(upload.type);
  part(upload.asked_for_checksum);
  kDescriptionParts(part, upload.description);
  part.last(upload.found_etag);
};

constexpr auto kPartParts = [](auto& part, auto& of_upload) {
  part(of_upload.number);
  part(of_upload.modified);
  part(of_upload.size);
  part(of_upload.md5);
  part(of_upload.checksum);
  part.list(of_upload.pieces, kPieceParts);
  part.end();
};

std::string random_bytes(size_t size) {
  std::string bytes(size, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return bytes;
}

}  // namespace

std::string encode_object(const Object& object) { return base::pack(kFormat, object, kObjectParts); }
std::string encode_pieces(const PieceList& list) { return base::pack(kFormat, list, kPieceListParts); }
std::string encode_upload(const Upload& upload) { return base::pack(kFormat, upload, kUploadParts); }
std::string encode_part(const Part& part) { return base::pack(kFormat, part, kPartParts); }

Object decode_object(std::string_view bytes) { return base::unpack<Object>(kFormat, bytes, kObjectParts, kWhat); }
PieceList decode_pieces(std::string_view bytes) { return base::unpack<PieceList>(kFormat, bytes, kPieceListParts, kWhat); }
Upload decode_upload(std::string_view bytes) { return base::unpack<Upload>(kFormat, bytes, kUploadParts, kWhat); }
Part decode_part(std::string_view bytes) { return base::unpack<Part>(kFormat, bytes, kPartParts, kWhat); }

std::string new_version_id(uint64_t sequence) {
  std::string bytes;
  base::append_u64(bytes, sequence);
  bytes += random_bytes(kVersionBytes - bytes.size());
  std::string text = base::base64_encode(bytes);
  std::ranges::replace(text, '+', '.');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<uint64_t> sequence_of_version(std::string_view version) {
  std::string text(version);
  std::ranges::replace(text, '.', '+');
  std::ranges::replace(text, '_', '/');
  const auto bytes = base::base64_decode(text);
  if (!bytes || bytes->size() != kVersionBytes) return std::nullopt;
  return base::OrderedReader(*bytes).u64();
}

std::string random_id() { return random_bytes(Piece::kIdSize); }

}  // namespace tidemill::s3
