// S3's virtual-host style: the bucket stands in the Host header instead of the path.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::wire {

// The bucket of "photos.s3.us-east-1.amazonaws.com", "photos.s3.localhost:4566" and the like, whoever signs. Of
// "photos.localhost:4566" and "photos.<own name>" only if `may_be_bucket` says so of "photos": the name could as well be
// another service's. Nothing for path style ("s3.localhost", addresses).
[[nodiscard]] std::optional<std::string> bucket_of_host(std::string_view host, std::span<const std::string> own_names,
                                                        const std::function<bool(std::string_view)>& may_be_bucket);

}  // namespace tidemill::wire
