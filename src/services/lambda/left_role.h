// What a function leaves to the mappings that call it: they stay when it goes, as on AWS, and go on telling their
// failures.
#pragma once

#include "base/task.h"
#include "services/lambda/function_name.h"
#include "store/store.h"

namespace tidemill::lambda {

// Before the version or the alias is erased, or with an empty qualifier the function and all of them: every mapping to
// it keeps the role that what it calls has now (Mapping::last_role).
Task<void> leave_role_to_mappings(store::Transaction& txn, FunctionReference gone);

}  // namespace tidemill::lambda
