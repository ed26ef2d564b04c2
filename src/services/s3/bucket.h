// What a bucket is, and how it is kept in the store: store/resources.h, ("s3", "bucket"), without account and region, since
// the names of buckets are one space for all.
//
// The record also guards what the bucket holds: whoever changes that reads the record in the same transaction, so that
// deleting the bucket, which erases it, conflicts with all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/s3/object.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::s3 {

enum class Versioning : uint8_t { never, enabled, suspended };

struct Bucket {
  std::string name;
  std::string id;  // kBucketIdSize random bytes: a bucket that is made again has another
  std::string account;
  std::string region;
  base::Time created;
  Versioning versioning = Versioning::never;
  TextMap tags;
  // Documents as the API gives them, by their names in requests: "cors", "lifecycle", "policy", …
  TextMap settings;

  [[nodiscard]] const std::string* setting(const std::string& setting_name) const {
    const auto found = settings.find(setting_name);
    return found == settings.end() ? nullptr : &found->second;
  }
};

[[nodiscard]] std::string bucket_key(std::string_view name);
// All buckets, in the order of their names.
[[nodiscard]] store::Range buckets_range();

[[nodiscard]] std::string encode_bucket(const Bucket& bucket);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Bucket decode_bucket(std::string_view bytes);

// Throws InvalidBucketName. S3 User Guide, "General purpose buckets naming rules".
void check_bucket_name(std::string_view name);

Task<std::optional<Bucket>> find_bucket(store::Snapshot& reader, std::string name);
// Throws NoSuchBucket, AccessDenied if it is not `expected_owner`'s, and InvalidBucketOwnerAWSAccountID if that is nobody's.
Task<Bucket> require_bucket(store::Snapshot& reader, std::string name, std::optional<std::string> expected_owner = {});

void save_bucket(store::Transaction& txn, const Bucket& bucket);

// "arn:aws:s3:::name"
[[nodiscard]] std::string bucket_arn(std::string_view name);

// The canonical id by which S3 shows an account: 64 hexadecimal digits.
[[nodiscard]] std::string canonical_id(std::string_view account);

}  // namespace tidemill::s3
