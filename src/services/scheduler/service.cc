#include "services/scheduler/service.h"

#include "services/scheduler/deleted_groups.h"
#include "services/scheduler/invocation.h"
#include "services/scheduler/operations.h"

namespace tidemill::scheduler {

Service::Service(wire::Platform& platform) : platform_(platform), running_(platform, zones_) {}

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateSchedule{}, create_schedule);
  add(ops::GetSchedule{}, get_schedule);
  add(ops::UpdateSchedule{}, update_schedule);
  add(ops::DeleteSchedule{}, delete_schedule);
  add(ops::ListSchedules{}, list_schedules);
  add(ops::CreateScheduleGroup{}, create_schedule_group);
  add(ops::GetScheduleGroup{}, get_schedule_group);
  add(ops::DeleteScheduleGroup{}, delete_schedule_group);
  add(ops::ListScheduleGroups{}, list_schedule_groups);
  add(ops::TagResource{}, tag_resource);
  add(ops::UntagResource{}, untag_resource);
  add(ops::ListTagsForResource{}, list_tags_for_resource);
}

void Service::register_timers(engine::TimerService& timers, engine::Deliveries& deliveries) {
  running_.register_with(timers, deliveries);
  add_senders(deliveries, platform_);
  erase_deleted_groups_by(timers, platform_.store, running_);
}

}  // namespace tidemill::scheduler
