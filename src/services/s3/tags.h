// The rules of tags. S3 API reference, "PutObjectTagging" and "PutBucketTagging".
#pragma once

#include "services/s3/object.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

inline constexpr size_t kObjectTagsMax = 10;
inline constexpr size_t kBucketTagsMax = 50;

// Throw BadRequest for too many, InvalidTag for one that is none.
void check_object_tags(const TextMap& tags);
void check_bucket_tags(const TextMap& tags);
// Of a bucket that is made with them, where AWS has other words for keys of its own.
void check_new_bucket_tags(const TextMap& tags);

// Throws InvalidTag for two of one key.
[[nodiscard]] TextMap tags_of(const std::vector<wire::s3::Tag>& set);
[[nodiscard]] std::vector<wire::s3::Tag> tag_set_of(const TextMap& tags);

}  // namespace tidemill::s3
