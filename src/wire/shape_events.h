// Event streams by tables: the events of a @streaming union as messages.
#pragma once

#include "wire/event_message.h"
#include "wire/shape_table.h"

namespace tidemill::wire::shapes {

// The one member that `event`, of the union `events`, has.
[[nodiscard]] EventMessage encode_event(const Shape& events, const void* event, Encoding encoding);

// The member of an output that goes on as events; nullptr for nearly all.
[[nodiscard]] const Member* find_event_stream(const Shape& output);

// An answer that begins with the output's other members, which those of rest have in their headers, and goes on with the
// events of its stream.
[[nodiscard]] BodyStream event_body(const OperationInfo& operation, const Member& stream, const void* output,
                                    Encoding encoding);

}  // namespace tidemill::wire::shapes
