// Provisioned concurrency of versions and aliases.
#pragma once

#include <string>

#include "base/json.h"
#include "base/task.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

// Brings ProvisionedConcurrencyConfig from `before` to `after`, and waits until it stands.
Task<void> set_provisioned_concurrency(Step& step, std::string function, std::string qualifier,
                                       const json::Object& before, const json::Object& after);

}  // namespace tidemill::cloudformation
