// Where a TemplateURL leads: a bucket and a key of this server's S3, whichever of S3's hosts it names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::cloudformation {

struct S3Location {
  std::string bucket;
  std::string key;
  std::string version;  // empty: the newest
};

// https://s3.amazonaws.com/b/k, https://s3.REGION.amazonaws.com/b/k, https://s3-REGION…, https://b.s3.REGION.amazonaws.com/k,
// and the same two forms at `endpoint` ("http://127.0.0.1:4566") or localhost. Nothing: it is none of these.
[[nodiscard]] std::optional<S3Location> parse_template_url(std::string_view url, std::string_view endpoint);

}  // namespace tidemill::cloudformation
