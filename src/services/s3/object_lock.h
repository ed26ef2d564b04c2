// Object Lock: versions of objects that are not deleted before a date, or as long as somebody holds them. S3 User
// Guide, "Locking objects with Object Lock". A version is locked, not its key: putting and deleting without a version's
// id go on.
//
// What locks a version stands in its description among the headers, under the names of the headers that ask for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "wire/error.h"

namespace tidemill::s3 {

inline constexpr const char* kLockMode = "x-amz-object-lock-mode";
inline constexpr const char* kLockUntil = "x-amz-object-lock-retain-until-date";
inline constexpr const char* kLegalHold = "x-amz-object-lock-legal-hold";

inline constexpr int kLockDaysMax = 36'500;
inline constexpr int kLockYearsMax = 100;

enum class LockMode { governance, compliance };
[[nodiscard]] std::string_view name_of(LockMode mode);
// "GOVERNANCE", "COMPLIANCE"; nothing for others.
[[nodiscard]] std::optional<LockMode> lock_mode_of(std::string_view name);

struct Retention {
  LockMode mode = LockMode::governance;
  base::Time until;
};

// Of a version's headers; nothing: it was never given any.
[[nodiscard]] std::optional<Retention> retention_of(const TextMap& headers);
[[nodiscard]] std::optional<bool> legal_hold_of(const TextMap& headers);
void set_retention(TextMap& headers, const std::optional<Retention>& retention);
void set_legal_hold(TextMap& headers, bool is_held);
// What does not go into a copy.
void drop_lock(TextMap& headers);

// What a request's headers ask for, checked and put among `headers`. Throws InvalidArgument.
struct LockHeaders {
  std::optional<std::string> mode;
  std::optional<std::string> until;
  std::optional<std::string> legal_hold;
};
void take_lock_headers(const LockHeaders& asked, base::Time now, TextMap& headers);

// Whether the bucket's objects can be locked.
[[nodiscard]] bool has_object_lock(const Bucket& bucket);
// Throws InvalidRequest where they cannot be, and headers ask for it.
void check_lockable(const Bucket& bucket, const TextMap& headers);
// A new version's headers: without a retention of its own it gets the bucket's, counted from `now`. Throws as above.
void lock_as_bucket_says(const Bucket& bucket, base::Time now, TextMap& headers);

// Whether a version may go. `bypasses`: who asks may pass over GOVERNANCE.
[[nodiscard]] bool is_locked(const Object& object, bool bypasses, base::Time now);
// Throws AccessDenied for what is locked.
void check_unlocked(const Object& object, bool bypasses, base::Time now);
[[nodiscard]] wire::Error locked_error();

// Of a request's `x-amz-bypass-governance-retention`.
[[nodiscard]] bool asks_to_bypass(const std::optional<std::string>& header);
// Throws InvalidArgument for a bypass in a bucket without locks.
void check_bypass(const Bucket& bucket, bool bypasses);

}  // namespace tidemill::s3
