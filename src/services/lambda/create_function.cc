// Makes a function of a zip package. It is active at once: there is nothing to wait for.
#include "services/lambda/operations.h"
#include "services/lambda/package_source.h"
#include "services/lambda/publishing.h"
#include "services/lambda/settings.h"
#include "services/lambda/tag_rules.h"

namespace tidemill::lambda {
namespace {

void check_request(const shapes::CreateFunctionInput& request, const engine::Workers& workers) {
  if (request.package_type == shapes::PackageType::kImage) throw not_supported("PackageType Image");
  check_architectures(request.architectures);
  check_settings(settings_of(request), workers);
  if (!request.runtime || !request.handler) {
    throw errors::invalid_parameter_value_exception(
        "Runtime and Handler are mandatory parameters for functions created with deployment packages.");
  }
  check_package_source(package_source_of(request.code));
  if (request.tags) check_tags(*request.tags);
}

}  // namespace

Task<shapes::FunctionConfiguration> create_function(Service& service, wire::Context& context,
                                                    const shapes::CreateFunctionInput& request) {
  check_request(request, service.workers());
  const FunctionReference reference = parse_function_name(context, request.function_name);
  Function function;
  function.address = reference.address;
  function.role = request.role;
  apply_settings(settings_of(request), function);
  if (request.tags) function.tags = *request.tags;

  const auto fetched = co_await fetch_package(context, package_source_of(request.code));
  const std::string& zip = fetched ? *fetched : *request.code.zip_file;
  std::shared_ptr<PackageStore::Pin> pin;
  try {
    pin = co_await service.packages().add(zip);
  } catch (const PackageError& error) {
    throw errors::invalid_parameter_value_exception(error.what());
  }
  function.code_digest = pin->digest();
  function.code_bytes = static_cast<int64_t>(zip.size());

  const Function created = co_await service.store().transact([&](store::Transaction& txn) -> Task<Function> {
    if (co_await txn.get(function_key(function.address))) {
      throw errors::resource_conflict_exception("Function already exist: " + function.address.name);
    }
    Function fresh = function;
    save_function(txn, fresh, context.now());
    if (request.publish.value_or(false)) co_return co_await publish(txn, fresh, std::nullopt, context.now());
    co_return fresh;
  });
  co_return describe(created);
}

}  // namespace tidemill::lambda
