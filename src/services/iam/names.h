// Names, paths and ids of what an account has, and how its records are keyed: names that differ only in case are one
// name to AWS, so records stand under names in lower case and tell their own.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "store/resources.h"

namespace tidemill::iam {

using NameSet = std::set<std::string>;

// What is there without a path.
inline constexpr std::string_view kRootPath = "/";
// IAM has no regions.
inline constexpr std::string_view kNoRegion = "";

[[nodiscard]] std::string lower(std::string_view name);

// In the store.
[[nodiscard]] std::string key_of(store::ResourceType type, std::string_view account, std::string_view name);
[[nodiscard]] store::Range range_of(store::ResourceType type, std::string_view account);

// "arn:aws:iam::000000000000:role/path/name".
[[nodiscard]] std::string arn_of(std::string_view account, std::string_view type, std::string_view path,
                                 std::string_view name);
// "AROA" and 17 letters; never the same twice.
[[nodiscard]] std::string new_id(std::string_view kind);

}  // namespace tidemill::iam
