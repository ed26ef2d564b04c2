// Keeps looks at a queue short: moves the floors of its parts up behind what is gone (store/queue.h). For those who
// take messages, once in a while (store::FloorPace); nothing but speed depends on it.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "store/queue.h"

namespace tidemill::sqs {

// Of one receiver of a queue, who remembers by itself where its last look ended and needs the floor seldom.
inline constexpr store::FloorPace kReceiverFloorPace{2'000, 2'000};

// Does not throw.
Task<void> raise_floors(store::Store& store, std::string_view queue_id, base::Time now);

}  // namespace tidemill::sqs
