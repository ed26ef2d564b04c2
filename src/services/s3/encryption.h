// What an object may be asked to be encrypted with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/bucket.h"

namespace tidemill::s3 {

inline constexpr std::string_view kKeyEncryption = "aws:kms";

// Objects are as their bucket's encryption by default says: that may be named once more, as the CDK does with what it puts.
// Throws NotImplemented for any other algorithm or key.
void check_encryption(const Bucket& bucket, const std::optional<std::string>& algorithm, const std::optional<std::string>& key);

}  // namespace tidemill::s3
