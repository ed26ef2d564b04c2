// Versions: copies of $LATEST that never change.
#pragma once

#include <optional>
#include <string>

#include "services/lambda/function.h"

namespace tidemill::lambda {

// Makes a version of $LATEST as it stands in `latest`, and writes both. If nothing has changed since the last version,
// that one is returned and nothing is written. `description`: the version's own, if it has one.
Task<Function> publish(store::Transaction& txn, Function& latest, std::optional<std::string> description, base::Time now);

}  // namespace tidemill::lambda
