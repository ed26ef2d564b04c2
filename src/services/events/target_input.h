// What a rule's target receives of an event: the event itself, a part of it, a constant, or what a template makes of
// it.
#pragma once

#include <optional>
#include <string>

#include "services/events/event.h"
#include "services/events/rule_set.h"
#include "wire/shapes/events.h"

namespace tidemill::events {

// What a template may make of an event: as much as an event may have.
inline constexpr size_t kTransformedBytesMax = size_t{256} << 10;

// Nothing: the target's template makes more than kTransformedBytesMax. Gives way: a template has thousands of places and a
// hundred paths, each of which may go through an event of thousands of members.
Task<std::optional<std::string>> input_of(const ActiveRule& rule, const ActiveTarget& target, const Arrival& arrival);

// Of a request: at most one of Input, InputPath and InputTransformer, paths and places that can be read. Throws
// ValidationException.
void check_input(const shapes::Target& target);

}  // namespace tidemill::events
