#include "wire/pipeline/request_head.h"

namespace tidemill::wire {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] | 0x20) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

RequestHead head_of(const net::Request& request) {
  RequestHead head;
  for (const auto& [name, value] : request.headers.entries()) {
    // By size first: most headers are none of these, and are done with in one comparison.
    switch (name.size()) {
      case 4:
        if (equals_ignoring_case(name, "host")) head.host = value;
        break;
      case 6:
        if (equals_ignoring_case(name, "origin")) head.origin = value;
        break;
      case 12:
        if (equals_ignoring_case(name, "x-amz-target")) head.target = value;
        else if (equals_ignoring_case(name, "content-type")) head.content_type = value;
        break;
      case 13:
        if (equals_ignoring_case(name, "authorization")) head.authorization = value;
        break;
      case 14:
        if (equals_ignoring_case(name, "sec-fetch-site")) head.fetch_site = value;
        break;
      case 15:
        if (equals_ignoring_case(name, "smithy-protocol")) head.rpc_protocol = value;
        break;
      default: break;
    }
  }
  head.method = request.method;
  const std::string_view target = request.target;
  head.path = target.substr(0, target.find('?'));
  return head;
}

}  // namespace tidemill::wire
