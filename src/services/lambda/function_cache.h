// The parsed descriptions of functions, shared by all threads, so that an invocation parses none. Thrown away as soon as a
// change of any function commits.
#pragma once

#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "services/lambda/function.h"

namespace tidemill::lambda {

class FunctionCache {
 public:
  static constexpr size_t kFunctionsMax = 10'000;  // kept; beyond, the cache starts anew

  // Packages are unpacked below `packages`. `store` must outlive the cache.
  FunctionCache(store::Store& store, std::filesystem::path packages);

  // nullptr: there is no such function. Any thread.
  Task<FunctionPtr> find(const FunctionAddress& address);

 private:
  Task<FunctionPtr> load(FunctionAddress address, std::string key);
  void clear();

  store::Store& store_;
  const std::filesystem::path packages_;
  std::shared_mutex mutex_;
  uint64_t epoch_ = 0;  // counts the clearings: what was read before one is not kept after it
  std::unordered_map<std::string, FunctionPtr> functions_;  // by function_key
  store::Subscription subscription_;
};

// The role of the function that the ARN names; empty if there is none. The cache outlives the task.
Task<std::string> find_role(FunctionCache& functions, std::string function_arn);

}  // namespace tidemill::lambda
