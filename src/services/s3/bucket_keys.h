// Where what a bucket holds lies in the store: KeySpace::bucket, the bucket's id, then
//
//   o rest(key)                        -> Object     the current version, if it is an object
//   v string(key) u64(~sequence)       -> Object     all other versions and every delete marker, newest first
//   n rest(key)                        -> u64        the sequence of the null version, if that is among those
//   b fixed(id)                        -> bytes      a small body
//   l fixed(id)                        -> PieceList  where a large body's pieces lie
//   u string(key) rest(upload id)      -> Upload
//   p string(upload id) u32(number)    -> Part
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::s3 {

inline constexpr size_t kBucketIdSize = 16;

[[nodiscard]] std::string bucket_prefix(std::string_view bucket_id);

[[nodiscard]] std::string object_key(std::string_view bucket_id, std::string_view key);
[[nodiscard]] std::string version_key(std::string_view bucket_id, std::string_view key, uint64_t sequence);
[[nodiscard]] std::string null_version_key(std::string_view bucket_id, std::string_view key);
[[nodiscard]] std::string stored_body_key(std::string_view bucket_id, std::string_view id);
[[nodiscard]] std::string piece_list_key(std::string_view bucket_id, std::string_view id);
[[nodiscard]] std::string upload_key(std::string_view bucket_id, std::string_view key, std::string_view upload_id);
[[nodiscard]] std::string part_key(std::string_view bucket_id, std::string_view upload_id, int number);

// Of one key or upload.
[[nodiscard]] store::Range versions_of(std::string_view bucket_id, std::string_view key);
[[nodiscard]] store::Range uploads_of(std::string_view bucket_id, std::string_view key);
[[nodiscard]] store::Range parts_of(std::string_view bucket_id, std::string_view upload_id);

// Of all uploads.
[[nodiscard]] store::Range parts_in(std::string_view bucket_id);

// Those whose keys start with `prefix`.
[[nodiscard]] store::Range objects_with(std::string_view bucket_id, std::string_view prefix);
[[nodiscard]] store::Range versions_with(std::string_view bucket_id, std::string_view prefix);
[[nodiscard]] store::Range uploads_with(std::string_view bucket_id, std::string_view prefix);

// The S3 key in such a store's key.
[[nodiscard]] std::string_view key_of_object(std::string_view store_key);
struct VersionPlace {
  std::string key;
  uint64_t sequence = 0;
};
[[nodiscard]] VersionPlace place_of_version(std::string_view store_key);
struct UploadPlace {
  std::string key;
  std::string upload_id;
};
[[nodiscard]] UploadPlace place_of_upload(std::string_view store_key);

}  // namespace tidemill::s3
