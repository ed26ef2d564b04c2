// Which parameters a list is to have: its filters, checked and then asked of each.
#pragma once

#include <optional>
#include <vector>

#include "services/ssm/parameter.h"
#include "wire/shapes/ssm.h"

namespace tidemill::ssm {

using Filters = std::optional<std::vector<wire::ssm::ParameterStringFilter>>;

enum class FilterUse { by_path, described };

// Throws InvalidFilterKey, InvalidFilterOption and InvalidFilterValue.
void check_filters(FilterUse use, const Filters& filters);
// Of filters that have been checked: whether all of them want it.
[[nodiscard]] bool is_wanted(const Filters& filters, const Parameter& parameter);
// `path`: "/a" or "/a/". Whether `name` lies below it, at any depth or directly.
[[nodiscard]] bool is_below(std::string_view path, std::string_view name, bool recursive);

}  // namespace tidemill::ssm
