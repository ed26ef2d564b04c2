// Material that is replaced: what was encrypted before stays readable, since all that a key has had is kept.
#pragma once

#include <string_view>

#include "engine/timer_service.h"

namespace tidemill::kms {

class Service;

// Its id is the key's record key.
inline constexpr std::string_view kRotationTimer = "kms-rotation";

// Before the timers start. The service outlives them.
void rotate_keys_by(engine::TimerService& timers, Service& service);

}  // namespace tidemill::kms
