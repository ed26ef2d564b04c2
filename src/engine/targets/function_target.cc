#include "engine/targets/function_target.h"

#include "engine/targets/internal_call.h"
#include "wire/shapes/lambda.h"

namespace tidemill::engine {

Task<store::SendOutcome> invoke_function(wire::Platform& platform, std::string_view function_arn,
                                         std::string_view payload, std::string_view trace_header,
                                         wire::Principal by) {
  wire::lambda::InvokeInput request;
  request.function_name = std::string(function_arn);
  request.invocation_type = wire::lambda::InvocationType::kEvent;
  request.payload = std::string(payload);
  if (!trace_header.empty()) request.trace_header = std::string(trace_header);
  return call_once<wire::lambda::ops::Invoke>(internal_context(platform, function_arn, std::move(by)), std::move(request));
}

}  // namespace tidemill::engine
