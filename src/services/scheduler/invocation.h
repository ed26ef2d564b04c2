// One run of a schedule on its way to its target: a delivery (store/delivery.h), with what the schedule said when it
// fell due. So it is tried again and given up by the schedule's retry policy, whatever becomes of the schedule
// meanwhile.
#pragma once

#include <string_view>

#include "engine/deliveries.h"
#include "services/scheduler/input.h"
#include "services/scheduler/schedule.h"
#include "store/delivery.h"
#include "wire/context.h"

namespace tidemill::scheduler {

// Kinds of deliveries: of what takes at once what it gets, and of operations that may take as long as what they call
// (engine::may_wait). Earlier versions had all universal targets of the second kind.
inline constexpr std::string_view kKind = "schedule";
inline constexpr std::string_view kWaitingKind = "schedule-call";

// Attempts of the first kind that are under way at the same time.
inline constexpr size_t kConcurrentRunsMax = 512;

// `late`: so much of its age has passed already. `timer` gave rise to it: its setting is in the execution's id.
[[nodiscard]] store::Delivery delivery_of(const Schedule& schedule, base::Time scheduled, base::Duration late,
                                          const store::Timer& timer);

// One attempt at it, by an operation that writes by `store` if it can, as a queue's SendMessage does (store/joint.h).
Task<store::SendOutcome> send_run(wire::Platform& platform, store::Store& store, const store::Delivery& delivery);

// Before the timers start. What is passed outlives the deliveries.
void add_senders(engine::Deliveries& deliveries, wire::Platform& platform);

}  // namespace tidemill::scheduler
