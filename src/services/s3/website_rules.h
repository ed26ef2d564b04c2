// What a bucket's website says of a request before any object is read: its documents, redirections and routing rules.
// S3 User Guide, "Hosting a static website using Amazon S3" and "(Optional) Configuring a webpage redirect".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/bucket.h"
#include "services/s3/service.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

inline constexpr size_t kRoutingRulesMax = 50;
inline constexpr int kMovedPermanently = 301;

using Website = wire::s3::WebsiteConfiguration;

// Throws InvalidArgument, InvalidRequest, MalformedXML.
void check_website(const Website& website);
// Nothing: the bucket has none.
[[nodiscard]] std::optional<Website> website_of(const Bucket& bucket);

struct Redirection {
  int status = kMovedPermanently;
  std::string location;
};
// `origin` of the site: "http://host:port". Of the rules that look at the key alone (`status` 0), or at what has gone
// wrong with it. `key` is decoded.
[[nodiscard]] std::optional<Redirection> find_redirection(const Website& website, std::string_view key, int status,
                                                          std::string_view origin);

// The key that a path means: with the index document where it names a folder.
[[nodiscard]] std::string key_of_page(const Website& website, std::string_view path_decoded);

}  // namespace tidemill::s3
