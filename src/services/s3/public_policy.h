// Whether a bucket's policy lets everybody in, as S3 User Guide, "Blocking public access", means it: a statement that
// allows something to whoever comes, without holding them to fixed values of a condition key that tells who they are.
#pragma once

#include <string_view>

#include "services/s3/bucket.h"

namespace tidemill::s3 {

// False for what is no policy.
[[nodiscard]] bool is_public_policy(std::string_view document);

// RestrictPublicBuckets: the bucket's policy is public, and lets in its own account and AWS's services all the same.
[[nodiscard]] bool restricts_public_policy(const Bucket& bucket);

}  // namespace tidemill::s3
