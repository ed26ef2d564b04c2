// Uploads in parts that are under way.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "services/s3/versions.h"
#include "store/store.h"

namespace tidemill::s3 {

// AWS's limits.
inline constexpr int kPartsMax = 10'000;
inline constexpr uint64_t kPartBytesMin = 5 << 20;  // of all but the last
inline constexpr uint64_t kObjectBytesMax = uint64_t{50} << 40;

// Headers of the request that began an upload which its parts and its end cannot have, and which policies judge these
// by as well. They are kept in its description until it is an object.
inline constexpr std::array<std::string_view, 3> kHeadersOfParts = {
    "x-amz-acl", "x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id"};

// Ids sort by the time at which their uploads began.
[[nodiscard]] std::string new_upload_id(base::Time now);

// Nothing: it is not under way.
Task<std::optional<Upload>> find_upload(store::Snapshot& reader, const Bucket& bucket, std::string key, std::string id);
// Throws NoSuchUpload.
Task<Upload> require_upload(store::Snapshot& reader, const Bucket& bucket, std::string key, std::string id);

// All parts that were uploaded, by their numbers.
Task<std::map<int, Part>> load_parts(store::Snapshot& reader, const Bucket& bucket, std::string upload_id);

// Puts a part in the place of one of the same number.
Task<void> save_part(store::Transaction& txn, const Bucket& bucket, const std::string& upload_id, const Part& part,
                     Removals& removals);

// Forgets the upload with all its parts.
Task<void> erase_upload(store::Transaction& txn, const Bucket& bucket, const std::string& key,
                        const std::string& upload_id, Removals& removals);

// Throws InvalidArgument.
void check_part_number(int number);

}  // namespace tidemill::s3
