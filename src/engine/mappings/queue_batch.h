// Forming a batch of a queue's messages: which go to the function together (facts 1.5), and for how long they are hidden
// from others. Pure functions; what is received when is the poller's (queue_poller.h).
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "engine/mappings/queue_source.h"

namespace tidemill::engine {

struct QueueCut {
  size_t count = 0;   // of messages, from the front
  bool full = false;  // one more message, whatever it is, would not be taken
};

// The batch that the messages make: at most `count_max`, and no more than an event may have (kPayloadBytesMax in
// batch.h). A message that alone exceeds that is a batch of its own.
[[nodiscard]] QueueCut cut_messages(std::span<const ReceivedMessage> messages, size_t count_max);

// {"Records":[…]}
[[nodiscard]] std::string event_of(std::span<const ReceivedMessage> messages);

// Beside the window and the function's timeout.
inline constexpr std::chrono::seconds kVisibilityMargin{30};

// AWS's rule (developer guide, "Using Lambda with Amazon SQS"): with a window, a timeout of the queue's that is shorter
// than the window and the function's timeout gives way to both and a margin; otherwise the queue's own holds.
[[nodiscard]] std::chrono::seconds visibility_of(std::chrono::seconds own, std::chrono::seconds window,
                                                 std::chrono::seconds function_timeout);

}  // namespace tidemill::engine
