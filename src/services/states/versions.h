// Publishing versions of state machines.
#pragma once

#include <optional>
#include <string>

#include "services/states/machine.h"
#include "store/store.h"

namespace tidemill::states {

// Of the definition in force; the last version again if it is of this definition and the description is the same.
// Changes `machine`, which the caller writes. Throws ConflictException for another description.
Task<MachineVersion> publish(store::Transaction& txn, StateMachine& machine, std::optional<std::string> description,
                             base::Time now);

}  // namespace tidemill::states
