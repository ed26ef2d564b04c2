// The parts of a request that tell what it means and who may have sent it, found in one pass over its headers.
#pragma once

#include <string_view>

#include "net/http.h"

namespace tidemill::wire {

// Views into the request; empty where it has no such header.
struct RequestHead {
  std::string_view method;
  std::string_view path;          // encoded, without the query; with the bucket that the host may name
  std::string_view target;        // X-Amz-Target
  std::string_view authorization;
  std::string_view host;
  std::string_view content_type;
  std::string_view rpc_protocol;  // smithy-protocol
  std::string_view origin;        // of the page for which a browser asks
  std::string_view fetch_site;    // Sec-Fetch-Site: how that page stands to this server
};

[[nodiscard]] RequestHead head_of(const net::Request& request);

// Whether the words are the same without regard to case; `lower` is lower case already.
[[nodiscard]] bool equals_ignoring_case(std::string_view text, std::string_view lower);

}  // namespace tidemill::wire
