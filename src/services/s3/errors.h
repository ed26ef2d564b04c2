// Refusals that several operations share, with AWS's words: code, status, message and the elements that AWS adds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/error.h"

namespace tidemill::s3::errors {

using Details = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] wire::Error error(std::string code, int status, std::string message, Details details = {});

[[nodiscard]] wire::Error no_such_bucket(std::string_view bucket);
[[nodiscard]] wire::Error no_such_key(std::string_view key);
[[nodiscard]] wire::Error no_such_version(std::string_view key, std::string_view version);
[[nodiscard]] wire::Error no_such_upload(std::string_view upload);
[[nodiscard]] wire::Error invalid_argument(std::string message, std::string_view name, std::string_view value);
[[nodiscard]] wire::Error invalid_request(std::string message);
[[nodiscard]] wire::Error malformed_xml();
// Something that AWS has and Tidemill lacks.
[[nodiscard]] wire::Error not_implemented(std::string_view what);
// `header`: the condition that did not hold.
[[nodiscard]] wire::Error precondition_failed(std::string_view header);
[[nodiscard]] wire::Error entity_too_large(uint64_t size, uint64_t size_max);
[[nodiscard]] wire::Error access_denied();

}  // namespace tidemill::s3::errors
