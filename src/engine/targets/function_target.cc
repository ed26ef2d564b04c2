#include "engine/targets/function_target.h"

#include "engine/targets/internal_call.h"
#include "wire/registry.h"
#include "wire/shapes/lambda.h"

namespace tidemill::engine {

Task<store::SendOutcome> invoke_function(wire::Platform& platform, std::string_view function_arn,
                                         std::string_view payload, int attempts) {
  wire::Context context = internal_context(platform, function_arn);
  wire::lambda::InvokeInput request;
  request.function_name = std::string(function_arn);
  request.payload = std::string(payload);
  try {
    const auto answer = co_await platform.registry.call<wire::lambda::ops::Invoke>(context, request);
    if (!answer.function_error) co_return store::SendOutcome{};
    const bool is_last = attempts + 1 >= kFunctionErrorsMax;
    co_return store::SendOutcome{is_last ? store::SendStatus::rejected : store::SendStatus::failed,
                                 "the function failed: " + *answer.function_error};
  } catch (const wire::Error& error) {
    co_return outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return store::SendOutcome{store::SendStatus::unavailable, error.what()};
  }
}

}  // namespace tidemill::engine
