// GetFunctionCodeSigningConfig: no function has one, which AWS tells by an empty answer.
#include "services/lambda/errors.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {

Task<shapes::GetFunctionCodeSigningConfigOutput> get_function_code_signing_config(
    Service& service, wire::Context& context, const shapes::GetFunctionCodeSigningConfigInput& request) {
  const FunctionAddress address = parse_function_name(context, request.function_name).address;
  if (!co_await service.functions().find(address)) throw function_not_found(address.arn());
  co_return shapes::GetFunctionCodeSigningConfigOutput{};
}

}  // namespace tidemill::lambda
