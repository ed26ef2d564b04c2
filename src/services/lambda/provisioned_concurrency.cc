// PutProvisionedConcurrencyConfig and its kin: processes that are kept started.
#include <algorithm>

#include "base/text.h"
#include "services/lambda/alias.h"
#include "services/lambda/errors.h"
#include "services/lambda/operations.h"
#include "services/lambda/paging.h"
#include "services/lambda/provisioned.h"

namespace tidemill::lambda {
namespace {

using base::cat;
using Status = std::string_view;

// `unpublished` are AWS's words for $LATEST.
FunctionReference published(const wire::Context& context, const std::string& name, const std::string& qualifier,
                            std::string_view unpublished) {
  FunctionReference reference = parse_function_name(context, name, qualifier);
  if (reference.is_latest()) throw errors::invalid_parameter_value_exception(std::string(unpublished));
  return reference;
}

constexpr std::string_view kMustBePublished =
    "The function resource provided must be an alias or a published version.";

wire::Error no_config() {
  return errors::provisioned_concurrency_config_not_found_exception(
      "No Provisioned Concurrency Config found for this function");
}

// A version has its processes from one configuration only: its own, or that of one alias.
Task<void> check_target(store::Transaction& txn, FunctionReference reference) {
  const FunctionAddress& address = reference.address;
  if (const auto version = version_of_qualifier(reference.qualifier)) {
    if (!co_await load_function(txn, address, *version)) throw function_not_found(reference.arn());
    std::vector<Alias> aliases;
    co_await txn.scan(aliases_range(address), store::Direction::forward, [&](std::string_view, std::string_view value) {
      aliases.push_back(decode_alias(value));
      return true;
    });
    for (const Alias& alias : aliases) {
      if (!alias.names(*version) || !co_await load_provisioned_config(txn, {address, alias.name})) continue;
      throw errors::resource_conflict_exception("Version is pointed by a Provisioned Concurrency alias");
    }
    co_return;
  }
  const auto alias = co_await load_alias(txn, address, reference.qualifier);
  if (!alias) {
    throw errors::resource_not_found_exception(cat("Cannot find alias arn: ", reference.arn()));
  }
  co_await check_provisioned_alias(txn, address, *alias);
}

// How far the workers are with all versions that the configuration is of.
Task<engine::Workers::Provisioned> progress(Service& service, store::Snapshot& reader, FunctionReference reference) {
  std::vector<uint64_t> versions;
  if (const auto version = version_of_qualifier(reference.qualifier)) {
    versions.push_back(*version);
  } else if (const auto alias = co_await load_alias(reader, reference.address, reference.qualifier)) {
    versions.push_back(alias->version);
    for (const auto& [version, weight] : alias->weights) versions.push_back(version);
  }
  engine::Workers::Provisioned all;
  for (const uint64_t version : versions) {
    const auto part = service.workers().provisioned(reference.address.arn(), name_of_version(version));
    all.wanted += part.wanted;
    all.ready += part.ready;
    all.failed = all.failed || part.failed;
  }
  co_return all;
}

template <class Out>
void describe_into(const ProvisionedConfig& config, const engine::Workers::Provisioned& progress, Out& out) {
  const int ready = std::min(progress.ready, config.requested);
  out.requested_provisioned_concurrent_executions = config.requested;
  out.available_provisioned_concurrent_executions = ready;
  out.allocated_provisioned_concurrent_executions = ready;
  if (ready == config.requested) {
    out.status = shapes::ProvisionedConcurrencyStatus::kReady;
  } else if (progress.failed) {
    out.status = shapes::ProvisionedConcurrencyStatus::kFailed;
    out.status_reason = "FUNCTION_ERROR_INIT_FAILURE";
  } else {
    out.status = shapes::ProvisionedConcurrencyStatus::kInProgress;
  }
  out.last_modified = base::iso_milliseconds(config.modified) + "+0000";
}

}  // namespace

Task<shapes::PutProvisionedConcurrencyConfigOutput> put_provisioned_concurrency_config(
    Service& service, wire::Context& context, const shapes::PutProvisionedConcurrencyConfigInput& request) {
  const FunctionReference reference = published(context, request.function_name, request.qualifier, kCannotBeProvisioned);
  const ProvisionedConfig config{reference.qualifier, request.provisioned_concurrent_executions, context.now()};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await load_function(txn, reference.address)) throw function_not_found(reference.arn());
    co_await check_target(txn, reference);
    co_await save_provisioned_config(txn, reference.address, config);
  });
  const auto snapshot = service.store().snapshot();
  engine::Workers::Provisioned now = co_await progress(service, *snapshot, reference);
  co_await apply_provisioned(service, reference.address);
  shapes::PutProvisionedConcurrencyConfigOutput out;
  now.failed = false;  // another attempt begins
  describe_into(config, now, out);
  out.status = shapes::ProvisionedConcurrencyStatus::kInProgress;
  co_return out;
}

Task<shapes::GetProvisionedConcurrencyConfigOutput> get_provisioned_concurrency_config(
    Service& service, wire::Context& context, const shapes::GetProvisionedConcurrencyConfigInput& request) {
  const FunctionReference reference = published(context, request.function_name, request.qualifier, kMustBePublished);
  const auto snapshot = service.store().snapshot();
  if (!co_await load_function(*snapshot, reference.address)) throw function_not_found(reference.arn());
  const auto config = co_await load_provisioned_config(*snapshot, reference);
  if (!config) throw no_config();
  shapes::GetProvisionedConcurrencyConfigOutput out;
  describe_into(*config, co_await progress(service, *snapshot, reference), out);
  co_return out;
}

Task<shapes::ListProvisionedConcurrencyConfigsOutput> list_provisioned_concurrency_configs(
    Service& service, wire::Context& context, const shapes::ListProvisionedConcurrencyConfigsInput& request) {
  const FunctionReference reference = parse_function_name(context, request.function_name);
  const auto snapshot = service.store().snapshot();
  if (!co_await load_function(*snapshot, reference.address)) throw function_not_found(reference.arn());
  std::vector<ProvisionedConfig> configs;
  const auto take = [&](std::string_view, std::string_view value) {
    configs.push_back(decode_provisioned_config(value));
    return true;
  };
  shapes::ListProvisionedConcurrencyConfigsOutput out;
  out.next_marker = co_await read_page(*snapshot, provisioned_configs_range(reference.address), request.marker,
                                       request.max_items, take);
  auto& items = out.provisioned_concurrency_configs.emplace();
  for (const ProvisionedConfig& config : configs) {
    const FunctionReference each{reference.address, config.qualifier};
    auto& item = items.emplace_back();
    item.function_arn = each.arn();
    describe_into(config, co_await progress(service, *snapshot, each), item);
  }
  co_return out;
}

Task<shapes::DeleteProvisionedConcurrencyConfigOutput> delete_provisioned_concurrency_config(
    Service& service, wire::Context& context, const shapes::DeleteProvisionedConcurrencyConfigInput& request) {
  const FunctionReference reference = published(context, request.function_name, request.qualifier, kMustBePublished);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await load_function(txn, reference.address)) throw function_not_found(reference.arn());
    if (!co_await erase_provisioned_config(txn, reference)) throw no_config();
  });
  co_await apply_provisioned(service, reference.address);
  co_return shapes::DeleteProvisionedConcurrencyConfigOutput{};
}

}  // namespace tidemill::lambda
