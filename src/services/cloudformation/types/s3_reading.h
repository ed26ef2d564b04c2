// AWS::S3::Bucket as it is: each of its configurations is asked for by an operation of its own.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// In the words of the type's properties, but for AccessControl, which only says how lists are made. Throws what S3 says of
// a bucket that is not there.
Task<json::Object> read_bucket(Step& step, std::string name);
Task<std::vector<std::string>> list_buckets(Step& step);

}  // namespace tidemill::cloudformation
