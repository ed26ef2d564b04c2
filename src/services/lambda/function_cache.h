// The parsed descriptions of functions, shared by all threads, so that an invocation parses none. Thrown away as soon as a
// change of any function commits.
#pragma once

#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "services/lambda/alias.h"
#include "services/lambda/function.h"

namespace tidemill::lambda {

class FunctionCache {
 public:
  static constexpr size_t kFunctionsMax = 10'000;  // kept, and as many aliases; beyond, the cache starts anew

  // Packages are unpacked below `packages`. `store` must outlive the cache.
  FunctionCache(store::Store& store, std::filesystem::path packages);

  // $LATEST; nullptr: there is no such function. Any thread.
  Task<FunctionPtr> find(const FunctionAddress& address) { return find_version(address, 0); }
  // The version that a call by this reference runs. Of an alias with weights it is drawn anew each time, so one call asks
  // once. nullptr: there is no such function, version or alias. Any thread.
  Task<FunctionPtr> find(FunctionReference reference);

 private:
  using AliasPtr = std::shared_ptr<const Alias>;

  Task<FunctionPtr> find_version(const FunctionAddress& address, uint64_t version);
  Task<FunctionPtr> load(FunctionAddress address, uint64_t version, std::string key);
  Task<AliasPtr> find_alias(FunctionReference reference);
  void clear();

  store::Store& store_;
  const std::filesystem::path packages_;
  std::shared_mutex mutex_;
  uint64_t epoch_ = 0;  // counts the clearings: what was read before one is not kept after it
  std::unordered_map<std::string, FunctionPtr> functions_;  // by version_key
  std::unordered_map<std::string, AliasPtr> aliases_;       // by alias_key
  store::Subscription subscription_;
};

// The role of the function that the ARN names; empty if there is none. The cache outlives the task.
Task<std::string> find_role(FunctionCache& functions, std::string function_arn);

}  // namespace tidemill::lambda
