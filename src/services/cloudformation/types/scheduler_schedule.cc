// AWS::Scheduler::Schedule. Its id is its name, whatever its group: a schedule that changes its group is made in the
// one and then taken from the other.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kScheduleNameSizeMax = 64;

constexpr Property kScheduleFlexibleTimeWindow[] = {
    {.name = "MaximumWindowInMinutes", .kind = Kind::integer},
    {.name = "Mode", .required = true},
};

constexpr Property kScheduleDeadLetterConfig[] = {
    {.name = "Arn"},
};

constexpr Property kScheduleEventBridgeParameters[] = {
    {.name = "DetailType", .required = true},
    {.name = "Source", .required = true},
};

constexpr Property kScheduleKinesisParameters[] = {
    {.name = "PartitionKey", .required = true},
};

constexpr Property kScheduleRetryPolicy[] = {
    {.name = "MaximumEventAgeInSeconds", .kind = Kind::integer},
    {.name = "MaximumRetryAttempts", .kind = Kind::integer},
};

constexpr Property kScheduleSqsParameters[] = {
    {.name = "MessageGroupId"},
};

constexpr Property kScheduleTarget[] = {
    {.name = "Arn", .required = true},
    {.name = "DeadLetterConfig", .kind = Kind::object, .members = kScheduleDeadLetterConfig},
    {.name = "EcsParameters", .kind = Kind::json},
    {.name = "EventBridgeParameters", .kind = Kind::object, .members = kScheduleEventBridgeParameters},
    {.name = "Input"},
    {.name = "KinesisParameters", .kind = Kind::object, .members = kScheduleKinesisParameters},
    {.name = "RetryPolicy", .kind = Kind::object, .members = kScheduleRetryPolicy},
    {.name = "RoleArn", .required = true},
    {.name = "SageMakerPipelineParameters", .kind = Kind::json},
    {.name = "SqsParameters", .kind = Kind::object, .members = kScheduleSqsParameters},
};

constexpr Property kScheduleProperties[] = {
    {.name = "GroupName"},
    {.name = "Name", .update = Update::replaces},
    {.name = "Description"},
    {.name = "EndDate"},
    {.name = "FlexibleTimeWindow", .kind = Kind::object, .required = true, .members = kScheduleFlexibleTimeWindow},
    {.name = "KmsKeyArn"},
    {.name = "ScheduleExpression", .required = true},
    {.name = "ScheduleExpressionTimezone"},
    {.name = "StartDate"},
    {.name = "State"},
    {.name = "Target", .kind = Kind::object, .required = true, .members = kScheduleTarget},
};

std::string schedule_group(const json::Object& properties) { return text_or(properties, "GroupName", "default"); }

json::Object schedule_key(const std::string& name, const json::Object& properties) {
  return json::Object{{"Name", name}, {"GroupName", schedule_group(properties)}};
}

Task<void> add_schedule(Step& step, std::string name, const json::Object& properties) {
  json::Object request = properties;
  request.set("Name", name);
  request.set("ClientToken", step.client_token());
  co_await step.call_or_null("scheduler", "CreateSchedule", std::move(request), {"ConflictException"});
}

Task<std::string> create_schedule(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "Name", kScheduleNameSizeMax);
  if (properties.find("Name")) {
    co_await claim(step, name,
                   {"scheduler", "GetSchedule", schedule_key(name, properties), {"ResourceNotFoundException"}});
  }
  co_await add_schedule(step, name, properties);
  co_return name;
}

Task<void> remove_schedule(Step& step, std::string name, const json::Object& properties) {
  co_await step.take_away("scheduler", "DeleteSchedule", schedule_key(name, properties), {"ResourceNotFoundException"});
}

Task<std::string> update_schedule(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (schedule_group(before) != schedule_group(after)) {
    co_await add_schedule(step, name, after);
    co_await remove_schedule(step, name, before);
    co_return name;
  }
  json::Object request = after;  // what it does not have is as in a new schedule
  request.set("Name", name);
  co_await step.call("scheduler", "UpdateSchedule", std::move(request));
  co_return name;
}

Task<json::Object> describe_schedule(Step& step, std::string name, const json::Object& properties) {
  co_return json::Object{{"Arn", step.arn("scheduler", cat("schedule/", schedule_group(properties), '/', name))}};
}

}  // namespace

const ResourceType types::kSchedulerSchedule = {
    .name = "AWS::Scheduler::Schedule",
    .properties = kScheduleProperties,
    .create = create_schedule,
    .update = update_schedule,
    .remove = remove_schedule,
    .attributes = describe_schedule,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
