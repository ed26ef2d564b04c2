// What an alias is: a name for a version, and perhaps a share of the calls for a second one. Kept in the store under
// KeySpace::resource, (account, region, "lambda", "alias", function), alias.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "services/lambda/function.h"
#include "services/lambda/function_name.h"
#include "store/store.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

struct Alias {
  std::string name;
  uint64_t version = 0;  // 0: $LATEST
  std::string description;
  std::map<uint64_t, double> weights;  // of further versions; at most kRoutedVersionsMax
  std::string revision;                // changes with every change

  // The version that a call goes to; `chance` is from 0 up to but not including 1.
  [[nodiscard]] uint64_t choose(double chance) const;
  [[nodiscard]] bool names(uint64_t other) const { return version == other || weights.contains(other); }
};

// AWS's limit of AdditionalVersionWeights.
inline constexpr size_t kRoutedVersionsMax = 1;

[[nodiscard]] std::string alias_key(const FunctionAddress& address, std::string_view name);
[[nodiscard]] store::Range aliases_range(const FunctionAddress& address);

// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Alias decode_alias(std::string_view bytes);

Task<std::optional<Alias>> load_alias(store::Snapshot& reader, FunctionAddress address, std::string name);

// The function or version that the reference stands for; an alias with weights stands for its first.
Task<std::optional<Function>> load_referred(store::Snapshot& reader, FunctionReference reference);

// Writes it, with a new revision.
void save_alias(store::Transaction& txn, const FunctionAddress& address, Alias& alias);

// Forgets what is kept beside a version or an alias: its policy, and what becomes of its events.
void erase_settings(store::Transaction& txn, const FunctionReference& reference);

[[nodiscard]] wire::lambda::AliasConfiguration describe(const FunctionAddress& address, const Alias& alias);

}  // namespace tidemill::lambda
