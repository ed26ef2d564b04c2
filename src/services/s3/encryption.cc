#include "services/s3/encryption.h"

#include "base/text.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/settings_document.h"

namespace tidemill::s3 {
namespace {

shapes::ServerSideEncryptionByDefault default_of(const Bucket& bucket) {
  if (const std::string* document = bucket.setting(kEncryptionRules)) {
    const auto kept = read_document<shapes::ops::PutBucketEncryption>(*document);
    const auto& rules = kept.server_side_encryption_configuration.rules;
    if (!rules.empty() && rules.front().apply_server_side_encryption_by_default) {
      return *rules.front().apply_server_side_encryption_by_default;
    }
  }
  return {.sse_algorithm = std::string(kEncryption)};
}

}  // namespace

void check_encryption(const Bucket& bucket, const std::optional<std::string>& algorithm, const std::optional<std::string>& key) {
  if (!algorithm && !key) return;
  if (algorithm == kEncryption && !key) return;
  const shapes::ServerSideEncryptionByDefault by_default = default_of(bucket);
  const std::string asked = algorithm.value_or("");
  if (asked != kKeyEncryption || by_default.sse_algorithm != kKeyEncryption) {
    throw errors::not_implemented(base::cat("the encryption ", asked, " of an object whose bucket has ", by_default.sse_algorithm));
  }
  if (key && key != by_default.kms_master_key_id) {
    throw errors::not_implemented(base::cat("the encryption of an object with another key than its bucket's, ", *key));
  }
}

}  // namespace tidemill::s3
