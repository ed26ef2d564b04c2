// Keys that are to be deleted: a durable timer waits for the day, and takes the key, its material and its aliases.
#pragma once

#include "engine/timer_service.h"
#include "store/store.h"

namespace tidemill::kms {

// Its id is the key's record key.
inline constexpr std::string_view kDeletionTimer = "kms-deletion";

// Before the timers start. What is passed outlives them.
void delete_keys_by(engine::TimerService& timers, store::Store& store);

}  // namespace tidemill::kms
