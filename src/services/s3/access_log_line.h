// A line of a bucket's access log: "Amazon S3 server access log format" in the user guide.
#pragma once

#include <string>

#include "services/s3/bucket.h"
#include "wire/pipeline/access_log.h"

namespace tidemill::s3 {

// With its end of line.
[[nodiscard]] std::string access_log_line(const Bucket& bucket, const wire::LoggedRequest& request);

}  // namespace tidemill::s3
