// Material that is replaced: what was encrypted before stays readable, since all that a key has had is kept.
#pragma once

#include <string_view>

#include "engine/timer_service.h"
#include "store/store.h"

namespace tidemill::kms {

class Service;
struct Key;

// Its id is the key's record key.
inline constexpr std::string_view kRotationTimer = "kms-rotation";

// Until the key is to be rotated; or no longer, if it is not to be.
Task<void> wait_for_rotation(store::Transaction& txn, const Key& key);

// Before the timers start. The service outlives them.
void rotate_keys_by(engine::TimerService& timers, Service& service);

}  // namespace tidemill::kms
