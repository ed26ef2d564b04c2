// A request's body as its operation wants it: whole or piece by piece, without the codings it came in.
#pragma once

#include <optional>
#include <string>

#include "net/http.h"
#include "wire/body_stream.h"
#include "wire/registry.h"

namespace tidemill::wire {

// The body of a request to an operation with streaming_input. Of rest-xml, aws-chunked is taken off, and its name out of
// in.headers. Throws Error (MissingContentLength and other headers that do not fit).
[[nodiscard]] BodyStream stream_body(const net::Request& request, const OperationInfo& info, WireRequest& in);

// The whole body, of at most `bytes_max` once it is decoded; nothing if it is longer. aws-chunked is taken off as above,
// gzip for every service but those of rest-xml. Throws Error, and net's exceptions.
[[nodiscard]] Task<std::optional<std::string>> read_body(net::Request& request, const OperationInfo& info,
                                                         WireRequest& in);
// The same before it is known whom it means: a form.
[[nodiscard]] Task<std::optional<std::string>> read_form(net::Request& request, size_t bytes_max);

}  // namespace tidemill::wire
