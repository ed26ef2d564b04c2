// AWS::Scheduler::ScheduleGroup.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kScheduleGroupNameSizeMax = 64;
// Its schedules are deleted one by one.
constexpr std::chrono::hours kScheduleGroupDeletedMax{6};

constexpr Property kScheduleGroupProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr TagOperations kScheduleGroupTags = {
    .service = "scheduler", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceArn"};

Task<json::Value> found_schedule_group(Step& step, std::string name) {
  return step.call_or_null("scheduler", "GetScheduleGroup", json::Object{{"Name", name}},
                           {"ResourceNotFoundException"});
}

Task<bool> schedule_group_is_gone(Step& step, std::string name) {
  co_return (co_await found_schedule_group(step, name)).is_null();
}

Task<std::string> create_schedule_group(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "Name", kScheduleGroupNameSizeMax);
  if (properties.find("Name")) {
    co_await claim(step, name,
                   {"scheduler", "GetScheduleGroup", json::Object{{"Name", name}}, {"ResourceNotFoundException"}});
  }
  json::Object request{{"Name", name}, {"ClientToken", step.client_token()}, {"Tags", tag_list(step, properties)}};
  co_await step.call_or_null("scheduler", "CreateScheduleGroup", std::move(request), {"ConflictException"});
  co_return name;
}

Task<std::string> update_schedule_group(Step& step, std::string name, const json::Object& before,
                                        const json::Object& after) {
  co_await change_tags(step, kScheduleGroupTags, step.arn("scheduler", cat("schedule-group/", name)), before, after);
  co_return name;
}

Task<void> remove_schedule_group(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("scheduler", "DeleteScheduleGroup", json::Object{{"Name", name}},
                             {"ResourceNotFoundException", "ConflictException"});
  if (!co_await step.wait_until([&] { return schedule_group_is_gone(step, name); }, kScheduleGroupDeletedMax)) {
    throw InvalidRequest(cat("Schedule group ", name, " was not deleted in time."));
  }
}

Task<json::Object> describe_schedule_group(Step& step, std::string name, const json::Object&) {
  const json::Value found = co_await step.call("scheduler", "GetScheduleGroup", json::Object{{"Name", name}});
  co_return take(found.object(), {"Arn", "State", "CreationDate", "LastModificationDate"});
}

}  // namespace

const ResourceType types::kSchedulerScheduleGroup = {
    .name = "AWS::Scheduler::ScheduleGroup",
    .properties = kScheduleGroupProperties,
    .create = create_schedule_group,
    .update = update_schedule_group,
    .remove = remove_schedule_group,
    .attributes = describe_schedule_group,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
