// Changes a function's code or its settings. Calls that begin after the answer see the change.
#include "services/lambda/operations.h"
#include "services/lambda/package_source.h"
#include "services/lambda/publishing.h"
#include "services/lambda/settings.h"

namespace tidemill::lambda {
namespace {

FunctionReference updatable(const wire::Context& context, const std::string& name) {
  FunctionReference reference = parse_function_name(context, name);
  if (!reference.is_latest()) throw function_not_found(reference.arn());
  return reference;
}

// The function as it is, if `revision` is its own.
Task<Function> load_for_update(store::Transaction& txn, const FunctionAddress& address,
                               const std::optional<std::string>& revision) {
  auto function = co_await load_function(txn, address);
  if (!function) throw function_not_found(address.arn());
  if (revision && *revision != function->revision) {
    throw errors::precondition_failed_exception(
        "The Revision Id provided does not match the latest Revision Id. Call the GetFunction/GetAlias API to retrieve the "
        "latest Revision Id");
  }
  co_return *std::move(function);
}

}  // namespace

Task<shapes::FunctionConfiguration> update_function_code(Service& service, wire::Context& context,
                                                         const shapes::UpdateFunctionCodeInput& request) {
  const FunctionReference reference = updatable(context, request.function_name);
  check_architectures(request.architectures);
  check_package_source(package_source_of(request));
  if (!co_await service.functions().find(reference.address)) throw function_not_found(reference.address.arn());

  const auto fetched = co_await fetch_package(context, package_source_of(request));
  const std::string& zip = fetched ? *fetched : *request.zip_file;
  std::shared_ptr<PackageStore::Pin> pin;
  try {
    pin = co_await service.packages().add(zip);
  } catch (const PackageError& error) {
    throw errors::invalid_parameter_value_exception(error.what());
  }
  const bool dry_run = request.dry_run.value_or(false);
  const bool publishes = request.publish.value_or(false);
  std::string replaced;
  const Function updated = co_await service.store().transact([&](store::Transaction& txn) -> Task<Function> {
    Function function = co_await load_for_update(txn, reference.address, request.revision_id);
    replaced = function.code_digest;
    function.code_digest = pin->digest();
    function.code_bytes = static_cast<int64_t>(zip.size());
    if (dry_run) co_return function;
    save_function(txn, function, context.now());
    if (publishes) co_return co_await publish(txn, function, std::nullopt, context.now());
    co_return function;
  });
  if (dry_run) service.packages().release(pin->digest());
  else co_await service.replaced(reference.address, replaced);
  co_return describe(updated, publishes && !dry_run ? updated.version_name() : "");
}

Task<shapes::FunctionConfiguration> update_function_configuration(
    Service& service, wire::Context& context, const shapes::UpdateFunctionConfigurationInput& request) {
  const FunctionReference reference = updatable(context, request.function_name);
  check_settings(settings_of(request), service.workers());
  const Function updated = co_await service.store().transact([&](store::Transaction& txn) -> Task<Function> {
    Function function = co_await load_for_update(txn, reference.address, request.revision_id);
    apply_settings(settings_of(request), function);
    if (request.role) function.role = *request.role;
    save_function(txn, function, context.now());
    co_return function;
  });
  service.workers().retire(reference.address.arn(), kLatest);
  co_return describe(updated);
}

}  // namespace tidemill::lambda
