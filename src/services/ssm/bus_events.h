// What the default bus is told of parameters.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "services/ssm/parameter.h"
#include "store/store.h"

namespace tidemill::ssm {

// In AWS's words ("Parameter Store Change").
inline constexpr std::string_view kTellCreate = "Create";
inline constexpr std::string_view kTellUpdate = "Update";
inline constexpr std::string_view kTellDelete = "Delete";
inline constexpr std::string_view kTellLabel = "LabelParameterVersion";

// In the transaction that does it. `parameter`: as it is then; one that is deleted, as it was. Its value is not told.
Task<void> tell_bus(store::Transaction& txn, const Parameter& parameter, std::string_view operation, base::Time now);

}  // namespace tidemill::ssm
