// Reading and changing the settings of buckets, and those that a new bucket has.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "services/s3/bucket.h"
#include "services/s3/service.h"
#include "services/s3/settings_document.h"

namespace tidemill::s3 {

// As AWS makes buckets since 2023: no public access, no access control lists, unless `ownership` says otherwise.
void set_defaults(Bucket& bucket, const std::optional<std::string>& ownership);

// Whether there is such an ownership at all.
[[nodiscard]] bool is_object_ownership(std::string_view ownership);
inline constexpr std::string_view kOwnerEnforced = "BucketOwnerEnforced";

// Throws NoSuchBucket, AccessDenied (another owner is expected).
Task<Bucket> read_bucket(Service& service, std::string name, std::optional<std::string> owner);
Task<void> change_bucket(Service& service, std::string name, std::optional<std::string> owner,
                         std::function<void(Bucket& bucket)> change);
Task<void> drop_setting(Service& service, std::string name, std::optional<std::string> owner, const char* setting);

// Throws `error` if the bucket has no such setting.
template <class PutOperation>
typename PutOperation::Request require_setting(const Bucket& bucket, const char* name, const wire::Error& error) {
  const std::string* document = bucket.setting(name);
  if (!document) throw error;
  return read_document<PutOperation>(*document);
}

}  // namespace tidemill::s3
