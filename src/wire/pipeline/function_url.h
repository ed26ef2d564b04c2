// Requests to the addresses that functions have of their own: by host, "<id>.lambda-url.us-east-1.localhost:4566" (or
// AWS's own, "….on.aws"), or, where such names do not resolve, by path, "/_tidemill/lambda-url/<id>/…". They are no
// operations: the function sees them whole, and its own rules say which pages may ask. services/lambda answers them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "net/http.h"
#include "wire/pipeline/authenticate.h"

namespace tidemill::wire {

inline constexpr std::string_view kUrlPathStart = "/_tidemill/lambda-url/";

// Of requests to them: an event of it is no longer.
inline constexpr size_t kUrlBodyBytesMax = 6'291'456;

// Views into what it was made of.
struct UrlAddress {
  std::string_view id;      // a-z and 0-9
  std::string_view target;  // what the function sees of the request's target; "" means "/"
  bool is_by_path = false;
};

// Nothing: the request is to no such address.
[[nodiscard]] std::optional<UrlAddress> url_address(std::string_view host, std::string_view target);

struct UrlCall {
  UrlAddress address;
  std::string request_id;
  std::optional<CredentialScope> scope;  // nothing: it is not signed
  // Says who asks; throws Error for who is not who they say. While the request lives.
  std::function<Task<Caller>()> authenticate;
  std::string endpoint;   // as a context has them (wire/context.h)
  std::string source_ip;
  bool is_protected = false;  // the client speaks TLS, with the server or with a proxy that is expected
};

// Any thread.
class FunctionUrls {
 public:
  virtual ~FunctionUrls() = default;
  // Does not throw Error. `request` outlives the task.
  virtual Task<net::Response> answer(net::Request& request, UrlCall call) = 0;
};

}  // namespace tidemill::wire
