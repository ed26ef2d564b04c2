// Distributed Map: a run is begun, and its end awaited.
#include "base/text.h"
#include "base/uuid.h"
#include "services/states/events.h"
#include "services/states/stepper.h"
#include "services/states/view.h"

namespace tidemill::states {

namespace {

// Of arguments within the record of a plan: objects around them.
constexpr int kLevelsAround = 2;

void require_plan_fits(const asl::MapPlan& plan, std::string_view state) {
  if (plan.items) require_depth(*plan.items, state);
  for (const asl::Document& document : {plan.reader ? plan.reader->arguments : nullptr,
                                        plan.batcher ? plan.batcher->input : nullptr,
                                        plan.writer ? plan.writer->arguments : nullptr}) {
    if (document) require_depth(*document, state, json::kDepthMax - kLevelsAround);
  }
}

}  // namespace

void Stepper::run_distributed_map(Frame& frame) {
  ++frame.attempt;
  const View view(live_, frame, world_);
  const auto plan = std::make_shared<const asl::MapPlan>(asl::map_of(*frame.at, view.scope()));
  require_plan_fits(*plan, frame.state);
  size_t length = 0;  // of a reader's items: as on AWS
  if (plan->items) length = plan->items->is_array() ? plan->items->array().size() : plan->items->object().size();
  const ExecutionAddress& address = live_.head.address;
  const MapRunAddress run{.account = address.account,
                          .region = address.region,
                          .machine = base_machine(address.machine),
                          .label = frame.at->label.empty() ? base::new_uuid() : frame.at->label,
                          .uuid = base::new_uuid()};
  frame.nested = frame.map_run = run.arn();
  frame.map_run_redrives = 0;
  note(frame, "MapStateStarted", "mapStateStartedEventDetails",
       [&](json::Writer& writer) { write_number(writer, "length", static_cast<int64_t>(length)); });
  note(frame, "MapRunStarted", "mapRunStartedEventDetails",
       [&](json::Writer& writer) { write_text(writer, "mapRunArn", frame.nested); });
  frame.phase = Phase::map_run;
  effects.push_back({.kind = Effect::Kind::begin_map_run,
                     .frame = frame.id,
                     .attempt = frame.attempt,
                     .text = frame.nested,
                     .plan = plan});
}

void Stepper::release_map_run(Frame& frame) {
  if (frame.nested.empty()) return;
  effects.push_back({.kind = Effect::Kind::stop_map_run, .frame = frame.id, .text = frame.nested});
  frame.nested.clear();
}

bool Stepper::map_run_has_ended(FrameId id, uint32_t attempt, const MapRunEnd& end) {
  Frame* const frame = live_.find(id);
  if (live_.head.status != Status::running || !frame || frame->attempt != attempt) return false;
  if (frame->phase != Phase::map_run) return false;
  frame->nested.clear();
  frame->phase = Phase::ready;
  if (!end.is_redrivable) frame->map_run.clear();
  if (end.status == Status::succeeded) {
    note(*frame, "MapRunSucceeded");
    note(*frame, "MapStateSucceeded");
    try {
      leave_with(*frame, end.output);
    } catch (const asl::StateError& error) {
      state_failed(*frame, error);
    }
    return true;
  }
  note(*frame, "MapRunFailed", "mapRunFailedEventDetails", [&](json::Writer& writer) {
    write_text(writer, "error", end.error);
    write_text(writer, "cause", end.cause);
  });
  note(*frame, "MapStateFailed");
  fail(*frame, {.error = end.error, .cause = end.cause});
  return true;
}

}  // namespace tidemill::states
