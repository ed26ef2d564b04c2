// Secrets that are to be deleted: a durable timer waits for the end of their recovery window.
#pragma once

#include "engine/timer_service.h"
#include "store/store.h"

namespace tidemill::secretsmanager {

// Its id is the secret's record key.
inline constexpr std::string_view kDeletionTimer = "secret-deletion";

// Before the timers start. What is passed outlives them.
void delete_secrets_by(engine::TimerService& timers, store::Store& store);

}  // namespace tidemill::secretsmanager
