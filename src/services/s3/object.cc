#include "services/s3/object.h"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"

namespace tidemill::s3 {
namespace {

constexpr uint8_t kFormat = 1;
constexpr size_t kVersionBytes = 24;  // of which eight are the sequence

void put_time(std::string& out, base::Time time) { base::append_i64(out, time.time_since_epoch().count()); }
base::Time get_time(base::OrderedReader& in) { return base::Time(base::Duration(in.i64())); }

void put_map(std::string& out, const TextMap& map) {
  base::append_u32(out, static_cast<uint32_t>(map.size()));
  for (const auto& [name, value] : map) {
    base::append_string(out, name);
    base::append_string(out, value);
  }
}

TextMap get_map(base::OrderedReader& in) {
  TextMap map;
  const uint32_t count = in.u32();
  for (uint32_t i = 0; i < count && in.ok(); ++i) {
    std::string name = in.string();
    map.emplace(std::move(name), in.string());
  }
  return map;
}

void put_description(std::string& out, const Description& description) {
  put_map(out, description.system);
  put_map(out, description.user);
  put_map(out, description.tags);
}

Description get_description(base::OrderedReader& in) {
  Description description;
  description.system = get_map(in);
  description.user = get_map(in);
  description.tags = get_map(in);
  return description;
}

void put_pieces(std::string& out, const std::vector<Piece>& pieces) {
  base::append_u32(out, static_cast<uint32_t>(pieces.size()));
  for (const Piece& piece : pieces) {
    base::append_u8(out, static_cast<uint8_t>(piece.kind));
    base::append_fixed(out, piece.id);
    base::append_u64(out, piece.offset);
    base::append_u64(out, piece.size);
  }
}

std::vector<Piece> get_pieces(base::OrderedReader& in) {
  std::vector<Piece> pieces;
  const uint32_t count = in.u32();
  for (uint32_t i = 0; i < count && in.ok(); ++i) {
    Piece piece;
    piece.kind = static_cast<Piece::Kind>(in.u8());
    piece.id = in.fixed(Piece::kIdSize);
    piece.offset = in.u64();
    piece.size = in.u64();
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

void put_checksum(std::string& out, const std::optional<Checksum>& checksum) {
  base::append_u8(out, checksum ? static_cast<uint8_t>(checksum->algorithm) : 0);
  if (!checksum) return;
  base::append_u8(out, static_cast<uint8_t>(checksum->type));
  base::append_string(out, checksum->bytes);
  base::append_u32(out, static_cast<uint32_t>(checksum->parts));
}

std::optional<Algorithm> get_algorithm(base::OrderedReader& in) {
  const uint8_t number = in.u8();
  if (number == 0 || number > kAlgorithms.size()) return std::nullopt;
  return static_cast<Algorithm>(number);
}

std::optional<Checksum> get_checksum(base::OrderedReader& in) {
  const auto algorithm = get_algorithm(in);
  if (!algorithm) return std::nullopt;
  Checksum checksum{.algorithm = *algorithm};
  checksum.type = static_cast<ChecksumType>(in.u8());
  checksum.bytes = in.string();
  checksum.parts = static_cast<int>(in.u32());
  return checksum;
}

base::OrderedReader open(std::string_view bytes) {
  base::OrderedReader in(bytes);
  if (in.u8() != kFormat) throw std::runtime_error("a record of a bucket is of another format");
  return in;
}

void close(const base::OrderedReader& in) {
  if (!in.ok() || !in.at_end()) throw std::runtime_error("a record of a bucket is damaged");
}

std::string random_bytes(size_t size) {
  std::string bytes(size, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return bytes;
}

}  // namespace

std::string encode_object(const Object& object) {
  std::string out;
  base::append_u8(out, kFormat);
  base::append_u64(out, object.sequence);
  base::append_string(out, object.version);
  base::append_u8(out, object.is_marker);
  put_time(out, object.modified);
  base::append_u8(out, object.noncurrent_since.has_value());
  if (object.noncurrent_since) put_time(out, *object.noncurrent_since);
  base::append_u64(out, object.size);
  base::append_string(out, object.etag);
  put_checksum(out, object.checksum);
  base::append_u32(out, static_cast<uint32_t>(object.parts));
  put_pieces(out, object.body.pieces);
  base::append_string(out, object.body.list);
  put_description(out, object.description);
  if (!object.upload.empty()) base::append_string(out, object.upload);
  return out;
}

Object decode_object(std::string_view bytes) {
  base::OrderedReader in = open(bytes);
  Object object;
  object.sequence = in.u64();
  object.version = in.string();
  object.is_marker = in.u8() != 0;
  object.modified = get_time(in);
  if (in.u8() != 0) object.noncurrent_since = get_time(in);
  object.size = in.u64();
  object.etag = in.string();
  object.checksum = get_checksum(in);
  object.parts = static_cast<int>(in.u32());
  object.body.pieces = get_pieces(in);
  object.body.list = in.string();
  object.description = get_description(in);
  if (!in.at_end()) object.upload = in.string();
  close(in);
  return object;
}

std::string encode_pieces(const PieceList& list) {
  std::string out;
  base::append_u8(out, kFormat);
  put_pieces(out, list.pieces);
  base::append_u32(out, static_cast<uint32_t>(list.parts.size()));
  for (const PartOfObject& part : list.parts) {
    base::append_u32(out, static_cast<uint32_t>(part.number));
    base::append_u64(out, part.size);
    base::append_string(out, part.checksum);
  }
  return out;
}

PieceList decode_pieces(std::string_view bytes) {
  base::OrderedReader in = open(bytes);
  PieceList list;
  list.pieces = get_pieces(in);
  const uint32_t count = in.u32();
  for (uint32_t i = 0; i < count && in.ok(); ++i) {
    PartOfObject part;
    part.number = static_cast<int>(in.u32());
    part.size = in.u64();
    part.checksum = in.string();
    list.parts.push_back(std::move(part));
  }
  close(in);
  return list;
}

std::string encode_upload(const Upload& upload) {
  std::string out;
  base::append_u8(out, kFormat);
  base::append_string(out, upload.id);
  put_time(out, upload.initiated);
  base::append_u8(out, static_cast<uint8_t>(upload.algorithm));
  base::append_u8(out, static_cast<uint8_t>(upload.type));
  base::append_u8(out, upload.asked_for_checksum);
  put_description(out, upload.description);
  return out;
}

Upload decode_upload(std::string_view bytes) {
  base::OrderedReader in = open(bytes);
  Upload upload;
  upload.id = in.string();
  upload.initiated = get_time(in);
  upload.algorithm = get_algorithm(in).value_or(kAlgorithmDefault);
  upload.type = static_cast<ChecksumType>(in.u8());
  upload.asked_for_checksum = in.u8() != 0;
  upload.description = get_description(in);
  close(in);
  return upload;
}

std::string encode_part(const Part& part) {
  std::string out;
  base::append_u8(out, kFormat);
  base::append_u32(out, static_cast<uint32_t>(part.number));
  put_time(out, part.modified);
  base::append_u64(out, part.size);
  base::append_string(out, part.md5);
  base::append_string(out, part.checksum);
  put_pieces(out, part.pieces);
  return out;
}

Part decode_part(std::string_view bytes) {
  base::OrderedReader in = open(bytes);
  Part part;
  part.number = static_cast<int>(in.u32());
  part.modified = get_time(in);
  part.size = in.u64();
  part.md5 = in.string();
  part.checksum = in.string();
  part.pieces = get_pieces(in);
  close(in);
  return part;
}

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
