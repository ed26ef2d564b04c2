// What a rule's target receives of an event: the event itself, a part of it, a constant, or what a template makes of
// it.
#pragma once

#include <string>

#include "services/events/event.h"
#include "services/events/rule_set.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

[[nodiscard]] std::string input_of(const ActiveRule& rule, const ActiveTarget& target, const Arrival& arrival);

// Of a request: at most one of Input, InputPath and InputTransformer, paths and places that can be read. Throws
// ValidationException.
void check_input(const shapes::Target& target);

}  // namespace tidemill::events
