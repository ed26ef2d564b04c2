#include "services/lambda/concurrency.h"

#include "base/json_members.h"
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/layer.h"
#include "services/lambda/operations.h"
#include "services/lambda/package.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

constexpr store::ResourceType kAccounts{"lambda", "account"};
constexpr int64_t kTotalCodeBytesMax = 80'530'636'800;  // AWS's limit of all packages

constexpr auto kConcurrencyMembers = [](auto& member, auto& concurrency) {
  member("reserved", concurrency.reserved);
  member.added("provisioned", concurrency.provisioned);
};

std::string reserved_key(std::string_view account, std::string_view region) {
  return store::resource_key(kAccounts, account, region, "concurrency");
}

FunctionAddress whole_function(const wire::Context& context, const std::string& name) {
  FunctionReference reference = parse_function_name(context, name);
  if (reference.qualifier.empty()) return std::move(reference.address);
  throw errors::invalid_parameter_value_exception(
      "This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. Please "
      "specify either a function name or an unqualified function ARN.");
}

// AWS's words: with two blanks before the number that is asked for, and one in front.
wire::Error too_little_reserved(const FunctionConcurrency& before, const FunctionConcurrency& after) {
  if (after.provisioned > before.provisioned) {
    return errors::invalid_parameter_value_exception(
        "Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function");
  }
  return errors::invalid_parameter_value_exception(
      base::cat(" ReservedConcurrentExecutions  ", *after.reserved,
                " should not be lower than function's total provisioned concurrency [", after.provisioned, "]."));
}

// Nothing: the function reserves nothing any more.
Task<void> set_reserved(Service& service, FunctionAddress address, std::optional<int> reserved) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto function = co_await load_function(txn, address);
    if (!function) throw function_not_found(address.arn());
    const int provisioned = function->provisioned_concurrency;
    co_await change_concurrency(txn, address, {function->reserved_concurrency, provisioned}, {reserved, provisioned});
    function->reserved_concurrency = reserved;
    txn.put(function_key(address), encode_function(*function));
  });
}

}  // namespace

Task<AccountConcurrency> load_account_concurrency(store::Snapshot& reader, std::string_view account,
                                                  std::string_view region) {
  const auto bytes = co_await reader.get(reserved_key(account, region));
  if (!bytes) co_return AccountConcurrency{};
  co_return json::decode<AccountConcurrency>("concurrency", *bytes, kConcurrencyMembers);
}

Task<void> change_concurrency(store::Transaction& txn, FunctionAddress address, FunctionConcurrency before,
                              FunctionConcurrency after) {
  if (after.reserved && after.provisioned > *after.reserved) throw too_little_reserved(before, after);
  const auto shared = [](const FunctionConcurrency& of) { return of.reserved ? 0 : of.provisioned; };
  const AccountConcurrency old = co_await load_account_concurrency(txn, address.account, address.region);
  const AccountConcurrency now{old.reserved - before.reserved.value_or(0) + after.reserved.value_or(0),
                               old.provisioned - shared(before) + shared(after)};
  if (now == old) co_return;
  const int taken = now.reserved + now.provisioned;
  const bool takes_more = taken > old.reserved + old.provisioned;
  if (takes_more && taken > engine::kAccountConcurrency - kUnreservedConcurrencyMin) {
    const bool is_reserved = after.reserved.value_or(0) > before.reserved.value_or(0);
    throw errors::invalid_parameter_value_exception(
        base::cat("Specified ", is_reserved ? "ReservedConcurrentExecutions" : "ProvisionedConcurrentExecutions",
                  " for function decreases account's UnreservedConcurrentExecution below its minimum value of [",
                  kUnreservedConcurrencyMin, "]."));
  }
  txn.put(reserved_key(address.account, address.region), json::encode(now, kConcurrencyMembers));
}

Task<shapes::Concurrency> put_function_concurrency(Service& service, wire::Context& context,
                                                   const shapes::PutFunctionConcurrencyInput& request) {
  const FunctionAddress address = whole_function(context, request.function_name);
  co_await set_reserved(service, address, request.reserved_concurrent_executions);
  shapes::Concurrency out;
  out.reserved_concurrent_executions = request.reserved_concurrent_executions;
  co_return out;
}

Task<shapes::GetFunctionConcurrencyOutput> get_function_concurrency(
    Service& service, wire::Context& context, const shapes::GetFunctionConcurrencyInput& request) {
  const FunctionAddress address = whole_function(context, request.function_name);
  const FunctionPtr function = co_await service.functions().find(address);
  if (!function) throw function_not_found(address.arn());
  shapes::GetFunctionConcurrencyOutput out;
  out.reserved_concurrent_executions = function->reserved_concurrency;
  co_return out;
}

Task<shapes::DeleteFunctionConcurrencyOutput> delete_function_concurrency(
    Service& service, wire::Context& context, const shapes::DeleteFunctionConcurrencyInput& request) {
  co_await set_reserved(service, whole_function(context, request.function_name), std::nullopt);
  co_return shapes::DeleteFunctionConcurrencyOutput{};
}

Task<shapes::GetAccountSettingsOutput> get_account_settings(Service& service, wire::Context& context,
                                                            const shapes::GetAccountSettingsInput&) {
  const auto snapshot = service.store().snapshot();
  int64_t functions = 0;
  int64_t bytes = 0;
  co_await snapshot->scan(functions_range(context.account, context.region), store::Direction::forward,
                          [&](std::string_view key, std::string_view value) {
                            auto parsed = parse_function_key(key);
                            if (!parsed) return true;
                            if (parsed->version == 0) ++functions;
                            bytes += decode_function(*std::move(parsed), value).code_bytes;
                            return true;
                          });
  co_await snapshot->scan(layer_versions_range(context.account, context.region), store::Direction::forward,
                          [&](std::string_view key, std::string_view value) {
                            const auto layer = find_layer_version(key, value);
                            if (layer) bytes += layer->code_bytes;
                            return true;
                          });
  const int reserved = (co_await load_account_concurrency(*snapshot, context.account, context.region)).reserved;
  shapes::GetAccountSettingsOutput out;
  auto& limit = out.account_limit.emplace();
  limit.total_code_size = kTotalCodeBytesMax;
  limit.code_size_unzipped = kUnzippedBytesMax;
  limit.code_size_zipped = kZippedBytesMax;
  limit.concurrent_executions = engine::kAccountConcurrency;
  limit.unreserved_concurrent_executions = engine::kAccountConcurrency - reserved;
  auto& usage = out.account_usage.emplace();
  usage.total_code_size = bytes;
  usage.function_count = functions;
  co_return out;
}

}  // namespace tidemill::lambda
