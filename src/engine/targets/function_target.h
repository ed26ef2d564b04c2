// Hands a Lambda function an event: Lambda keeps it, runs the function with it, tries again where that fails, and tells its
// end where the function's settings say.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::engine {

// `function_arn` qualified or not; `payload` is JSON; `trace_header` says which chain of invocations it belongs to, if
// any. rejected: there is no such function, or the payload is not accepted. unavailable: the store has too much to do.
Task<store::SendOutcome> invoke_function(wire::Platform& platform, std::string_view function_arn,
                                         std::string_view payload, std::string_view trace_header = {},
                                         wire::Principal by = wire::Principal::platform());

}  // namespace tidemill::engine
