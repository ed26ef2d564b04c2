// What CreateSchedule and UpdateSchedule ask for, as a schedule.
#pragma once

#include <chrono>

#include "services/scheduler/errors.h"
#include "services/scheduler/schedule.h"
#include "wire/context.h"

namespace tidemill::scheduler {

// By how much a StartDate may lie in the past.
inline constexpr std::chrono::minutes kStartEarlierMax{5};

// Throws ValidationException if a schedule that recurs begins longer ago than that, by the platform's clock. One that
// is `replaced` (or null) may keep the StartDate that it has: whoever updates a schedule must say all of it again. Of
// one that runs once it means nothing.
void check_start(const Schedule& schedule, const Schedule* replaced);

// Whether `asked` is the request once more that made the schedule what it is, as clients send it that have seen no
// answer: by the token of both. Throws ConflictException if that comes with something else.
[[nodiscard]] bool is_asked_again(const Schedule& existing, Schedule asked);

// Throws ValidationException. The two requests have the same members.
template <class Input>
Schedule schedule_of(wire::Context& context, const Input& request) {
  Schedule schedule{.address = {context.account, context.region,
                                request.group_name.value_or(std::string(kDefaultGroup)), request.name}};
  schedule.created = schedule.modified = context.now();
  schedule.expression = request.schedule_expression;
  schedule.time_zone = request.schedule_expression_timezone.value_or(std::string(kUtc));
  schedule.start = request.start_date;
  schedule.end = request.end_date;
  schedule.description = request.description;
  schedule.enabled = request.state != shapes::ScheduleState::kDisabled;
  schedule.delete_after = request.action_after_completion == shapes::ActionAfterCompletion::kDelete;
  schedule.token = request.client_token.value_or("");
  const auto& window = request.flexible_time_window;
  const bool flexible = window.mode == shapes::FlexibleTimeWindowMode::kFlexible;
  if (flexible != window.maximum_window_in_minutes.has_value()) {
    constexpr std::string_view kWanted =
        "MaximumWindowInMinutes must be provided when FlexibleTimeWindowMode is set to FLEXIBLE.";
    throw invalid(flexible ? kWanted
                           : "MaximumWindowInMinutes must not be provided when FlexibleTimeWindowMode is set to OFF.");
  }
  schedule.window = std::chrono::minutes(window.maximum_window_in_minutes.value_or(0));
  if (schedule.start && schedule.end && *schedule.end <= *schedule.start) {
    throw invalid("The StartDate you specify must come before the EndDate.");
  }
  schedule.target = check_target(context, request.target);
  return schedule;
}

}  // namespace tidemill::scheduler
