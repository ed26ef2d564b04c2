// What the default bus is told of keys.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "services/kms/key.h"
#include "store/store.h"

namespace tidemill::kms {

// In AWS's words ("Monitor KMS keys with Amazon EventBridge" in the developer guide).
inline constexpr std::string_view kTellRotation = "KMS CMK Rotation";
inline constexpr std::string_view kTellDeletion = "KMS CMK Deletion";

// In the transaction in which it happens.
Task<void> tell_bus(store::Transaction& txn, const KeyAddress& key, std::string_view what, base::Time now);

}  // namespace tidemill::kms
