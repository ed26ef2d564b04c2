// Events of stacks: what DescribeStackEvents tells, newest first.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/stack.h"
#include "store/store.h"

namespace tidemill::cloudformation {

inline constexpr std::string_view kStackType = "AWS::CloudFormation::Stack";

// Of the properties that an event tells, as JSON: longer texts are cut, and say how long they are. What is cut so far that
// nothing fits is left out.
inline constexpr size_t kEventPropertiesBytesMax = 32 << 10;

struct Event {
  std::string id;
  std::string logical_id;
  std::string physical_id;
  std::string type;
  Time time;
  std::string status;
  std::string reason;
  std::optional<std::string> properties;  // JSON
  std::string token;
};

[[nodiscard]] Event decode_event(std::string_view bytes);

// Clients see milliseconds, and sort by them: no two events of a stack have the same, also while the clock stands. The
// engine's have even ones, those of operations that come between odd ones, so that neither overwrites the other's.
enum class EventBy : uint8_t { engine, operation };
inline constexpr std::chrono::milliseconds kEventStep{1};

// The first time, from this one on, that such an event may have.
[[nodiscard]] Time event_time(Time from, EventBy by);
// When the next event of the stack is: now, or behind the newest.
Task<Time> next_event_time(store::Snapshot& reader, const StackId& stack, EventBy by, Time now);

// What the stack itself has come to, which the default bus is told, too.
Task<void> put_stack_event(store::Transaction& txn, const Stack& stack, Time time, Time now);
// What a resource has come to; told likewise. `properties`: null on clean-up deletes.
Task<void> put_resource_event(store::Transaction& txn, const Stack& stack, const Resource& resource,
                              std::string_view physical_id, const json::Object* properties, Time time, Time now);

}  // namespace tidemill::cloudformation
