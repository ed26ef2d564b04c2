// Whom policies may name by their ids (engine/policy_principals.h), of whom that is told as they are made.
#pragma once

#include "base/task.h"
#include "store/store.h"

namespace tidemill::iam {

// Tells it of the users and roles of all accounts that were made by versions which did not. Once at a start.
Task<void> keep_all_principals(store::Store& store);

}  // namespace tidemill::iam
