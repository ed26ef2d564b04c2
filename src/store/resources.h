// Where services keep the descriptions of their resources: KeySpace::resource, (account, region, service, type, name),
// and for what belongs to a resource further parts after the name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "store/store.h"

namespace tidemill::store {

// What a service describes there: {"sqs", "queue"}. Both parts are stored and never change.
struct ResourceType {
  std::string_view service;
  std::string_view type;
};

struct ResourceAddress {
  std::string account;
  std::string region;
  std::string name;
};

// Before the names of all of an account's region; append further parts with base::append_string.
[[nodiscard]] std::string resource_prefix(ResourceType type, std::string_view account, std::string_view region);

[[nodiscard]] std::string resource_key(ResourceType type, std::string_view account, std::string_view region,
                                       std::string_view name);

// Those of an account's region, in the order of their names.
[[nodiscard]] Range resources_range(ResourceType type, std::string_view account, std::string_view region);

// All descriptions of all services, accounts and regions.
[[nodiscard]] Range all_resources_range();

// The accounts that have or had any, in their order; without "", under which stands what is no account's.
Task<std::vector<std::string>> accounts_with_resources(Snapshot& reader);

// Nothing: `key` is not that of a resource of this type, or has further parts.
[[nodiscard]] std::optional<ResourceAddress> resource_of_key(ResourceType type, std::string_view key);

}  // namespace tidemill::store
