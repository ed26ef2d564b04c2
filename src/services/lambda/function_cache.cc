#include "services/lambda/function_cache.h"

#include <mutex>
#include <random>

#include "services/lambda/concurrency.h"

namespace tidemill::lambda {
namespace {

std::shared_ptr<const engine::FunctionSpec> make_spec(const Function& function, const std::filesystem::path& packages,
                                                      int reserved_in_account) {
  auto spec = std::make_shared<engine::FunctionSpec>();
  spec->arn = function.address.arn();
  spec->name = function.address.name;
  spec->version = function.version_name();
  spec->revision = function.process_revision;
  spec->runtime = function.runtime;
  spec->handler = function.handler;
  spec->code = packages / function.code_digest;
  if (function.environment) spec->environment = *function.environment;
  spec->timeout = std::chrono::seconds(function.timeout_seconds);
  spec->memory_mb = function.memory_mb;
  spec->account = function.address.account;
  spec->region = function.address.region;
  spec->log_group = function.effective_log_group();
  spec->reserved_concurrency = function.reserved_concurrency;
  spec->reserved_in_account = reserved_in_account;
  return spec;
}

// A version together with what holds for the whole function.
Task<std::optional<Function>> load_with_whole(store::Snapshot& snapshot, FunctionAddress address, uint64_t version) {
  auto latest = co_await load_function(snapshot, address);
  if (!latest || version == 0) co_return latest;
  auto function = co_await load_function(snapshot, std::move(address), version);
  if (!function) co_return std::nullopt;
  function->tags = std::move(latest->tags);
  function->last_version = latest->last_version;
  function->reserved_concurrency = latest->reserved_concurrency;
  function->allows_recursion = latest->allows_recursion;
  co_return function;
}

double draw() {
  thread_local std::mt19937_64 random(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(random);
}

}  // namespace

FunctionCache::FunctionCache(store::Store& store, std::filesystem::path packages)
    : store_(store),
      packages_(std::move(packages)),
      subscription_(store.subscribe(kFunctionsTopic, [this] { clear(); })) {}

Task<FunctionPtr> FunctionCache::find(FunctionReference reference) {
  const auto version = reference.is_latest() ? 0 : version_of_qualifier(reference.qualifier);
  if (version) co_return co_await find_version(reference.address, *version);
  const AliasPtr alias = co_await find_alias(reference);
  if (!alias) co_return nullptr;
  co_return co_await find_version(reference.address, alias->choose(draw()));
}

Task<FunctionPtr> FunctionCache::find_version(const FunctionAddress& address, uint64_t version) {
  std::string key = version_key(address, version);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = functions_.find(key); found != functions_.end()) return Task<FunctionPtr>::ready(found->second);
  }
  return load(address, version, std::move(key));
}

Task<FunctionPtr> FunctionCache::load(FunctionAddress address, uint64_t version, std::string key) {
  uint64_t epoch;
  {
    const std::shared_lock lock(mutex_);
    epoch = epoch_;
  }
  const auto snapshot = store_.snapshot();
  const int reserved = co_await load_reserved_total(*snapshot, address.account, address.region);
  auto function = co_await load_with_whole(*snapshot, std::move(address), version);
  if (!function) co_return nullptr;
  function->spec = make_spec(*function, packages_, reserved);
  auto shared = std::make_shared<const Function>(*std::move(function));
  const std::unique_lock lock(mutex_);
  if (epoch == epoch_) {
    if (functions_.size() >= kFunctionsMax) functions_.clear();
    functions_.insert_or_assign(std::move(key), shared);
  }
  co_return shared;
}

Task<FunctionCache::AliasPtr> FunctionCache::find_alias(FunctionReference reference) {
  const std::string key = alias_key(reference.address, reference.qualifier);
  uint64_t epoch;
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = aliases_.find(key); found != aliases_.end()) co_return found->second;
    epoch = epoch_;
  }
  const auto snapshot = store_.snapshot();
  auto alias = co_await load_alias(*snapshot, std::move(reference.address), std::move(reference.qualifier));
  if (!alias) co_return nullptr;
  auto shared = std::make_shared<const Alias>(*std::move(alias));
  const std::unique_lock lock(mutex_);
  if (epoch == epoch_) {
    if (aliases_.size() >= kFunctionsMax) aliases_.clear();
    aliases_.insert_or_assign(key, shared);
  }
  co_return shared;
}

void FunctionCache::clear() {
  const std::unique_lock lock(mutex_);
  ++epoch_;
  functions_.clear();
  aliases_.clear();
}

Task<std::string> find_role(FunctionCache& functions, std::string function_arn) {
  const auto reference = parse_function_arn(function_arn);
  if (!reference) co_return "";
  const FunctionPtr function = co_await functions.find(*reference);
  co_return function ? function->role : "";
}

}  // namespace tidemill::lambda
