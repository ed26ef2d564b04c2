// Events of a history as GetExecutionHistory shows them.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "services/states/long_evaluations.h"
#include "wire/shapes/states.h"

namespace tidemill::states {

// Of events as read_history gives them. A page has up to 8 MiB, which take a twenty-fifth of a second to read: it gives
// way between events, and those that are large are read on a thread.
Task<std::vector<wire::states::HistoryEvent>> shown_events(LongEvaluations& evaluations,
                                                           std::vector<std::string> events);

// What includeExecutionData says no to.
void drop_data(wire::states::HistoryEvent& event);

}  // namespace tidemill::states
