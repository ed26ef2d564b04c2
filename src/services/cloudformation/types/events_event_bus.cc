// AWS::Events::EventBus, with its policy.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr Property kEventBusDeadLetterConfig[] = {
    {.name = "Arn"},
};

constexpr Property kEventBusLogConfig[] = {
    {.name = "IncludeDetail"},
    {.name = "Level"},
};

constexpr Property kEventBusProperties[] = {
    {.name = "Name", .required = true, .update = Update::replaces},
    {.name = "DeadLetterConfig", .kind = Kind::object, .members = kEventBusDeadLetterConfig},
    {.name = "Description"},
    {.name = "EventSourceName", .update = Update::replaces},
    {.name = "KmsKeyIdentifier"},
    {.name = "LogConfig", .kind = Kind::object, .members = kEventBusLogConfig},
    {.name = "Policy", .kind = Kind::json},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr TagOperations kEventBusTags = {
    .service = "events", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceARN"};

Task<void> change_bus_policy(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (same_member(before, after, "Policy")) co_return;
  if (const json::Value* policy = after.find("Policy")) {
    co_await step.call("events", "PutPermission", json::Object{{"EventBusName", name}, {"Policy", json_text(*policy)}});
  } else {
    co_await step.call_or_null("events", "RemovePermission",
                               json::Object{{"EventBusName", name}, {"RemoveAllPermissions", true}},
                               {"ResourceNotFoundException"});
  }
}

Task<std::string> create_event_bus(Step& step, const json::Object& properties) {
  const std::string name = text_of(properties, "Name");
  co_await claim(step, name,
                 {"events", "DescribeEventBus", json::Object{{"Name", name}}, {"ResourceNotFoundException"}});
  json::Object request =
      take(properties, {"Name", "EventSourceName", "Description", "KmsKeyIdentifier", "DeadLetterConfig", "LogConfig"});
  request.set("Tags", tag_list(step, properties));
  co_await step.call_or_null("events", "CreateEventBus", std::move(request), {"ResourceAlreadyExistsException"});
  co_await step.made(name);
  co_await change_bus_policy(step, name, {}, properties);
  co_return name;
}

Task<std::string> update_event_bus(Step& step, std::string name, const json::Object& before,
                                   const json::Object& after) {
  if (differ(before, after, {"Description", "KmsKeyIdentifier", "DeadLetterConfig", "LogConfig"})) {
    json::Object request = take(after, {"Description", "KmsKeyIdentifier", "DeadLetterConfig", "LogConfig"});
    set_removed(request, before, {{"Description", ""}});
    request.set("Name", name);
    co_await step.call("events", "UpdateEventBus", std::move(request));
  }
  co_await change_bus_policy(step, name, before, after);
  co_await change_tags(step, kEventBusTags, step.arn("events", cat("event-bus/", name)), before, after);
  co_return name;
}

Task<void> remove_event_bus(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("events", "DeleteEventBus", json::Object{{"Name", name}}, {"ResourceNotFoundException"});
}

Task<json::Object> describe_event_bus(Step& step, std::string name, const json::Object&) {
  const json::Value found = co_await step.call("events", "DescribeEventBus", json::Object{{"Name", name}});
  co_return take(found.object(), {"Arn", "Name", "Policy"});
}

}  // namespace

const ResourceType types::kEventsEventBus = {
    .name = "AWS::Events::EventBus",
    .properties = kEventBusProperties,
    .create = create_event_bus,
    .update = update_event_bus,
    .remove = remove_event_bus,
    .attributes = describe_event_bus,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
