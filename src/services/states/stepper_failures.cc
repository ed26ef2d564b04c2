// What becomes of a failure: tried again, caught, or the failure of all that is around it.
#include "base/text.h"
#include "services/states/events.h"
#include "services/states/stepper.h"
#include "services/states/view.h"

namespace tidemill::states {
namespace {

bool may_handle(asl::StateType type) {
  return type == asl::StateType::task || type == asl::StateType::parallel || type == asl::StateType::map;
}

void write_failure(json::Writer& writer, const asl::Failure& failure) {
  if (failure.has_error) write_text(writer, "error", failure.error);
  if (failure.has_cause) write_text(writer, "cause", failure.cause);
}

}  // namespace

// Which state handles a failure, and how; none: the execution fails.
struct Stepper::Handling {
  Frame* frame = nullptr;
  std::optional<asl::Retrial> retrial;
  std::optional<asl::Caught> caught;
};

void Stepper::state_failed(Frame& frame, const asl::StateError& error) {
  const auto entered = static_cast<int64_t>(frame.entered_event);
  asl::Failure failure{.error = error.error(), .cause = error.cause(frame.state, entered)};
  if (error.is_evaluation()) {
    note(frame, "EvaluationFailed", "evaluationFailedEventDetails", [&](json::Writer& writer) {
      write_failure(writer, failure);
      write_text(writer, "location", error.location());
      write_text(writer, "state", frame.state);
    });
  }
  fail(frame, std::move(failure));
}

// From the state that failed outwards. A catcher that fails itself is the failure from then on.
Stepper::Handling Stepper::handling_of(Frame& from, asl::Failure& failure) {
  for (Frame* at = &from; at; at = live_.find(at->parent)) {
    if (!may_handle(at->at->type)) continue;
    try {
      if (auto retrial = asl::retry(*at->at, failure, at->attempts, world_)) return {.frame = at, .retrial = retrial};
      const View view(live_, *at, world_);
      if (auto caught = asl::catch_error(*at->at, view.scope(), failure)) {
        check_variables(*at, caught->exit);
        (void)at->input.become(caught->exit.output, at->state);  // fits
        return {.frame = at, .retrial = {}, .caught = std::move(caught)};
      }
    } catch (const asl::StateError& error) {
      failure = {.error = error.error(), .cause = error.cause(at->state, static_cast<int64_t>(at->entered_event))};
    }
  }
  return {};
}

void Stepper::fail(Frame& from, asl::Failure failure) {
  release(from);
  Handling handling = handling_of(from, failure);
  unwind(from, handling.frame);
  if (!handling.frame) {
    note(live_.frames.at(kRootFrame), "ExecutionFailed", "executionFailedEventDetails",
         [&](json::Writer& writer) { write_failure(writer, failure); });
    return end(Status::failed, {}, failure.has_error ? std::optional(failure.error) : std::nullopt,
               failure.has_cause ? std::optional(failure.cause) : std::nullopt);
  }
  Frame& frame = *handling.frame;
  erase_children(frame);
  if (handling.retrial) return retry_later(frame, *handling.retrial);
  exit_state(frame, handling.caught->exit);
}

// Up to the state that handles it, each state around fails, and the other flows below each are cut off.
void Stepper::unwind(Frame& from, const Frame* upto) {
  cut_off_children(from, 0);
  for (Frame* at = &from; at != upto && at->parent != 0;) {
    Frame& parent = live_.parent_of(*at);
    const bool is_map = parent.at->type == asl::StateType::map;
    if (is_map) note_iteration(*at, "Failed");
    cut_off_children(parent, at->id);
    parent.last_event = at->last_event;
    note(parent, is_map ? "MapStateFailed" : "ParallelStateFailed");
    at = &parent;
  }
}

void Stepper::retry_later(Frame& frame, const asl::Retrial& retrial) {
  if (frame.attempts.size() <= retrial.retrier) frame.attempts.resize(retrial.retrier + 1);
  ++frame.attempts[retrial.retrier];
  ++frame.retries;
  frame.map_run.clear();
  frame.phase = Phase::retrying;
  set_timer(frame, TimerPurpose::retry, now() + retrial.delay);
}

}  // namespace tidemill::states
