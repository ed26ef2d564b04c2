#include "services/s3/bucket_keys.h"

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::s3 {
namespace {

constexpr char kObject = 'o';
constexpr char kVersion = 'v';
constexpr char kNullVersionPart = 'n';
constexpr char kStoredBody = 'b';
constexpr char kPieceList = 'l';
constexpr char kUpload = 'u';
constexpr char kPart = 'p';
constexpr size_t kPrefixSize = 1 + kBucketIdSize + 1;
constexpr size_t kStringEndSize = 2;  // of base::append_string

std::string prefix(std::string_view bucket_id, char part) {
  std::string key = bucket_prefix(bucket_id);
  key.push_back(part);
  return key;
}

std::string with_string(std::string_view bucket_id, char part, std::string_view text) {
  std::string key = prefix(bucket_id, part);
  base::append_string(key, text);
  return key;
}

// Every string that starts with `text`.
store::Range strings_with(std::string_view bucket_id, char part, std::string_view text) {
  std::string key = with_string(bucket_id, part, text);
  key.resize(key.size() - kStringEndSize);
  return store::Range::prefix(key);
}

}  // namespace

std::string bucket_prefix(std::string_view bucket_id) {
  std::string key(1, static_cast<char>(store::KeySpace::bucket));
  base::append_fixed(key, bucket_id);
  return key;
}

std::string object_key(std::string_view bucket_id, std::string_view key) {
  return prefix(bucket_id, kObject).append(key);
}

std::string version_key(std::string_view bucket_id, std::string_view key, uint64_t sequence) {
  std::string result = with_string(bucket_id, kVersion, key);
  base::append_u64(result, ~sequence);
  return result;
}

std::string null_version_key(std::string_view bucket_id, std::string_view key) {
  return prefix(bucket_id, kNullVersionPart).append(key);
}

std::string stored_body_key(std::string_view bucket_id, std::string_view id) {
  return prefix(bucket_id, kStoredBody).append(id);
}

std::string piece_list_key(std::string_view bucket_id, std::string_view id) {
  return prefix(bucket_id, kPieceList).append(id);
}

std::string upload_key(std::string_view bucket_id, std::string_view key, std::string_view upload_id) {
  return with_string(bucket_id, kUpload, key).append(upload_id);
}

std::string part_key(std::string_view bucket_id, std::string_view upload_id, int number) {
  std::string key = with_string(bucket_id, kPart, upload_id);
  base::append_u32(key, static_cast<uint32_t>(number));
  return key;
}

store::Range versions_of(std::string_view bucket_id, std::string_view key) {
  return store::Range::prefix(with_string(bucket_id, kVersion, key));
}

store::Range uploads_of(std::string_view bucket_id, std::string_view key) {
  return store::Range::prefix(with_string(bucket_id, kUpload, key));
}

store::Range parts_of(std::string_view bucket_id, std::string_view upload_id) {
  return store::Range::prefix(with_string(bucket_id, kPart, upload_id));
}

store::Range parts_in(std::string_view bucket_id) { return store::Range::prefix(prefix(bucket_id, kPart)); }

store::Range objects_with(std::string_view bucket_id, std::string_view text) {
  return store::Range::prefix(prefix(bucket_id, kObject).append(text));
}

store::Range versions_with(std::string_view bucket_id, std::string_view text) {
  return strings_with(bucket_id, kVersion, text);
}

store::Range uploads_with(std::string_view bucket_id, std::string_view text) {
  return strings_with(bucket_id, kUpload, text);
}

std::string_view key_of_object(std::string_view store_key) { return store_key.substr(kPrefixSize); }

VersionPlace place_of_version(std::string_view store_key) {
  base::OrderedReader reader(store_key.substr(kPrefixSize));
  VersionPlace place;
  place.key = reader.string();
  place.sequence = ~reader.u64();
  return place;
}

UploadPlace place_of_upload(std::string_view store_key) {
  base::OrderedReader reader(store_key.substr(kPrefixSize));
  UploadPlace place;
  place.key = reader.string();
  place.upload_id = reader.rest();
  return place;
}

}  // namespace tidemill::s3
