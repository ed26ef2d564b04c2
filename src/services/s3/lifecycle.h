// The lifecycle of objects: rules that expire them, their old versions and uploads that nobody finishes. S3 User Guide,
// "Managing the lifecycle of objects".
//
// What a rule gives days is due at the midnight (UTC) that follows; so a bucket with rules has one timer, which is due at
// each midnight, and looks through the bucket then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/timer_service.h"
#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "services/s3/service.h"
#include "store/timer.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

inline constexpr store::TimerKind kLifecycleTimer{"s3-lifecycle"};
inline constexpr size_t kRulesMax = 1000;

using Rules = std::vector<wire::s3::LifecycleRule>;

// The bucket's rules that are enabled.
[[nodiscard]] Rules lifecycle_rules(const Bucket& bucket);

// When something is due, and by which rule.
struct Due {
  base::Time time;
  std::string rule;
};

// The next midnight after `days` have passed since `time`.
[[nodiscard]] base::Time midnight_after(base::Time time, int days);

// Of a current object; of a version that is none any more and has `newer` noncurrent ones before it; of a delete marker that
// is a key's only version; of an upload. Nothing: no rule means it.
[[nodiscard]] std::optional<Due> expiry_of(const Rules& rules, const std::string& key, const Object& object);
[[nodiscard]] std::optional<Due> noncurrent_expiry_of(const Rules& rules, const std::string& key, const Object& object,
                                                      int newer);
[[nodiscard]] std::optional<Due> lone_marker_expiry_of(const Rules& rules, const std::string& key, const Object& marker);
[[nodiscard]] std::optional<Due> abort_of(const Rules& rules, const std::string& key, const Upload& upload);

// The header x-amz-expiration; nothing: no rule means the object.
[[nodiscard]] std::optional<std::string> expiration_header(const Bucket& bucket, const std::string& key,
                                                           const Object& object);
[[nodiscard]] std::optional<Due> abort_of(const Bucket& bucket, const std::string& key, const Upload& upload);

// With the bucket's record.
Task<void> schedule_lifecycle(store::Transaction& txn, const Bucket& bucket, base::Time now);
Task<void> cancel_lifecycle(store::Transaction& txn, const Bucket& bucket);

// Carries out what is due and sets the timer for the next midnight.
Task<void> run_lifecycle(Service& service, store::Timer timer);

}  // namespace tidemill::s3
