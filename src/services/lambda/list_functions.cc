// Lists the functions of an account's region, by name, and the versions of one.
#include "services/lambda/errors.h"
#include "services/lambda/operations.h"
#include "services/lambda/paging.h"

namespace tidemill::lambda {
namespace {

// Lists do not tell in which state functions are.
shapes::FunctionConfiguration listed(shapes::FunctionConfiguration configuration) {
  configuration.state.reset();
  configuration.state_reason.reset();
  configuration.state_reason_code.reset();
  configuration.last_update_status.reset();
  configuration.last_update_status_reason.reset();
  configuration.last_update_status_reason_code.reset();
  configuration.runtime_version_config.reset();
  return configuration;
}

// With its version in its ARN.
shapes::FunctionConfiguration describe_version(FunctionKey key, std::string_view value) {
  const Function function = decode_function(std::move(key), value);
  return listed(describe(function, function.version_name()));
}

}  // namespace

Task<shapes::ListFunctionsOutput> list_functions(Service& service, wire::Context& context,
                                                 const shapes::ListFunctionsInput& request) {
  shapes::ListFunctionsOutput out;
  auto& functions = out.functions.emplace();
  const bool all_versions = request.function_version.has_value();
  const auto take = [&](std::string_view key, std::string_view value) {
    auto parsed = parse_function_key(key);
    if (!parsed || (!all_versions && parsed->version != 0)) return false;
    functions.push_back(all_versions ? describe_version(*std::move(parsed), value)
                                     : listed(describe(decode_function(*std::move(parsed), value))));
    return true;
  };
  const auto snapshot = service.store().snapshot();
  out.next_marker = co_await read_page(*snapshot, functions_range(context.account, context.region), request.marker,
                                       request.max_items, take);
  co_return out;
}

Task<shapes::ListVersionsByFunctionOutput> list_versions_by_function(
    Service& service, wire::Context& context, const shapes::ListVersionsByFunctionInput& request) {
  const FunctionReference reference = parse_function_name(context, request.function_name);
  shapes::ListVersionsByFunctionOutput out;
  auto& versions = out.versions.emplace();
  const auto take = [&](std::string_view key, std::string_view value) {
    versions.push_back(describe_version(parse_function_key(key).value(), value));
    return true;
  };
  const auto snapshot = service.store().snapshot();
  if (!co_await load_function(*snapshot, reference.address)) throw function_not_found(reference.address.arn());
  out.next_marker =
      co_await read_page(*snapshot, versions_range(reference.address), request.marker, request.max_items, take);
  co_return out;
}

}  // namespace tidemill::lambda
