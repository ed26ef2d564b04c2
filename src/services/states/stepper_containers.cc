// Parallel and inline Map: flows below a state, what they bring, and what becomes of them when one fails.
#include <algorithm>

#include "base/text.h"
#include "services/states/events.h"
#include "services/states/stepper.h"
#include "services/states/view.h"

namespace tidemill::states {

void Stepper::run_parallel(Frame& frame) {
  const View view(live_, frame, world_);
  const asl::Document arguments = asl::arguments_of(*frame.at, view.scope());
  const Payload input = frame.input.become(arguments, frame.state);
  note(frame, "ParallelStateStarted");
  frame.phase = Phase::branches;
  live_.set_arguments(frame, input);
  uint32_t index = 0;
  for (const auto& branch : frame.at->branches) {
    Frame& child = live_.add_frame(frame.id, index++, branch->start().name, input);
    child.last_event = frame.last_event;
  }
}

void Stepper::run_map(Frame& frame) {
  const View view(live_, frame, world_);
  asl::MapPlan plan = asl::map_of(*frame.at, view.scope());
  if (!plan.items || !(plan.items->is_array() || plan.items->is_object())) {
    throw asl::StateError(std::string(asl::error_name::kRuntime), "Attempting to map over non-iterable node.");
  }
  note(frame, "MapStateStarted", "mapStateStartedEventDetails",
       [&](json::Writer& writer) { write_number(writer, "length", static_cast<int64_t>(count_of(plan.items))); });
  require_depth(*plan.items, frame.state);
  frame.phase = Phase::iterations;
  frame.map_input = std::move(plan.input);
  live_.set_items(frame, std::move(plan.items), plan.concurrency_max);
  if (is_complete(frame)) {
    note(frame, "MapStateSucceeded");
    return leave_with(frame, asl::make_document(json::Array()));
  }
  start_iterations(frame);
}

// They begin in order, so that those which run and those which have ended are all that have begun.
void Stepper::start_iterations(Frame& frame) {
  const size_t length = count_of(frame.items);
  const int64_t asked = frame.concurrency == 0 ? kInlineConcurrencyMax : frame.concurrency;
  const auto most = static_cast<size_t>(std::min(asked, kInlineConcurrencyMax));
  const View view(live_, frame, world_);
  if (!frame.map_input) frame.map_input = asl::map_of(*frame.at, view.scope()).input;
  while (frame.children < most && frame.results.size() + frame.children < length) {
    const size_t index = frame.results.size() + frame.children;
    asl::MapItem item{.index = index};
    item.value = item_of(frame.items, index, item.key);
    const Payload input(asl::item_input(*frame.at, view.scope(), frame.map_input, item));
    require_fits(input, frame.state);
    Frame& child =
        live_.add_frame(frame.id, static_cast<uint32_t>(index), frame.at->processor->start().name, input);
    child.last_event = frame.last_event;
    note_iteration(child, "Started");
  }
}

void Stepper::note_iteration(Frame& iteration, std::string_view what) {
  const std::string name = live_.parent_of(iteration).state;
  note(iteration, base::cat("MapIteration", what), base::cat("mapIteration", what, "EventDetails"),
       [&](json::Writer& writer) {
         write_text(writer, "name", name);
         write_number(writer, "index", iteration.index);
       });
}

bool Stepper::is_complete(const Frame& container) const {
  const size_t all = container.at->type == asl::StateType::map ? count_of(container.items)
                                                                : container.at->branches.size();
  return container.results.size() == all;
}

void Stepper::collect(Frame& parent, Frame& child) {
  const bool is_map = parent.at->type == asl::StateType::map;
  if (is_map) note_iteration(child, "Succeeded");
  const uint64_t last_event = child.last_event;
  live_.set_result(parent, child.index, child.input);
  live_.erase_frame(child.id);
  try {
    if (!is_complete(parent)) {
      if (is_map) start_iterations(parent);
      return;
    }
    parent.last_event = last_event;
    note(parent, is_map ? "MapStateSucceeded" : "ParallelStateSucceeded");
    json::Array outputs;
    outputs.reserve(parent.results.size());
    for (const auto& [index, result] : parent.results) outputs.push_back(*result.document());
    live_.clear_collected(parent);
    leave_with(parent, asl::make_document(std::move(outputs)));
  } catch (const asl::StateError& error) {
    state_failed(parent, error);
  }
}

std::vector<FrameId> Stepper::children_of(FrameId frame) const {
  std::vector<FrameId> children;
  for (const auto& [id, other] : live_.frames) {
    if (other.parent == frame) children.push_back(id);
  }
  return children;
}

// What runs in the flow is given up, and history tells it.
void Stepper::cut_off(Frame& frame) {
  cut_off_children(frame, 0);
  if (frame.phase == Phase::map_run) note(frame, "MapRunAborted");
  release(frame);
  const asl::StateType type = frame.at->type;
  const bool is_told = type == asl::StateType::task || type == asl::StateType::wait ||
                       type == asl::StateType::parallel || type == asl::StateType::map;
  if (frame.is_entered && is_told) note(frame, base::cat(asl::name_of(type), "StateAborted"));
  if (live_.parent_of(frame).at->type == asl::StateType::map) note_iteration(frame, "Aborted");
}

void Stepper::cut_off_children(Frame& frame, FrameId except) {
  if (frame.children == 0) return;
  for (const FrameId child : children_of(frame.id)) {
    if (child != except) cut_off(live_.frames.at(child));
  }
}

void Stepper::erase_children(Frame& frame) {
  if (frame.children > 0) {
    for (const FrameId child : children_of(frame.id)) {
      erase_children(live_.frames.at(child));
      live_.erase_frame(child);
    }
  }
  live_.clear_collected(frame);
}

}  // namespace tidemill::states
