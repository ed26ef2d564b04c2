// The conditions of requests: RFC 9110 section 13, as S3 understands them (S3 User Guide, "Conditional requests").
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/object.h"

namespace tidemill::s3 {

struct ReadConditions {
  std::optional<std::string> if_match;
  std::optional<std::string> if_none_match;
  std::optional<std::string> if_modified_since;    // dates that are none ask for nothing
  std::optional<std::string> if_unmodified_since;
};

// Throws PreconditionFailed, or NotModified (304) with the object's ETag.
void check_read(const Object& object, const ReadConditions& conditions, base::Time now);
// The same of a copy's source, where all that fails is PreconditionFailed.
void check_copy_source(const Object& object, const ReadConditions& conditions, base::Time now);

// Of a key's current version, before it is replaced or deleted; nullptr: there is none. Throws PreconditionFailed,
// NoSuchKey, and NotImplemented for what S3 does not compare.
void check_write(const Object* current, std::string_view key, const std::optional<std::string>& if_match,
                 const std::optional<std::string>& if_none_match);

// The same where an upload is completed, and ConditionalRequestConflict if the key was written or deleted since it began:
// the client must begin another.
void check_completion(const Object* current, std::string_view key, const Upload& upload,
                      const std::optional<std::string>& if_match, const std::optional<std::string>& if_none_match);

// Whether a list of entity tags ("a", W/"b", or *) has this one.
[[nodiscard]] bool has_tag(std::string_view list, std::string_view etag);

}  // namespace tidemill::s3
