// Which secrets a list is to have.
#pragma once

#include <optional>
#include <vector>

#include "services/secretsmanager/secret.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::secretsmanager {

using Filters = std::optional<std::vector<wire::secretsmanager::Filter>>;

// Throws InvalidParameterException.
void check_filters(const Filters& filters);
// Of filters that have been checked: whether all of them want it.
[[nodiscard]] bool is_wanted(const Filters& filters, const Secret& secret);

}  // namespace tidemill::secretsmanager
