// The header X-Amzn-Trace-Id, by which AWS's services hand on what a request belongs to: from a client, or from a function
// whose SDK got it, by way of queues, topics, buses and buckets to whatever comes of it.
//
//   Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=a87bd80c:3
//
// X-Ray Developer Guide, "Tracing header". Nothing is recorded of it here.
#pragma once

#include <string_view>

namespace tidemill::wire {

inline constexpr std::string_view kTraceHeader = "x-amzn-trace-id";  // as names of headers are kept
inline constexpr size_t kTraceHeaderBytesMax = 2048;

// What of a header may be handed on: all of it, or nothing if it has no Root, or is too long, or no line of text.
[[nodiscard]] std::string_view trace_to_hand_on(std::string_view header);

}  // namespace tidemill::wire
