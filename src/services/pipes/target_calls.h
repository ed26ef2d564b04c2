// One call of a target with several events, and which of them it has refused. They throw wire::Error when the call as a
// whole is refused.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "services/pipes/sending.h"

namespace tidemill::pipes {

struct Refused {
  size_t place;  // among those of the call
  engine::InvokeStatus status;
  std::string detail;
};

struct CallResult {
  std::vector<Refused> refused;
};

// What the target's service counts of an event against the limit of a call: for some that is more than its text.
[[nodiscard]] size_t counted_bytes(const ActivePipe& pipe, const Outgoing& event);

Task<CallResult> send_messages(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events);
Task<CallResult> publish_messages(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events);
Task<CallResult> put_records(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events);
Task<CallResult> put_events(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events);
Task<CallResult> put_log_events(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events);

}  // namespace tidemill::pipes
