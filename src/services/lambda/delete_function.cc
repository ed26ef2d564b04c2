// Deletes a function with its versions, aliases and settings, or one version. Mappings to it stay, as on AWS; what runs
// ends by itself.
#include <set>

#include "base/text.h"
#include "services/lambda/alias.h"
#include "services/lambda/concurrency.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_invoke_config.h"
#include "services/lambda/function_policy.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {
namespace {

using Digests = std::set<std::string>;  // of packages that are perhaps needed no more

Task<Digests> erase_function(store::Transaction& txn, const FunctionAddress& address) {
  const auto function = co_await load_function(txn, address);
  if (!function) throw function_not_found(address.arn());
  Digests digests;
  co_await txn.scan(versions_range(address), store::Direction::forward, [&](std::string_view key, std::string_view value) {
    digests.insert(decode_function(parse_function_key(key).value(), value).code_digest);
    return true;
  });
  co_await change_reserved(txn, address, function->reserved_concurrency.value_or(0), 0);
  txn.erase(function_key(address));  // what all others who write there read
  for (const store::Range& range : {versions_range(address), aliases_range(address), event_invoke_configs_range(address),
                                    policies_range(address)}) {
    txn.erase_range(range);
  }
  co_return digests;
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
Task<Digests> erase_version(store::Transaction& txn, const FunctionAddress& address, uint64_t version) {
  if (!co_await load_function(txn, address)) throw function_not_found(address.arn());
  const auto found = co_await load_function(txn, address, version);
  if (!found) co_return Digests{};
  co_await refuse_named_version(txn, address, version);
  txn.erase(version_key(address, version));
  erase_settings(txn, {address, name_of_version(version)});
  co_return Digests{found->code_digest};
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
  const Digests digests = co_await service.store().transact([&](store::Transaction& txn) -> Task<Digests> {
    if (reference.qualifier.empty()) co_return co_await erase_function(txn, reference.address);
    co_return co_await erase_version(txn, reference.address, *version);
  });
  service.workers().retire(reference.address.arn(), reference.qualifier);
  for (const std::string& digest : digests) service.packages().release(digest);
  co_await service.remove_unreferenced();
  co_return shapes::DeleteFunctionOutput{};
}

}  // namespace tidemill::lambda
