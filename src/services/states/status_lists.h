// Lists of executions by their status, for those of before there were such lists: an entry for each is put once, a
// slice at a time. What begins or ends meanwhile has its entry anyway.
#pragma once

#include "base/clock.h"
#include "engine/timer_service.h"
#include "store/store.h"

namespace tidemill::states {

inline constexpr std::string_view kRelistTimer = "states-relist";  // payload: the key of the list to go on behind
inline constexpr size_t kRelistedAtOnce = 256;                     // executions, in one transaction

// Once a pond: sees to it that everything is listed. Before the timers start; further calls find it done or under way.
Task<void> begin_relisting(store::Store& store, base::Clock& clock);

// Handler of kRelistTimer: one slice.
Task<void> relist(store::Store& store, base::Clock& clock, const store::Timer& timer);

}  // namespace tidemill::states
