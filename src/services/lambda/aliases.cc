// The operations on aliases.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "services/lambda/alias.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_url.h"
#include "services/lambda/left_role.h"
#include "services/lambda/operations.h"
#include "services/lambda/paging.h"
#include "services/lambda/provisioned.h"

namespace tidemill::lambda {
namespace {

using base::cat;

// "(?!^[0-9]+$)([a-zA-Z0-9-_]+)"
void check_name(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_allowed = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  if (std::ranges::all_of(name, is_allowed) && !std::ranges::all_of(name, is_digit)) return;
  throw wire::validation_error(cat("1 validation error detected: Value '", name,
                                   "' at 'name' failed to satisfy constraint: Member must satisfy regular expression "
                                   "pattern: (?!^[0-9]+$)([a-zA-Z0-9-_]+)"));
}

// In the words of UpdateAlias.
wire::Error no_alias_to_update(const FunctionAddress& address, std::string_view name) {
  return errors::resource_not_found_exception(
      cat("Alias not found: ", FunctionReference{address, std::string(name)}.arn()));
}

wire::Error alias_not_found(const FunctionAddress& address, std::string_view name) {
  return errors::resource_not_found_exception(
      cat("Cannot find alias arn: ", FunctionReference{address, std::string(name)}.arn()));
}

FunctionAddress function_of(const wire::Context& context, const std::string& name) {
  const FunctionReference reference = parse_function_name(context, name);
  if (!reference.qualifier.empty()) throw function_not_found(reference.arn());
  return reference.address;
}

void apply_weights(const shapes::AliasRoutingConfiguration& routing, Alias& alias) {
  alias.weights.clear();
  if (!routing.additional_version_weights) return;
  if (routing.additional_version_weights->size() > kRoutedVersionsMax) {
    throw errors::invalid_parameter_value_exception(
        cat("Number of items in AdditionalVersionWeights cannot be greater than ", kRoutedVersionsMax));
  }
  for (const auto& [name, weight] : *routing.additional_version_weights) {
    alias.weights.emplace(version_of_qualifier(name).value(), weight);
  }
}

// That every version exists, and each only once.
Task<void> check_versions(store::Transaction& txn, const FunctionAddress& address, const Alias& alias) {
  if (!alias.weights.empty() && alias.version == 0) {
    throw errors::invalid_parameter_value_exception(
        "$LATEST is not supported for an alias pointing to more than 1 version");
  }
  if (alias.weights.contains(alias.version)) {
    const std::string name = name_of_version(alias.version);
    throw errors::invalid_parameter_value_exception(
        cat("Invalid function version ", name, ". Function version ", name,
            " is already included in routing configuration."));
  }
  if (!co_await load_function(txn, address)) throw function_not_found(address.arn());
  std::vector<uint64_t> versions{alias.version};
  for (const auto& [version, weight] : alias.weights) versions.push_back(version);
  for (const uint64_t version : versions) {
    if (co_await load_function(txn, address, version)) continue;
    throw function_not_found(FunctionReference{address, name_of_version(version)}.arn());
  }
}

}  // namespace

Task<shapes::AliasConfiguration> create_alias(Service& service, wire::Context& context,
                                              const shapes::CreateAliasInput& request) {
  check_name(request.name);
  const FunctionAddress address = function_of(context, request.function_name);
  Alias alias;
  alias.name = request.name;
  alias.version = version_of_qualifier(request.function_version).value();
  alias.description = request.description.value_or("");
  if (request.routing_config) apply_weights(*request.routing_config, alias);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await check_versions(txn, address, alias);
    if (co_await load_alias(txn, address, alias.name)) {
      throw errors::resource_conflict_exception(
          cat("Alias already exists: ", FunctionReference{address, alias.name}.arn()));
    }
    save_alias(txn, address, alias);
  });
  co_return describe(address, alias);
}

Task<shapes::AliasConfiguration> get_alias(Service& service, wire::Context& context,
                                           const shapes::GetAliasInput& request) {
  const FunctionAddress address = function_of(context, request.function_name);
  const auto snapshot = service.store().snapshot();
  const auto alias = co_await load_alias(*snapshot, address, request.name);
  if (!alias) throw alias_not_found(address, request.name);
  co_return describe(address, *alias);
}

Task<shapes::AliasConfiguration> update_alias(Service& service, wire::Context& context,
                                              const shapes::UpdateAliasInput& request) {
  const FunctionAddress address = function_of(context, request.function_name);
  const Alias updated = co_await service.store().transact([&](store::Transaction& txn) -> Task<Alias> {
    auto alias = co_await load_alias(txn, address, request.name);
    if (!alias) throw no_alias_to_update(address, request.name);
    if (request.revision_id && *request.revision_id != alias->revision) {
      throw errors::precondition_failed_exception(
          "The Revision Id provided does not match the latest Revision Id. Call the GetAlias API to retrieve the latest "
          "Revision Id");
    }
    if (request.function_version) alias->version = version_of_qualifier(*request.function_version).value();
    if (request.description) alias->description = *request.description;
    if (request.routing_config) apply_weights(*request.routing_config, *alias);
    co_await check_versions(txn, address, *alias);
    if (co_await load_provisioned_config(txn, {address, alias->name})) {
      co_await check_provisioned_alias(txn, address, *alias);
    }
    save_alias(txn, address, *alias);
    co_return *std::move(alias);
  });
  const auto snapshot = service.store().snapshot();
  if (co_await load_provisioned_config(*snapshot, {address, updated.name})) co_await apply_provisioned(service, address);
  co_return describe(address, updated);
}

Task<shapes::DeleteAliasOutput> delete_alias(Service& service, wire::Context& context,
                                             const shapes::DeleteAliasInput& request) {
  const FunctionAddress address = function_of(context, request.function_name);
  bool had_processes = false;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await load_function(txn, address)) throw function_not_found(address.arn());
    co_await leave_role_to_mappings(txn, {address, request.name});
    txn.erase(alias_key(address, request.name));
    erase_settings(txn, {address, request.name});
    (void)co_await erase_function_url(txn, {address, request.name});
    had_processes = co_await erase_provisioned_config(txn, {address, request.name});
  });
  if (had_processes) co_await apply_provisioned(service, address);
  co_return shapes::DeleteAliasOutput{};
}

Task<shapes::ListAliasesOutput> list_aliases(Service& service, wire::Context& context,
                                             const shapes::ListAliasesInput& request) {
  const FunctionAddress address = function_of(context, request.function_name);
  std::optional<uint64_t> version;
  if (request.function_version) version = version_of_qualifier(*request.function_version);
  shapes::ListAliasesOutput out;
  auto& aliases = out.aliases.emplace();
  const auto take = [&](std::string_view, std::string_view value) {
    const Alias alias = decode_alias(value);
    if (version && !alias.names(*version)) return false;
    aliases.push_back(describe(address, alias));
    return true;
  };
  const auto snapshot = service.store().snapshot();
  if (!co_await load_function(*snapshot, address)) throw function_not_found(address.arn());
  out.next_marker =
      co_await read_page(*snapshot, aliases_range(address), request.marker, request.max_items, take);
  co_return out;
}

}  // namespace tidemill::lambda
