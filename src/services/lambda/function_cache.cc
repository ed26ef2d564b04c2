#include "services/lambda/function_cache.h"

#include <random>

#include "services/lambda/concurrency.h"
#include "services/lambda/function_layers.h"

namespace tidemill::lambda {
namespace {

// What has been read later is what the function was later, also of one that was deleted and made again under its name.
std::shared_ptr<const engine::FunctionSpec> make_spec(const Function& function, const std::filesystem::path& packages,
                                                      AccountConcurrency account, store::Version read_at) {
  auto spec = std::make_shared<engine::FunctionSpec>();
  spec->arn = function.address.arn();
  spec->name = function.address.name;
  spec->version = function.version_name();
  spec->revision = function.process_revision;
  spec->edition = read_at.value;
  spec->runtime = function.runtime;
  spec->handler = function.handler;
  spec->code = packages / function.code_digest;
  if (!function.layers.empty()) spec->layers = packages / layers_directory(function.layers);
  if (function.environment) spec->environment = *function.environment;
  spec->timeout = std::chrono::seconds(function.timeout_seconds);
  spec->memory_mb = function.memory_mb;
  spec->account = function.address.account;
  spec->region = function.address.region;
  spec->role_arn = function.role;
  spec->log_group = function.effective_log_group();
  spec->shares_log_group = !function.log_group.empty();
  spec->logging = function.logging;
  spec->runtime_version_arn = function.runtime_version_arn();
  spec->reserved_concurrency = function.reserved_concurrency;
  spec->reserved_in_account = account.reserved;
  spec->provisioned_in_pool = function.reserved_concurrency ? function.provisioned_concurrency : account.provisioned;
  spec->ephemeral_storage_mb = function.ephemeral_storage_mb;
  return spec;
}

// A version together with what holds for the whole function.
Function with_whole(Function function, Function latest) {
  function.tags = std::move(latest.tags);
  function.last_version = latest.last_version;
  function.reserved_concurrency = latest.reserved_concurrency;
  function.provisioned_concurrency = latest.provisioned_concurrency;
  function.allows_recursion = latest.allows_recursion;
  return function;
}

// What is kept of the same source; nullptr: nothing.
template <class Map, class Source>
auto kept(const Map& map, const std::string& key, const Source& source) {
  const auto found = map.find(key);
  return found != map.end() && found->second.from == source ? found->second.made : nullptr;
}

template <class Map>
void keep(Map& map, std::string key, typename Map::mapped_type value) {
  if (map.size() >= FunctionCache::kFunctionsMax) map.clear();
  map.insert_or_assign(std::move(key), std::move(value));
}

double draw() {
  thread_local std::mt19937_64 random(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(random);
}

}  // namespace

FunctionCache::FunctionCache(store::Store& store, std::filesystem::path packages)
    : store_(store), packages_(std::move(packages)) {}

Task<FunctionPtr> FunctionCache::find(FunctionReference reference) {
  const auto snapshot = store_.snapshot();
  auto version = reference.is_latest() ? std::optional<uint64_t>(0) : version_of_qualifier(reference.qualifier);
  if (!version) {
    const AliasPtr alias = co_await find_alias(*snapshot, reference);
    if (!alias) co_return nullptr;
    version = alias->choose(draw());
  }
  co_return co_await find_version(*snapshot, std::move(reference.address), *version);
}

Task<FunctionPtr> FunctionCache::find_version(store::Snapshot& reader, FunctionAddress address, uint64_t version) {
  Source source;
  auto latest = co_await reader.get(function_key(address));
  if (!latest) co_return nullptr;
  source.latest = *std::move(latest);
  std::string key = version_key(address, version);
  if (version != 0) {
    auto bytes = co_await reader.get(key);
    if (!bytes) co_return nullptr;
    source.version = *std::move(bytes);
  }
  source.account = co_await load_account_concurrency(reader, address.account, address.region);
  {
    const std::lock_guard lock(mutex_);
    if (FunctionPtr function = kept(functions_, key, source)) co_return function;
  }
  FunctionPtr function = make(std::move(address), version, source, reader.version());
  const std::lock_guard lock(mutex_);
  keep(functions_, std::move(key), {std::move(source), function});
  co_return function;
}

FunctionPtr FunctionCache::make(FunctionAddress address, uint64_t version, const Source& source,
                                store::Version read_at) const {
  Function function = decode_function({address, 0}, source.latest);
  if (version != 0) {
    function = with_whole(decode_function({std::move(address), version}, source.version), std::move(function));
  }
  function.spec = make_spec(function, packages_, source.account, read_at);
  return std::make_shared<const Function>(std::move(function));
}

Task<FunctionCache::AliasPtr> FunctionCache::find_alias(store::Snapshot& reader, const FunctionReference& reference) {
  std::string key = alias_key(reference.address, reference.qualifier);
  auto bytes = co_await reader.get(key);
  if (!bytes) co_return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (AliasPtr alias = kept(aliases_, key, *bytes)) co_return alias;
  }
  auto alias = std::make_shared<const Alias>(decode_alias(*bytes));
  const std::lock_guard lock(mutex_);
  keep(aliases_, std::move(key), {*std::move(bytes), alias});
  co_return alias;
}

Task<std::string> find_role(FunctionCache& functions, std::string function_arn) {
  const auto reference = parse_function_arn(function_arn);
  if (!reference) co_return "";
  const FunctionPtr function = co_await functions.find(*reference);
  co_return function ? function->role : "";
}

}  // namespace tidemill::lambda
