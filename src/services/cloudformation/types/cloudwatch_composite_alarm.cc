// AWS::CloudWatch::CompositeAlarm. PutCompositeAlarm writes the whole alarm each time; its state stays.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"
#include "wire/error.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kAlarmNameSizeMax = 255;

constexpr Property kCompositeAlarmProperties[] = {
    {.name = "AlarmName", .update = Update::replaces},
    {.name = "ActionsEnabled", .kind = Kind::boolean},
    {.name = "ActionsSuppressor"},
    {.name = "ActionsSuppressorExtensionPeriod", .kind = Kind::integer},
    {.name = "ActionsSuppressorWaitPeriod", .kind = Kind::integer},
    {.name = "AlarmActions", .form = Form::list},
    {.name = "AlarmDescription"},
    {.name = "AlarmRule", .required = true},
    {.name = "InsufficientDataActions", .form = Form::list},
    {.name = "OKActions", .form = Form::list},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr TagOperations kCompositeAlarmTags = {
    .service = "cloudwatch", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceARN"};

// Empty: there is none.
Task<json::Object> find_composite(Step& step, std::string name) {
  const json::Object asked{{"AlarmNames", json::Array{name}}, {"AlarmTypes", json::Array{"CompositeAlarm"}}};
  const json::Value answer = co_await step.call("cloudwatch", "DescribeAlarms", asked);
  const json::Array found = list_of(answer.object(), "CompositeAlarms");
  co_return found.empty() ? json::Object() : found.front().object();
}

Task<void> put_composite(Step& step, std::string name, const json::Object& properties, json::Array tags) {
  json::Object request = properties;
  request.set("AlarmName", name);
  request.erase("Tags");
  if (!tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call("cloudwatch", "PutCompositeAlarm", std::move(request));
}

Task<std::string> create_composite(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "AlarmName", kAlarmNameSizeMax);
  if (properties.find("AlarmName") && !has_claimed(step)) {
    if (!(co_await find_composite(step, name)).empty()) refuse_existing(step, name);
    co_await remember_claim(step);
  }
  co_await put_composite(step, name, properties, tag_list(step, properties));
  co_return name;
}

Task<std::string> update_composite(Step& step, std::string name, const json::Object& before,
                                   const json::Object& after) {
  co_await put_composite(step, name, after, {});
  co_await change_tags(step, kCompositeAlarmTags, step.arn("cloudwatch", base::cat("alarm:", name)), before, after);
  co_return name;
}

Task<void> remove_composite(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("cloudwatch", "DeleteAlarms", json::Object{{"AlarmNames", json::Array{name}}},
                             {"ResourceNotFound"});
}

Task<json::Object> describe_composite(Step& step, std::string name, const json::Object&) {
  co_return json::Object{{"Arn", step.arn("cloudwatch", base::cat("alarm:", name))}};
}

Task<json::Object> read_composite(Step& step, std::string name) {
  const json::Object alarm = co_await find_composite(step, name);
  if (alarm.empty()) throw wire::Error("ResourceNotFound", 404, base::cat("Alarm ", name, " does not exist."));
  json::Object result = properties_among(kCompositeAlarmProperties, alarm);
  const json::Value tags =
      co_await step.call("cloudwatch", "ListTagsForResource",
                         json::Object{{"ResourceARN", step.arn("cloudwatch", base::cat("alarm:", name))}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_composites(Step& step) {
  return list_all(step, "cloudwatch", "DescribeAlarms", "CompositeAlarms", "AlarmName",
                  json::Object{{"AlarmTypes", json::Array{"CompositeAlarm"}}});
}

}  // namespace

const ResourceType types::kCloudWatchCompositeAlarm = {
    .name = "AWS::CloudWatch::CompositeAlarm",
    .properties = kCompositeAlarmProperties,
    .create = create_composite,
    .update = update_composite,
    .remove = remove_composite,
    .attributes = describe_composite,
    .read = read_composite,
    .list = list_composites,
    .name_property = "AlarmName",
};

}  // namespace tidemill::cloudformation
