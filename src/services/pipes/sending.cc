#include "services/pipes/sending.h"

#include <algorithm>
#include <span>

#include "services/pipes/compute.h"
#include "services/pipes/target_calls.h"

namespace tidemill::pipes {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;

using Chunk = std::span<const Outgoing>;

// What one call may carry.
struct CallLimits {
  size_t events_max;
  size_t bytes_max;
};

CallLimits limits_of(const TargetRules& rules) {
  constexpr size_t kMessagesBytesMax = 256 * 1024;
  constexpr size_t kBusBytesMax = 256 * 1024 - 1;  // PutEvents refuses 256 KiB
  constexpr size_t kRecordsBytesMax = 5 * 1024 * 1024;
  constexpr size_t kLogBytesMax = 1024 * 1024;
  constexpr size_t kLogEventBytes = 26;  // that each counts beside its text
  switch (rules.kind) {
    case TargetKind::api_destination:
      return {1, kMessagesBytesMax};
    case TargetKind::data_stream:
      return {500, kRecordsBytesMax};
    case TargetKind::event_bus:
      return {10, kBusBytesMax};
    case TargetKind::log_group:
      return {10'000, kLogBytesMax - 10'000 * kLogEventBytes};
    default:
      return {10, kMessagesBytesMax};
  }
}

// The events of one call, from the front; at least one.
size_t cut(const ActivePipe& pipe, Chunk events, const CallLimits& limits) {
  size_t bytes = 0;
  size_t count = 0;
  for (const Outgoing& event : events) {
    bytes += counted_bytes(pipe, event);
    if (count > 0 && (count == limits.events_max || bytes > limits.bytes_max)) break;
    ++count;
  }
  return count;
}

Task<CallResult> call_destination(wire::Platform& platform, const ActivePipe& pipe, const Outgoing& outgoing) {
  const InvokeOutcome outcome = co_await call_api_destination(platform, pipe.pipe, pipe.pipe.settings.target,
                                                              pipe.values.http, *outgoing.event, outgoing.text);
  CallResult result;
  if (outcome.status != InvokeStatus::ok) result.refused.push_back({0, outcome.status, outcome.detail});
  co_return result;
}

Task<CallResult> call_target(wire::Platform& platform, const ActivePipe& pipe, Chunk events) {
  switch (pipe.target.kind) {
    case TargetKind::queue:
      return send_messages(platform, pipe, events);
    case TargetKind::topic:
      return publish_messages(platform, pipe, events);
    case TargetKind::data_stream:
      return put_records(platform, pipe, events);
    case TargetKind::api_destination:
      return call_destination(platform, pipe, events.front());
    case TargetKind::event_bus:
      return put_events(platform, pipe, events);
    default:
      return put_log_events(platform, pipe, events);
  }
}

// One call, whatever it ends with.
Task<CallResult> call(wire::Platform& platform, const ActivePipe& pipe, Chunk events) {
  InvokeOutcome outcome;
  try {
    co_return co_await call_target(platform, pipe, events);
  } catch (const wire::Error& error) {
    outcome = outcome_of(error);
  } catch (const store::Overloaded& error) {
    outcome = {.status = InvokeStatus::throttled, .detail = error.what()};
  }
  CallResult all;
  for (size_t place = 0; place < events.size(); ++place) all.refused.push_back({place, outcome.status, outcome.detail});
  co_return all;
}

}  // namespace

Task<Sent> send_events(wire::Platform& platform, const ActivePipe& pipe, const std::vector<Outgoing>& events) {
  Sent sent;
  const CallLimits limits = limits_of(pipe.target);
  for (size_t first = 0; first < events.size();) {
    const Chunk rest = Chunk(events).subspan(first);
    const Chunk chunk = rest.first(cut(pipe, rest, limits));
    const CallResult result = co_await call(platform, pipe, chunk);
    for (const Refused& refused : result.refused) {
      sent.failed.push_back(first + refused.place);
      sent.status = refused.status;
      sent.detail = refused.detail;
    }
    first += chunk.size();
    if (pipe.in_order && !sent.failed.empty()) break;
  }
  std::ranges::sort(sent.failed);
  if (pipe.in_order && !sent.failed.empty()) {
    for (size_t place = sent.failed.front() + 1; place < events.size(); ++place) sent.failed.push_back(place);
    std::ranges::sort(sent.failed);
    sent.failed.erase(std::ranges::unique(sent.failed).begin(), sent.failed.end());
  }
  co_return sent;
}

}  // namespace tidemill::pipes
