// Puts an object into an S3 bucket by the bucket's ARN (arn:aws:s3:::BUCKET).
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::engine {

// Chosen once, when the delivery is enqueued: a second attempt then writes the same object again.
struct BucketObject {
  std::string key;           // 1 to 1,024 bytes of UTF-8
  std::string content_type;  // empty: S3's default
  std::string body;
};

// For the payload of a delivery of kind kBucketTarget.
[[nodiscard]] std::string encode_bucket_object(const BucketObject& object);
// Throws std::runtime_error.
[[nodiscard]] BucketObject decode_bucket_object(std::string_view bytes);

// rejected: there is no such bucket, or the key is none. unavailable: the store has too much to do.
Task<store::SendOutcome> put_into_bucket(wire::Platform& platform, std::string_view bucket_arn,
                                         const BucketObject& object,
                                         wire::Principal by = wire::Principal::platform());

}  // namespace tidemill::engine
