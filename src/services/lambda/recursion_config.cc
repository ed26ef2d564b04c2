// Whether a function that its own work calls again and again is stopped.
#include "services/lambda/errors.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {
namespace {

std::string shown(bool allows) {
  return std::string(allows ? shapes::RecursiveLoop::kAllow : shapes::RecursiveLoop::kTerminate);
}

FunctionAddress whole_function(const wire::Context& context, const std::string& name) {
  FunctionReference reference = parse_function_name(context, name);
  if (!reference.qualifier.empty()) throw function_not_found(reference.arn());
  return std::move(reference.address);
}

}  // namespace

Task<shapes::PutFunctionRecursionConfigOutput> put_function_recursion_config(
    Service& service, wire::Context& context, const shapes::PutFunctionRecursionConfigInput& request) {
  const FunctionAddress address = whole_function(context, request.function_name);
  const bool allows = request.recursive_loop == shapes::RecursiveLoop::kAllow;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto function = co_await load_function(txn, address);
    if (!function) throw function_not_found(address.arn());
    function->allows_recursion = allows;
    txn.put(function_key(address), encode_function(*function));
  });
  shapes::PutFunctionRecursionConfigOutput out;
  out.recursive_loop = shown(allows);
  co_return out;
}

Task<shapes::GetFunctionRecursionConfigOutput> get_function_recursion_config(
    Service& service, wire::Context& context, const shapes::GetFunctionRecursionConfigInput& request) {
  const FunctionAddress address = whole_function(context, request.function_name);
  const FunctionPtr function = co_await service.functions().find(address);
  if (!function) throw function_not_found(address.arn());
  shapes::GetFunctionRecursionConfigOutput out;
  out.recursive_loop = shown(function->allows_recursion);
  co_return out;
}

}  // namespace tidemill::lambda
