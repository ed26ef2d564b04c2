// Changes a function's code or its settings. Calls that begin after the answer see the change.
#include "services/lambda/function_layers.h"
#include "services/lambda/operations.h"
#include "services/lambda/package_source.h"
#include "services/lambda/publishing.h"
#include "services/lambda/sending_rights.h"
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

void set_architecture(Function& function, const shapes::UpdateFunctionCodeInput& request) {
  if (!request.architectures) return;
  function.architecture = request.architectures->front();
  check_architecture(function);
}

// What the function would be; nothing is written.
Task<Function> try_update(Service& service, const FunctionReference& reference,
                          const shapes::UpdateFunctionCodeInput& request, const std::string& zip) {
  const PackageStore::Checked checked = co_await service.packages().check(zip);
  Function function = co_await service.store().transact([&](store::Transaction& txn) {
    return load_for_update(txn, reference.address, request.revision_id);
  });
  function.code_digest = checked.digest();
  function.code_bytes = static_cast<int64_t>(zip.size());
  set_architecture(function, request);
  co_return function;
}

Task<std::vector<FunctionLayer>> new_layers(Service& service, wire::Context& context, const FunctionAddress& address,
                                            const std::vector<std::string>& arns) {
  const FunctionPtr present = co_await service.functions().find(address);
  if (!present) throw function_not_found(address.arn());
  std::vector<FunctionLayer> layers = co_await find_layers(service, context, arns);
  co_await check_unzipped_size(service, layers, present->code_digest);
  co_return layers;
}

// Under the role that the function will have.
Task<void> check_new_dead_letter(Service& service, wire::Context& context, const FunctionAddress& address,
                                 const shapes::UpdateFunctionConfigurationInput& request) {
  const FunctionPtr present = co_await service.functions().find(address);
  if (!present) throw function_not_found(address.arn());
  co_await require_dead_letter_rights(context, address, request.role.value_or(present->role),
                                      request.dead_letter_config->target_arn.value_or(""));
}

// Refers before it drops, so that what stays never goes in between.
Task<void> exchange_layers(store::Transaction& txn, Function& function, const std::vector<FunctionLayer>& layers,
                           DroppedPackages& replaced) {
  co_await refer_to_layers(txn, layers);
  co_await drop_layers(txn, function.layers, replaced);
  function.layers = layers;
}

}  // namespace

Task<shapes::FunctionConfiguration> update_function_code(Service& service, wire::Context& context,
                                                         const shapes::UpdateFunctionCodeInput& request) {
  const FunctionReference reference = updatable(context, request.function_name);
  check_package_source(package_source_of(request));
  const FunctionPtr present = co_await service.functions().find(reference.address);
  if (!present) throw function_not_found(reference.address.arn());

  const auto fetched = co_await fetch_package(context, package_source_of(request));
  const std::string& zip = fetched ? *fetched : *request.zip_file;
  const bool publishes = request.publish.value_or(false);
  DroppedPackages replaced;
  const auto save = [&](store::Transaction& txn, PackageStore::Upload& package) -> Task<Function> {
    Function function = co_await load_for_update(txn, reference.address, request.revision_id);
    co_await package.refer(txn);
    replaced = {};
    co_await drop_package(txn, function.code_digest, replaced);
    function.code_digest = package.digest();
    function.code_bytes = package.bytes();
    set_architecture(function, request);
    save_function(txn, function, context.now());
    if (publishes) co_return co_await publish(txn, function, std::nullopt, context.now());
    co_return function;
  };
  Function updated;
  try {
    co_await check_unzipped_size_with(service, present->layers, zip);
    if (request.dry_run.value_or(false)) co_return describe(co_await try_update(service, reference, request, zip));
    updated = co_await service.packages().save(zip, save);
  } catch (const PackageError& error) {
    throw errors::invalid_parameter_value_exception(error.what());
  }
  service.workers().retire(reference.address.arn(), kLatest);
  co_await service.forget(std::move(replaced));
  co_return describe_in_progress(updated, publishes ? updated.version_name() : "");
}

Task<shapes::FunctionConfiguration> update_function_configuration(
    Service& service, wire::Context& context, const shapes::UpdateFunctionConfigurationInput& request) {
  const FunctionReference reference = updatable(context, request.function_name);
  check_settings(settings_of(request), service.workers(), service.is_lenient());
  if (request.dead_letter_config) co_await check_new_dead_letter(service, context, reference.address, request);
  std::optional<std::vector<FunctionLayer>> layers;
  if (request.layers) layers = co_await new_layers(service, context, reference.address, *request.layers);
  DroppedPackages replaced;
  const Function updated = co_await service.store().transact([&](store::Transaction& txn) -> Task<Function> {
    Function function = co_await load_for_update(txn, reference.address, request.revision_id);
    apply_settings(settings_of(request), function);
    check_architecture(function);
    replaced = {};
    if (layers) co_await exchange_layers(txn, function, *layers, replaced);
    if (request.role) function.role = *request.role;
    save_function(txn, function, context.now());
    co_return function;
  });
  warn_of_lenient(settings_of(request), updated.address.name);
  service.workers().retire(reference.address.arn(), kLatest);
  co_await service.forget(std::move(replaced));
  co_return describe_in_progress(updated);
}

}  // namespace tidemill::lambda
