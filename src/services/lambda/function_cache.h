// The parsed descriptions of functions, shared by all threads, so that an invocation parses none. What is here is only
// used if the store still says the same: whoever changed it, this process or another, no call runs what a function was
// before.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "services/lambda/alias.h"
#include "services/lambda/concurrency.h"
#include "services/lambda/function.h"

namespace tidemill::lambda {

class FunctionCache {
 public:
  static constexpr size_t kFunctionsMax = 10'000;  // kept, and as many aliases; beyond, the cache starts anew

  // Packages are unpacked below `packages`. `store` must outlive the cache.
  FunctionCache(store::Store& store, std::filesystem::path packages);

  // $LATEST; nullptr: there is no such function. Any thread.
  Task<FunctionPtr> find(const FunctionAddress& address) { return find(FunctionReference{address, {}}); }
  // The version that a call by this reference runs. Of an alias with weights it is drawn anew each time, so one call asks
  // once. nullptr: there is no such function, version or alias. Any thread.
  Task<FunctionPtr> find(FunctionReference reference);

 private:
  using AliasPtr = std::shared_ptr<const Alias>;
  // What a description was made of.
  struct Source {
    std::string latest;
    std::string version;  // empty: it is $LATEST
    AccountConcurrency account;
    bool operator==(const Source&) const = default;
  };
  template <class Made, class From>
  struct Kept {
    From from;
    Made made;
  };

  Task<FunctionPtr> find_version(store::Snapshot& reader, FunctionAddress address, uint64_t version);
  Task<AliasPtr> find_alias(store::Snapshot& reader, const FunctionReference& reference);
  // `read_at`: of the snapshot that the source is of.
  [[nodiscard]] FunctionPtr make(FunctionAddress address, uint64_t version, const Source& source,
                                 store::Version read_at) const;

  store::Store& store_;
  const std::filesystem::path packages_;
  std::mutex mutex_;
  std::unordered_map<std::string, Kept<FunctionPtr, Source>> functions_;  // by version_key
  std::unordered_map<std::string, Kept<AliasPtr, std::string>> aliases_;  // by alias_key
};

// The role of the function that the ARN names; empty if there is none. The cache outlives the task.
Task<std::string> find_role(FunctionCache& functions, std::string function_arn);

}  // namespace tidemill::lambda
