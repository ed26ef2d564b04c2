// One change of an execution: what time it is, and what it adds to the history.
#pragma once

#include "services/states/history.h"
#include "services/states/stepper.h"
#include "services/states/token.h"
#include "services/states/view.h"

namespace tidemill::states {

// What evaluations may know of the world, at `now`.
[[nodiscard]] asl::World world_at(base::Time now);

struct Turn {
  // `live` outlives it.
  Turn(Live& live, base::Time now)
      : world(world_at(now)), history(live.head.next_event, true), first_event(live.head.next_event),
        stepper(live, world, history, token_of) {}
  asl::World world;
  HistoryWriter history;
  uint64_t first_event;
  Stepper stepper;
};

}  // namespace tidemill::states
