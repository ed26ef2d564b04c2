// Lets a request in as far as there is room for it: its body, whole or piece by piece, without the codings it came in.
//
// The budgets: one body, by its operation's limit; all bodies in memory together, and all answers (net::ServerLimits),
// for which answer_sizes.h says how much may be needed. Who finds no room is answered with 503 in its service's form.
#pragma once

#include <optional>
#include <string>

#include "net/http.h"
#include "wire/body_stream.h"
#include "wire/chunk_signatures.h"
#include "wire/registry.h"

namespace tidemill::wire {

// The body of a request to an operation with streaming_input. Of rest-xml, aws-chunked is taken off, and its name out
// of in.headers. Throws Error (MissingContentLength and other headers that do not fit).
// `chunks`: the signatures of aws-chunked's pieces; null: nobody has signed them, or nobody checks.
[[nodiscard]] BodyStream admit_stream(const net::Request& request, const OperationInfo& info, WireRequest& in,
                                      std::shared_ptr<ChunkSignatures> chunks = nullptr);

// The whole body, decoded. aws-chunked is taken off as above, gzip for every service but those of rest-xml. Throws
// Error, and net's exceptions: BodyTooLarge beyond the operation's limit. `request` outlives the task.
[[nodiscard]] Task<std::string> admit_body(net::Request& request, const OperationInfo& info, WireRequest& in,
                                           std::shared_ptr<ChunkSignatures> chunks = nullptr);
// The same before it is known whom it means: a form.
[[nodiscard]] Task<std::string> admit_form(net::Request& request, size_t bytes_max);

}  // namespace tidemill::wire
