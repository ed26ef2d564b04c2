// Keys that are to be deleted: a durable timer waits for the day, and takes the key, its material and its aliases.
#pragma once

#include <string_view>

#include "engine/timer_service.h"

namespace tidemill::kms {

class Service;

// Its id is the key's record key.
inline constexpr std::string_view kDeletionTimer = "kms-deletion";

// Before the timers start. The service outlives them.
void delete_keys_by(engine::TimerService& timers, Service& service);

}  // namespace tidemill::kms
