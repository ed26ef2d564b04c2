#include "main/graph_trace.h"

#include <cmath>
#include <cstdint>
#include <string_view>

namespace tidemill {
namespace {

namespace json = base::json;
using std::chrono::milliseconds;

struct Event {
  int64_t previous = 0;
  std::string type;
  milliseconds at{0};
  std::string state;  // of what enters or exits one
};
using Events = std::map<int64_t, Event>;

bool enters(const Event& event) { return event.type.ends_with("StateEntered"); }
bool exits(const Event& event) { return event.type.ends_with("StateExited"); }
bool fails(const Event& event) { return event.type.ends_with("Failed") || event.type.ends_with("TimedOut"); }

std::string text_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value && value->is_string() ? value->string() : "";
}

int64_t number_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value ? value->to_int64().value_or(0) : 0;
}

milliseconds time_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  const double seconds = value ? value->to_double().value_or(0) : 0;
  return milliseconds(std::llround(seconds * 1000));
}

Events events_of(const json::Array& array) {
  Events events;
  for (const json::Value& one : array) {
    Event event{
        .previous = number_in(one, "previousEventId"), .type = text_in(one, "type"), .at = time_in(one, "timestamp")};
    const json::Value* details = one.find(enters(event) ? "stateEnteredEventDetails" : "stateExitedEventDetails");
    if (details) event.state = text_in(*details, "name");
    events[number_in(one, "id")] = std::move(event);
  }
  return events;
}

// The event before; null at the beginning.
const Event* before(const Events& events, const Event& event) {
  const auto found = events.find(event.previous);
  return found == events.end() || event.previous == 0 ? nullptr : &found->second;
}

// The one that entered the state which `exit` leaves.
const Event* entry_of(const Events& events, const Event& exit) {
  const Event* event = before(events, exit);
  // A container's last event leads back through one of its branches.
  while (event && !(enters(*event) && event->state == exit.state)) event = before(events, *event);
  return event;
}

void follow(ExecutionTrace& trace, const Events& events, const Event& event) {
  StateTrace& state = trace.states[event.state];
  if (enters(event)) {
    ++state.entered;
    state.outcome = StateOutcome::running;
    const Event* last = before(events, event);
    while (last && !enters(*last) && !exits(*last)) last = before(events, *last);
    if (last) trace.taken.emplace(last->state, event.state);
    return;
  }
  const Event* last = before(events, event);
  state.outcome = last && fails(*last) ? StateOutcome::caught : StateOutcome::succeeded;
  if (const Event* entry = entry_of(events, event)) state.time += event.at - entry->at;
}

}  // namespace

ExecutionTrace trace_of(const json::Value& description, const json::Array& array) {
  ExecutionTrace trace{.status = text_in(description, "status")};
  const Events events = events_of(array);
  for (const auto& [id, event] : events) {
    if (!event.state.empty()) follow(trace, events, event);
  }
  if (trace.status == "RUNNING" || trace.status == "PENDING_REDRIVE") return trace;
  for (auto& [name, state] : trace.states) {
    if (state.outcome == StateOutcome::running) state.outcome = StateOutcome::failed;
  }
  return trace;
}

}  // namespace tidemill
