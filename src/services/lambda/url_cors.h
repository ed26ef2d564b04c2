// The rules of a function's URL for web pages: the service answers preflights itself, and its headers take the place of
// what the function says about pages, as on AWS. A URL without rules leaves all of that to the function.
#pragma once

#include <optional>

#include "net/http.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// The answer to a preflight; nothing if the request is none.
[[nodiscard]] std::optional<net::Response> answer_preflight(const wire::lambda::Cors& cors, const net::Request& request);

// On the answer to any other request. A request that no rule allows is answered all the same, and kept from the page.
void apply_cors(const wire::lambda::Cors& cors, const net::Request& request, net::Response& response);

}  // namespace tidemill::lambda
