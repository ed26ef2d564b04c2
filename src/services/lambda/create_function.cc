// Makes a function of a zip package. It is active once the answer, which says Pending, has left.
#include "base/text.h"
#include "services/lambda/function_layers.h"
#include "services/lambda/operations.h"
#include "services/lambda/package_source.h"
#include "services/lambda/publishing.h"
#include "services/lambda/sending_rights.h"
#include "services/lambda/settings.h"
#include "services/lambda/tag_rules.h"

namespace tidemill::lambda {
namespace {

void check_request(const Service& service, const shapes::CreateFunctionInput& request) {
  if (request.package_type == shapes::PackageType::kImage) throw not_supported("PackageType Image");
  check_settings(settings_of(request), service.workers(), service.is_lenient());
  if (!request.runtime || !request.handler) {
    throw errors::invalid_parameter_value_exception(
        "Runtime and Handler are mandatory parameters for functions created with deployment packages.");
  }
  check_package_source(package_source_of(request.code));
}

// Names that are longer than a function's may be asked about, but not given.
FunctionReference new_function_name(const wire::Context& context, const std::string& name) {
  if (!name.starts_with("arn:") && name.find(':') == std::string::npos && name.size() > kFunctionNameMax) {
    throw errors::invalid_parameter_value_exception(
        base::cat("1 validation error detected: Value '", name, "' at 'functionName' failed to satisfy constraint: "
                  "Member must have length less than or equal to ", kFunctionNameMax));
  }
  return parse_function_name(context, name);
}

}  // namespace

Task<shapes::FunctionConfiguration> create_function(Service& service, wire::Context& context,
                                                    const shapes::CreateFunctionInput& request) {
  check_request(service, request);
  const FunctionReference reference = new_function_name(context, request.function_name);
  Function function;
  function.address = reference.address;
  function.role = request.role;
  apply_settings(settings_of(request), function);
  if (request.architectures) function.architecture = request.architectures->front();
  check_architecture(function);
  if (request.tags) add_tags(function.tags, *request.tags);
  co_await require_dead_letter_rights(context, function.address, function.role, function.dead_letter_target);

  const auto fetched = co_await fetch_package(context, package_source_of(request.code));
  const std::string& zip = fetched ? *fetched : *request.code.zip_file;
  if (request.layers) function.layers = co_await find_layers(service, context, *request.layers);
  const auto save = [&](store::Transaction& txn, PackageStore::Upload& package) -> Task<Function> {
    if (co_await txn.get(function_key(function.address))) {
      throw errors::resource_conflict_exception("Function already exist: " + function.address.name);
    }
    co_await package.refer(txn);
    co_await refer_to_layers(txn, function.layers);
    Function fresh = function;
    fresh.code_digest = package.digest();
    fresh.code_bytes = package.bytes();
    save_function(txn, fresh, context.now());
    if (request.publish.value_or(false)) co_return co_await publish(txn, fresh, std::nullopt, context.now());
    co_return fresh;
  };
  try {
    co_await check_unzipped_size_with(service, function.layers, zip);
    const Function made = co_await service.packages().save(zip, save);
    warn_of_lenient(settings_of(request), made.address.name);
    co_return describe_pending(made);
  } catch (const PackageError& error) {
    throw errors::invalid_parameter_value_exception(error.what());
  }
}

}  // namespace tidemill::lambda
