// Deletes a function. Mappings to it stay, as on AWS; what runs ends by itself.
#include "services/lambda/errors.h"
#include "services/lambda/function_policy.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {

Task<shapes::DeleteFunctionOutput> delete_function(Service& service, wire::Context& context,
                                                   const shapes::DeleteFunctionInput& request) {
  const FunctionReference reference = parse_function_name(context, request.function_name, request.qualifier);
  if (reference.qualifier == kLatest) {
    throw errors::invalid_parameter_value_exception(
        "$LATEST version cannot be deleted without deleting the function.");
  }
  if (!reference.qualifier.empty()) throw function_not_found(reference.arn());

  const std::string digest = co_await service.store().transact([&](store::Transaction& txn) -> Task<std::string> {
    const auto function = co_await load_function(txn, reference.address);
    if (!function) throw function_not_found(reference.arn());
    txn.erase(function_key(reference.address));
    txn.erase_range(policies_range(reference.address));
    txn.signal(kFunctionsTopic);
    co_return function->code_digest;
  });
  co_await service.replaced(reference.address, digest);
  co_return shapes::DeleteFunctionOutput{};
}

}  // namespace tidemill::lambda
