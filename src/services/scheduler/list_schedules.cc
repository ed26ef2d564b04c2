// Lists schedules by group and name.
#include "services/scheduler/group.h"
#include "services/scheduler/listing.h"
#include "services/scheduler/operations.h"

namespace tidemill::scheduler {
namespace {

std::string_view state_of(const Schedule& schedule) {
  return schedule.enabled ? shapes::ScheduleState::kEnabled : shapes::ScheduleState::kDisabled;
}

shapes::ScheduleSummary summary_of(const Schedule& schedule) {
  return {.arn = schedule.address.arn(),
          .name = schedule.address.name,
          .group_name = schedule.address.group,
          .state = std::string(state_of(schedule)),
          .creation_date = schedule.created,
          .last_modification_date = schedule.modified,
          .target = {{.arn = schedule.target.arn}}};
}

}  // namespace

Task<shapes::ListSchedulesOutput> list_schedules(Service& service, wire::Context& context,
                                                 const shapes::ListSchedulesInput& request) {
  const auto snapshot = service.store().snapshot();
  store::Range range = schedules_range(context.account, context.region);
  if (request.group_name) {
    (void)co_await load_group(*snapshot, {context.account, context.region, *request.group_name});
    range = schedules_range(context.account, context.region, *request.group_name);
  }
  shapes::ListSchedulesOutput out;
  out.next_token = co_await read_page(*snapshot, std::move(range), request.next_token, request.max_results,
                                      [&](std::string_view key, std::string_view value) {
                                        ScheduleAddress address = schedule_of_key(key);
                                        if (request.name_prefix && !address.name.starts_with(*request.name_prefix))
                                          return false;
                                        const Schedule schedule = decode_schedule(std::move(address), value);
                                        if (request.state && *request.state != state_of(schedule)) return false;
                                        out.schedules.push_back(summary_of(schedule));
                                        return true;
                                      });
  co_return out;
}

}  // namespace tidemill::scheduler
