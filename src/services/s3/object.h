// What an object's version, an upload and a part of one are, and how the store keeps them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "services/s3/checksum.h"

namespace tidemill::s3 {

using TextMap = std::map<std::string, std::string>;

inline constexpr std::string_view kNullVersion = "null";

// Where bytes of a body lie: in the store or in a blob (store/blobs.h), from `offset` on.
struct Piece {
  static constexpr size_t kIdSize = 16;
  enum class Kind : uint8_t { stored = 1, blob = 2 };
  Kind kind = Kind::stored;
  std::string id;
  uint64_t offset = 0;
  uint64_t size = 0;
  bool operator==(const Piece&) const = default;
};

// A body of one piece or none is told in its object's record, one of several in a list of its own.
struct Body {
  std::vector<Piece> pieces;  // at most one
  std::string list;           // Piece::kIdSize bytes, or empty
  bool operator==(const Body&) const = default;
};

// What a request says of an object beside its bytes.
struct Description {
  TextMap system;  // "content-type", "cache-control", …: in lower case, as they were sent
  TextMap user;    // x-amz-meta-…, without that
  TextMap tags;
  bool operator==(const Description&) const = default;
};

// A version of an object, or a delete marker.
struct Object {
  uint64_t sequence = 0;  // rises with each version of a key
  std::string version = std::string(kNullVersion);
  bool is_marker = false;
  base::Time modified;
  std::optional<base::Time> noncurrent_since;
  uint64_t size = 0;
  std::string etag;  // hexadecimal, without quotes: "…", or "…-3" of three parts
  std::optional<Checksum> checksum;
  int parts = 0;     // of an upload in parts; 0: made in one
  Body body;
  Description description;
  std::string upload;  // the id of the upload that made it; empty: none did, or it was copied

  [[nodiscard]] bool is_null() const { return version == kNullVersion; }
  bool operator==(const Object&) const = default;
};

// What an object's list of pieces holds; and what is told of its parts, if it was uploaded in parts.
struct PartOfObject {
  int number = 0;
  uint64_t size = 0;
  std::string checksum;  // bytes, or empty
};
struct PieceList {
  std::vector<Piece> pieces;
  std::vector<PartOfObject> parts;
};

// An upload in parts under way.
struct Upload {
  std::string id;  // as clients know it
  base::Time initiated;
  Description description;
  Algorithm algorithm = kAlgorithmDefault;
  ChecksumType type = ChecksumType::full_object;
  bool asked_for_checksum = false;  // the client chose them
  std::string found_etag;           // of the object that the key had when the upload began; empty: none
};

struct Part {
  int number = 0;
  base::Time modified;
  uint64_t size = 0;
  std::string md5;       // bytes
  std::string checksum;  // bytes, of the upload's algorithm
  std::vector<Piece> pieces;
};

[[nodiscard]] std::string encode_object(const Object& object);
[[nodiscard]] std::string encode_pieces(const PieceList& list);
[[nodiscard]] std::string encode_upload(const Upload& upload);
[[nodiscard]] std::string encode_part(const Part& part);
// Throw std::runtime_error if `bytes` are damaged.
[[nodiscard]] Object decode_object(std::string_view bytes);
[[nodiscard]] PieceList decode_pieces(std::string_view bytes);
[[nodiscard]] Upload decode_upload(std::string_view bytes);
[[nodiscard]] Part decode_part(std::string_view bytes);

// The version ids that clients see: 32 characters that tell the sequence.
[[nodiscard]] std::string new_version_id(uint64_t sequence);
// Nothing: not of that form.
[[nodiscard]] std::optional<uint64_t> sequence_of_version(std::string_view version);

[[nodiscard]] std::string random_id();  // Piece::kIdSize bytes

}  // namespace tidemill::s3
