// The configurations of a bucket: what a template calls them, and what S3's operations do.
#pragma once

#include <string>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// Before an update that adds a configuration of which the template has said nothing: notes what stands of it, for the
// way back.
Task<void> note_bucket_configurations(Step& step, std::string bucket, const json::Object& before,
                                      const json::Object& after);

// Sets what differs between the properties, and takes away what is gone.
Task<void> change_bucket_configurations(Step& step, std::string bucket, const json::Object& before,
                                        const json::Object& after);

// In S3's words: what PutBucketLifecycleConfiguration and PutBucketNotificationConfiguration take.
[[nodiscard]] json::Object lifecycle_rules(const json::Object& configuration);
[[nodiscard]] json::Object bucket_notifications(const json::Object& configuration);

}  // namespace tidemill::cloudformation
