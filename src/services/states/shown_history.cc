#include "services/states/shown_history.h"

#include <algorithm>
#include <utility>

#include "base/executor.h"
#include "wire/read_context.h"
#include "wire/shape_json.h"

namespace tidemill::states {
namespace {

namespace shapes = wire::states;

// What it takes to read an event, about (base::slice_is_over): its structure is large, and its text is read.
constexpr size_t kStepsPerEvent = 4;
constexpr size_t kBytesPerStep = 128;

const wire::shapes::Shape& shape_of_event() {
  const auto& members = shapes::ops::GetExecutionHistory::info.output->members;
  const auto events = std::ranges::find(members, std::string_view("events"), &wire::shapes::Member::name);
  return *events->shape->element->shape;
}

}  // namespace

Task<std::vector<shapes::HistoryEvent>> shown_events(LongEvaluations& evaluations, std::vector<std::string> events) {
  const wire::shapes::Shape& shape = shape_of_event();
  std::vector<shapes::HistoryEvent> shown;
  shown.reserve(events.size());
  for (std::string& event : events) {
    const std::string text = std::exchange(event, {});
    shapes::HistoryEvent& one = shown.emplace_back();
    co_await evaluations.run_large(text.size(), [&] {
      wire::shapes::ReadContext reading{.operation = shapes::ops::GetExecutionHistory::info};
      wire::shapes::read_json(text, shape, &one, reading);
    });
    if (base::slice_is_over(kStepsPerEvent + text.size() / kBytesPerStep)) co_await base::give_way();
  }
  co_return shown;
}

void drop_data(shapes::HistoryEvent& event) {
  const auto drop_input = [](auto& details) {
    if (details) details->input.reset();
  };
  const auto drop_output = [](auto& details) {
    if (details) details->output.reset();
  };
  drop_input(event.execution_started_event_details);
  drop_input(event.state_entered_event_details);
  drop_input(event.lambda_function_scheduled_event_details);
  drop_input(event.activity_scheduled_event_details);
  drop_output(event.execution_succeeded_event_details);
  drop_output(event.state_exited_event_details);
  drop_output(event.task_submitted_event_details);
  drop_output(event.task_succeeded_event_details);
  drop_output(event.lambda_function_succeeded_event_details);
  drop_output(event.activity_succeeded_event_details);
}

}  // namespace tidemill::states
