// Every operation of EventBridge Scheduler, each in the file of its name or family. Shapes: models/scheduler.smithy;
// docs/scheduler.md says what works.
#pragma once

#include "base/task.h"
#include "services/scheduler/service.h"
#include "wire/context.h"
#include "wire/shapes/scheduler.h"

namespace tidemill::scheduler {

namespace shapes = wire::scheduler;

// Schedules.
Task<shapes::CreateScheduleOutput> create_schedule(Service&, wire::Context&, const shapes::CreateScheduleInput&);
Task<shapes::GetScheduleOutput> get_schedule(Service&, wire::Context&, const shapes::GetScheduleInput&);
Task<shapes::UpdateScheduleOutput> update_schedule(Service&, wire::Context&, const shapes::UpdateScheduleInput&);
Task<shapes::DeleteScheduleOutput> delete_schedule(Service&, wire::Context&, const shapes::DeleteScheduleInput&);
Task<shapes::ListSchedulesOutput> list_schedules(Service&, wire::Context&, const shapes::ListSchedulesInput&);

// Groups.
Task<shapes::CreateScheduleGroupOutput> create_schedule_group(Service&, wire::Context&,
                                                              const shapes::CreateScheduleGroupInput&);
Task<shapes::GetScheduleGroupOutput> get_schedule_group(Service&, wire::Context&, const shapes::GetScheduleGroupInput&);
Task<shapes::DeleteScheduleGroupOutput> delete_schedule_group(Service&, wire::Context&,
                                                              const shapes::DeleteScheduleGroupInput&);
Task<shapes::ListScheduleGroupsOutput> list_schedule_groups(Service&, wire::Context&,
                                                            const shapes::ListScheduleGroupsInput&);

// Tags of groups.
Task<shapes::TagResourceOutput> tag_resource(Service&, wire::Context&, const shapes::TagResourceInput&);
Task<shapes::UntagResourceOutput> untag_resource(Service&, wire::Context&, const shapes::UntagResourceInput&);
Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service&, wire::Context&,
                                                               const shapes::ListTagsForResourceInput&);

}  // namespace tidemill::scheduler
