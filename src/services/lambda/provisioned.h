// Provisioned concurrency: how many processes of a version, or of what an alias names, are kept started. Kept in the store
// under KeySpace::resource, (account, region, "lambda", "provisioned", function), qualifier; and beside it, ("", "", "lambda",
// "provisioned-function", ARN) says which functions have any, for a start. How far the processes are, the pool of workers
// knows (engine/workers/workers.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/lambda/function_name.h"
#include "store/store.h"

namespace tidemill::lambda {

class Service;
struct Alias;

struct ProvisionedConfig {
  std::string qualifier;  // a version's number, or an alias
  int requested = 0;
  base::Time modified;
};

[[nodiscard]] store::Range provisioned_configs_range(const FunctionAddress& address);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] ProvisionedConfig decode_provisioned_config(std::string_view bytes);

// Nothing: there is none. The read is tracked if `reader` is a transaction.
Task<std::optional<ProvisionedConfig>> load_provisioned_config(store::Snapshot& reader, FunctionReference reference);

// In AWS's words, of $LATEST.
inline constexpr std::string_view kCannotBeProvisioned =
    "Provisioned Concurrency Configs cannot be applied to unpublished function versions.";

// Throws if the alias, as it is or is to be, cannot have a configuration: it names $LATEST, or a version that has one of
// its own. A version has its processes from one configuration only.
Task<void> check_provisioned_alias(store::Transaction& txn, FunctionAddress address, const Alias& alias);

// Writes it, and what the function and its account have of it. Throws AWS's errors if there is no room.
Task<void> save_provisioned_config(store::Transaction& txn, FunctionAddress address, ProvisionedConfig config);
// The opposite; false: there was none.
Task<bool> erase_provisioned_config(store::Transaction& txn, FunctionReference reference);
// With the whole function, whose record goes anyway.
void erase_provisioned_configs(store::Transaction& txn, const FunctionAddress& address);

// Has the workers keep what the store says of the function now: after each change of a configuration or an alias.
Task<void> apply_provisioned(Service& service, FunctionAddress address);
// The same for all functions: once, at a start.
Task<void> apply_all_provisioned(Service& service);

}  // namespace tidemill::lambda
