#include "services/lambda/function_cache.h"

#include <mutex>

namespace tidemill::lambda {
namespace {

std::shared_ptr<const engine::FunctionSpec> make_spec(const Function& function, const std::filesystem::path& packages) {
  auto spec = std::make_shared<engine::FunctionSpec>();
  spec->arn = function.address.arn();
  spec->name = function.address.name;
  spec->version = kLatest;
  spec->revision = function.revision;
  spec->runtime = function.runtime;
  spec->handler = function.handler;
  spec->code = packages / function.code_digest;
  if (function.environment) spec->environment = *function.environment;
  spec->timeout = std::chrono::seconds(function.timeout_seconds);
  spec->memory_mb = function.memory_mb;
  spec->account = function.address.account;
  spec->region = function.address.region;
  spec->log_group = function.effective_log_group();
  return spec;
}

}  // namespace

FunctionCache::FunctionCache(store::Store& store, std::filesystem::path packages)
    : store_(store),
      packages_(std::move(packages)),
      subscription_(store.subscribe(kFunctionsTopic, [this] { clear(); })) {}

Task<FunctionPtr> FunctionCache::find(const FunctionAddress& address) {
  std::string key = function_key(address);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = functions_.find(key); found != functions_.end()) return Task<FunctionPtr>::ready(found->second);
  }
  return load(address, std::move(key));
}

Task<FunctionPtr> FunctionCache::load(FunctionAddress address, std::string key) {
  uint64_t epoch;
  {
    const std::shared_lock lock(mutex_);
    epoch = epoch_;
  }
  const auto snapshot = store_.snapshot();
  auto function = co_await load_function(*snapshot, std::move(address));
  if (!function) co_return nullptr;
  function->spec = make_spec(*function, packages_);
  auto shared = std::make_shared<const Function>(*std::move(function));
  const std::unique_lock lock(mutex_);
  if (epoch == epoch_) {
    if (functions_.size() >= kFunctionsMax) functions_.clear();
    functions_.insert_or_assign(std::move(key), shared);
  }
  co_return shared;
}

void FunctionCache::clear() {
  const std::unique_lock lock(mutex_);
  ++epoch_;
  functions_.clear();
}

Task<std::string> find_role(FunctionCache& functions, std::string function_arn) {
  const auto reference = parse_function_arn(function_arn);
  if (!reference) co_return "";
  const FunctionPtr function = co_await functions.find(reference->address);
  co_return function ? function->role : "";
}

}  // namespace tidemill::lambda
