// Requests to buckets' websites, which are told by their hosts: "<bucket>.s3-website.localhost:4566",
// "<bucket>.s3-website-us-east-1.amazonaws.com", "<bucket>.s3-website.us-east-1.amazonaws.com". They are no operations:
// browsers ask for pages, and nobody signs. services/s3 answers them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "net/http.h"

namespace tidemill::wire {

// The bucket of such a host; nothing: the request is to no website.
[[nodiscard]] std::optional<std::string> website_bucket(std::string_view host);

struct WebsiteCall {
  std::string bucket;
  std::string path;    // still encoded, from its slash on, without the query
  std::string origin;  // "http://host": where the site is
  std::string request_id;
  std::string source_ip;
  bool may_read = true;  // false: signatures are checked, and nobody judges what everybody may read
};

// Any thread.
class Websites {
 public:
  virtual ~Websites() = default;
  // Does not throw Error. `request` outlives the task.
  virtual Task<net::Response> answer(net::Request& request, WebsiteCall call) = 0;
};

}  // namespace tidemill::wire
