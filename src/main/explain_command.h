// `tidemill explain [REQUEST-ID]`: why a server with `--auth iam` allowed or denied a request, and the least policy that
// would allow it; without an id, of the last request that was denied. GET /_tidemill/explain tells (explain_endpoint.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "main/client.h"

namespace tidemill {

struct ExplainOptions {
  std::string request_id;  // empty: the last that was denied
  ClientOptions client;
};

// What follows the word "explain". Throws UsageError.
ExplainOptions parse_explain_options(std::span<const std::string_view> arguments, const Environment& environment);

// The exit code: 0 if the request was allowed, 1 if it was denied or nothing is known of it.
int explain(const ExplainOptions& options);

}  // namespace tidemill
