// Describes a schedule.
#include "services/scheduler/operations.h"

namespace tidemill::scheduler {
namespace {

shapes::FlexibleTimeWindow describe_window(const Schedule& schedule) {
  if (schedule.window.count() == 0) return {.mode = std::string(shapes::FlexibleTimeWindowMode::kOff)};
  return {.mode = std::string(shapes::FlexibleTimeWindowMode::kFlexible),
          .maximum_window_in_minutes = static_cast<int32_t>(schedule.window.count())};
}

}  // namespace

Task<shapes::GetScheduleOutput> get_schedule(Service& service, wire::Context& context,
                                             const shapes::GetScheduleInput& request) {
  const auto snapshot = service.store().snapshot();
  const Schedule schedule = co_await load_schedule(
      *snapshot,
      {context.account, context.region, request.group_name.value_or(std::string(kDefaultGroup)), request.name});
  shapes::GetScheduleOutput out;
  out.arn = schedule.address.arn();
  out.group_name = schedule.address.group;
  out.name = schedule.address.name;
  out.schedule_expression = schedule.expression;
  out.schedule_expression_timezone = schedule.time_zone;
  out.start_date = schedule.start;
  out.end_date = schedule.end;
  out.description = schedule.description;
  out.state = std::string(schedule.enabled ? shapes::ScheduleState::kEnabled : shapes::ScheduleState::kDisabled);
  out.creation_date = schedule.created;
  out.last_modification_date = schedule.modified;
  out.target = describe(schedule.target);
  out.flexible_time_window = describe_window(schedule);
  out.action_after_completion = std::string(schedule.delete_after ? shapes::ActionAfterCompletion::kDelete
                                                                  : shapes::ActionAfterCompletion::kNone);
  co_return out;
}

}  // namespace tidemill::scheduler
