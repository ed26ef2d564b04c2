// Deletes a function with its versions, aliases and settings, or one version. Mappings to it stay, as on AWS; what runs
// ends by itself.
#include <vector>

#include "base/text.h"
#include "services/lambda/alias.h"
#include "services/lambda/concurrency.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_invoke_config.h"
#include "services/lambda/function_layers.h"
#include "services/lambda/function_policy.h"
#include "services/lambda/function_url.h"
#include "services/lambda/left_role.h"
#include "services/lambda/operations.h"
#include "services/lambda/provisioned.h"

namespace tidemill::lambda {
namespace {

Task<void> drop_code(store::Transaction& txn, const Function& version, DroppedPackages& dropped) {
  co_await drop_package(txn, version.code_digest, dropped);
  co_await drop_layers(txn, version.layers, dropped);
}

Task<DroppedPackages> erase_function(store::Transaction& txn, const FunctionAddress& address, bool& had_processes) {
  const auto function = co_await load_function(txn, address);
  if (!function) throw function_not_found(address.arn());
  had_processes = function->provisioned_concurrency > 0;
  co_await leave_role_to_mappings(txn, {address, ""});
  std::vector<Function> versions;
  co_await txn.scan(versions_range(address), store::Direction::forward, [&](std::string_view key, std::string_view value) {
    versions.push_back(decode_function(parse_function_key(key).value(), value));
    return true;
  });
  co_await change_concurrency(txn, address, {function->reserved_concurrency, function->provisioned_concurrency}, {});
  erase_provisioned_configs(txn, address);
  txn.erase(function_key(address));  // what all others who write there read
  for (const store::Range& range : {versions_range(address), aliases_range(address), event_invoke_configs_range(address),
                                    policies_range(address)}) {
    txn.erase_range(range);
  }
  co_await erase_function_urls(txn, address);
  DroppedPackages dropped;
  for (const Function& version : versions) co_await drop_code(txn, version, dropped);
  co_return dropped;
}

Task<void> refuse_named_version(store::Transaction& txn, const FunctionAddress& address, uint64_t version) {
  std::string names;
  co_await txn.scan(aliases_range(address), store::Direction::forward, [&](std::string_view, std::string_view value) {
    const Alias alias = decode_alias(value);
    if (alias.names(version)) names += (names.empty() ? "" : ", ") + alias.name;
    return true;
  });
  if (names.empty()) co_return;
  throw errors::resource_conflict_exception(
      base::cat("Unable to delete version because the following aliases reference it: [", names, "]"));
}

// A version that is not there is deleted already, as on AWS.
Task<DroppedPackages> erase_version(store::Transaction& txn, const FunctionAddress& address, uint64_t version,
                                    bool& had_processes) {
  if (!co_await load_function(txn, address)) throw function_not_found(address.arn());
  const auto found = co_await load_function(txn, address, version);
  if (!found) co_return DroppedPackages{};
  co_await refuse_named_version(txn, address, version);
  co_await leave_role_to_mappings(txn, {address, name_of_version(version)});
  txn.erase(version_key(address, version));
  erase_settings(txn, {address, name_of_version(version)});
  had_processes = co_await erase_provisioned_config(txn, {address, name_of_version(version)});
  DroppedPackages dropped;
  co_await drop_code(txn, *found, dropped);
  co_return dropped;
}

}  // namespace

Task<shapes::DeleteFunctionOutput> delete_function(Service& service, wire::Context& context,
                                                   const shapes::DeleteFunctionInput& request) {
  const FunctionReference reference = parse_function_name(context, request.function_name, request.qualifier);
  if (reference.qualifier == kLatest) {
    throw errors::invalid_parameter_value_exception(
        "$LATEST version cannot be deleted without deleting the function.");
  }
  const auto version = version_of_qualifier(reference.qualifier);
  if (!reference.qualifier.empty() && !version) {
    throw errors::invalid_parameter_value_exception("Deletion of aliases is not currently supported.");
  }
  bool had_processes = false;
  DroppedPackages dropped = co_await service.store().transact([&](store::Transaction& txn) -> Task<DroppedPackages> {
    if (reference.qualifier.empty()) co_return co_await erase_function(txn, reference.address, had_processes);
    co_return co_await erase_version(txn, reference.address, *version, had_processes);
  });
  service.workers().retire(reference.address.arn(), reference.qualifier);
  if (had_processes) co_await apply_provisioned(service, reference.address);  // whoever just began to start some stops
  co_await service.forget(std::move(dropped));
  co_return shapes::DeleteFunctionOutput{};
}

}  // namespace tidemill::lambda
