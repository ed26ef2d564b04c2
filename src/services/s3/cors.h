// Cross-origin requests: a bucket's rules, and which of them is meant. S3 User Guide, "Using cross-origin resource sharing".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/s3/bucket.h"
#include "wire/pipeline/cross_origin.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

inline constexpr size_t kCorsRulesMax = 100;

using wire::CrossOriginRequest;

// The first rule that allows the request; nullptr: none.
[[nodiscard]] const wire::s3::CORSRule* find_rule(const std::vector<wire::s3::CORSRule>& rules,
                                                  const CrossOriginRequest& request);

// The bucket's rules; none if it has none.
[[nodiscard]] std::vector<wire::s3::CORSRule> rules_of(const Bucket& bucket);

// The headers of an answer to a request that the rule allows.
[[nodiscard]] wire::HeaderList cors_headers(const wire::s3::CORSRule& rule, const CrossOriginRequest& request);

// Whether `text` is of the pattern, in which one '*' may stand for anything.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

}  // namespace tidemill::s3
