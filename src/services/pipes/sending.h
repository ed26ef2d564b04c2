// How events reach the targets that take each by itself: by the service's operation for batches, through the registry.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "engine/invoker.h"
#include "services/pipes/active_pipe.h"
#include "wire/context.h"

namespace tidemill::pipes {

struct Outgoing {
  const Event* event;  // of which parameters are taken
  std::string text;    // what the target receives
};

// What has become of a call or several.
struct Sent {
  std::vector<size_t> failed;  // places of the events that the target has not taken, ascending
  // Of the last failure.
  engine::InvokeStatus status = engine::InvokeStatus::ok;
  std::string detail;
};

// Gives the events to the pipe's target, in their order. Where the source has an order, what comes after an event that
// failed counts as failed, too. What is passed outlives the task.
Task<Sent> send_events(wire::Platform& platform, const ActivePipe& pipe, const std::vector<Outgoing>& events);

}  // namespace tidemill::pipes
