// AWS::CloudWatch::Alarm. PutMetricAlarm writes the whole alarm each time; its state stays.
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
constexpr std::string_view kPeriodByPeriod = "alarms are looked at period by period";

constexpr Property kAlarmDimension[] = {
    {.name = "Name", .required = true},
    {.name = "Value", .required = true},
};

constexpr Property kAlarmMetric[] = {
    {.name = "Dimensions", .kind = Kind::object, .form = Form::list, .members = kAlarmDimension},
    {.name = "MetricName"},
    {.name = "Namespace"},
};

constexpr Property kAlarmMetricStat[] = {
    {.name = "Metric", .kind = Kind::object, .required = true, .members = kAlarmMetric},
    {.name = "Period", .kind = Kind::integer, .required = true},
    {.name = "Stat", .required = true},
    {.name = "Unit"},
};

constexpr Property kAlarmMetricDataQuery[] = {
    {.name = "AccountId"},
    {.name = "Expression"},
    {.name = "Id", .required = true},
    {.name = "Label"},
    {.name = "MetricStat", .kind = Kind::object, .members = kAlarmMetricStat},
    {.name = "Period", .kind = Kind::integer},
    {.name = "ReturnData", .kind = Kind::boolean},
};

constexpr Property kAlarmProperties[] = {
    {.name = "AlarmName", .update = Update::replaces},
    {.name = "ActionsEnabled", .kind = Kind::boolean},
    {.name = "AlarmActions", .form = Form::list},
    {.name = "AlarmDescription"},
    {.name = "ComparisonOperator"},
    {.name = "DatapointsToAlarm", .kind = Kind::integer},
    {.name = "Dimensions", .kind = Kind::object, .form = Form::list, .members = kAlarmDimension},
    {.name = "EvaluateLowSampleCountPercentile"},
    {.name = "EvaluationCriteria", .kind = Kind::json, .refused = kPeriodByPeriod},
    {.name = "EvaluationInterval", .kind = Kind::integer, .refused = kPeriodByPeriod},
    {.name = "EvaluationPeriods", .kind = Kind::integer},
    {.name = "EvaluationWindow", .kind = Kind::json, .refused = kPeriodByPeriod},
    {.name = "ExtendedStatistic"},
    {.name = "InsufficientDataActions", .form = Form::list},
    {.name = "MetricName"},
    {.name = "Metrics", .kind = Kind::object, .form = Form::list, .members = kAlarmMetricDataQuery},
    {.name = "Namespace"},
    {.name = "OKActions", .form = Form::list},
    {.name = "Period", .kind = Kind::integer},
    {.name = "Statistic"},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "Threshold", .kind = Kind::number},
    {.name = "ThresholdMetricId"},
    {.name = "TreatMissingData"},
    {.name = "Unit"},
    {.name = "WarmUpConfiguration", .kind = Kind::json, .refused = kPeriodByPeriod},
};

constexpr TagOperations kAlarmTags = {
    .service = "cloudwatch", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceARN"};

// Empty: there is none.
Task<json::Object> find_alarm(Step& step, std::string name) {
  const json::Value answer =
      co_await step.call("cloudwatch", "DescribeAlarms", json::Object{{"AlarmNames", json::Array{name}}});
  const json::Array found = list_of(answer.object(), "MetricAlarms");
  co_return found.empty() ? json::Object() : found.front().object();
}

Task<void> put_alarm(Step& step, std::string name, const json::Object& properties, json::Array tags) {
  json::Object request = properties;
  request.set("AlarmName", name);
  request.erase("Tags");
  if (!tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call("cloudwatch", "PutMetricAlarm", std::move(request));
}

Task<std::string> create_alarm(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "AlarmName", kAlarmNameSizeMax);
  if (properties.find("AlarmName") && !has_claimed(step)) {
    if (!(co_await find_alarm(step, name)).empty()) refuse_existing(step, name);
    co_await remember_claim(step);
  }
  co_await put_alarm(step, name, properties, tag_list(step, properties));
  co_return name;
}

Task<std::string> update_alarm(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  co_await put_alarm(step, name, after, {});
  co_await change_tags(step, kAlarmTags, step.arn("cloudwatch", base::cat("alarm:", name)), before, after);
  co_return name;
}

Task<void> remove_alarm(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("cloudwatch", "DeleteAlarms", json::Object{{"AlarmNames", json::Array{name}}},
                             {"ResourceNotFound"});
}

Task<json::Object> describe_alarm(Step& step, std::string name, const json::Object&) {
  co_return json::Object{{"Arn", step.arn("cloudwatch", base::cat("alarm:", name))}};
}

Task<json::Object> read_alarm(Step& step, std::string name) {
  const json::Object alarm = co_await find_alarm(step, name);
  if (alarm.empty()) throw wire::Error("ResourceNotFound", 404, base::cat("Alarm ", name, " does not exist."));
  json::Object result = properties_among(kAlarmProperties, alarm);
  const json::Value tags =
      co_await step.call("cloudwatch", "ListTagsForResource",
                         json::Object{{"ResourceARN", step.arn("cloudwatch", base::cat("alarm:", name))}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_alarms(Step& step) {
  return list_all(step, "cloudwatch", "DescribeAlarms", "MetricAlarms", "AlarmName",
                  json::Object{{"AlarmTypes", json::Array{"MetricAlarm"}}});
}

}  // namespace

const ResourceType types::kCloudWatchAlarm = {
    .name = "AWS::CloudWatch::Alarm",
    .properties = kAlarmProperties,
    .create = create_alarm,
    .update = update_alarm,
    .remove = remove_alarm,
    .attributes = describe_alarm,
    .read = read_alarm,
    .list = list_alarms,
    .name_property = "AlarmName",
};

}  // namespace tidemill::cloudformation
