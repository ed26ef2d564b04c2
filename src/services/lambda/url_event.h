// A request to a function's URL as the function sees it: an event of payload format 2.0 (AWS: "Invoking Lambda function
// URLs", request payload format).
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "net/http.h"
#include "wire/pipeline/authenticate.h"

namespace tidemill::lambda {

struct UrlRequest {
  const net::Request& request;
  std::string_view target;  // as the function is to see it
  std::string_view url_id;
  std::string_view request_id;
  std::string trace_header;
  base::Time now;
  bool is_protected = false;  // the client speaks TLS
  // Who has signed it; null where the URL asks for no signature.
  const wire::Caller* caller = nullptr;
};

// The event without its body, and what the body is said to be.
struct UrlEvent {
  base::json::Object event;
  std::string content_type;
};
[[nodiscard]] UrlEvent url_event(const UrlRequest& request);

// JSON of the whole. Uses nothing but its parameters, so that a body of megabytes can be put into it on a thread.
[[nodiscard]] std::string with_body(UrlEvent event, const std::string& body);

}  // namespace tidemill::lambda
