// Events that call functions alone: mappings of queues and streams, topics, buckets, log groups.
#include <array>

#include "base/text.h"
#include "lang/serverless/events.h"
#include "lang/serverless/role.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

constexpr auto kMappingProperties =
    std::to_array<std::string_view>({"BatchSize", "Enabled", "FilterCriteria", "FunctionResponseTypes", "KmsKeyArn",
                                     "MaximumBatchingWindowInSeconds", "MetricsConfig", "ProvisionedPollerConfig"});
constexpr auto kQueueProperties = std::to_array<std::string_view>({"ScalingConfig"});
constexpr auto kStreamProperties = std::to_array<std::string_view>(
    {"BisectBatchOnFunctionError", "MaximumRecordAgeInSeconds", "MaximumRetryAttempts", "ParallelizationFactor",
     "StartingPosition", "StartingPositionTimestamp", "TumblingWindowInSeconds"});

// {"OnFailure": {"Type": "SQS", "Destination": arn}}: the role may send there; a mapping knows no Type.
json::Value destination_config(const json::Value& given, EventNeeds& needs) {
  const json::Value* on_failure = given.find("OnFailure");
  const json::Value* destination = on_failure == nullptr ? nullptr : on_failure->find("Destination");
  if (destination == nullptr)
    throw ResourceError("'OnFailure' is required in 'DestinationConfig', with a 'Destination'.");
  const json::Value* type = on_failure->find("Type");
  if (type != nullptr && type->is_string()) {
    if (type->string() == "SQS") {
      needs.statements.push_back(allow("sqs:SendMessage", *destination));
    } else if (type->string() == "SNS") {
      needs.statements.push_back(allow("sns:publish", *destination));
    } else if (type->string() == "S3") {
      needs.statements.push_back(allow(json::Array{"s3:PutObject", "s3:ListBucket"}, *destination));
    } else {
      throw ResourceError(cat("'Type' of 'OnFailure' must be SQS, SNS or S3, not ", type->string()));
    }
  }
  return json::Object{{"OnFailure", json::Object{{"Destination", *destination}}}};
}

void need_managed(EventNeeds& needs, std::string name) {
  for (const std::string& each : needs.managed) {
    if (each == name) return;
  }
  needs.managed.push_back(std::move(name));
}

json::Object subscription_of(const Event& event) {
  static constexpr auto kCopied =
      std::to_array<std::string_view>({"FilterPolicy", "FilterPolicyScope", "RedrivePolicy", "Region"});
  json::Object subscription{{"TopicArn", event.required("Topic")}};
  copy_members(subscription, event.properties, kCopied);
  return subscription;
}

bool wants_queue(const json::Value* given) {
  return given != nullptr && (given->is_object() || (given->is_boolean() && given->boolean()));
}

// SNS to SQS to the function: the queue is made, unless it is named.
void make_queue_between(Application& application, const Source& source, const Event& event, const Target& target,
                        EventNeeds& needs) {
  const json::Value& given = *event.find("SqsSubscription");
  const json::Value* arn = given.find("QueueArn");
  const json::Value* url = given.find("QueueUrl");
  if (given.is_object() && arn == nullptr && url == nullptr) throw ResourceError("No QueueARN or QueueURL provided.");
  if ((arn == nullptr) != (url == nullptr)) throw ResourceError("'QueueArn' and 'QueueUrl' must be given together.");
  const std::string queue = event.id + "Queue";
  if (arn == nullptr) application.add(source, queue, "AWS::SQS::Queue", {});
  const json::Value queue_arn = arn == nullptr ? get_att(queue, "Arn") : *arn;
  json::Object statement{
      {"Effect", "Allow"},
      {"Principal", json::Object{{"Service", "sns.amazonaws.com"}}},
      {"Action", "sqs:SendMessage"},
      {"Resource", queue_arn},
      {"Condition", json::Object{{"ArnEquals", json::Object{{"aws:SourceArn", event.required("Topic")}}}}}};
  const json::Value* named = given.find("QueuePolicyLogicalId");
  const std::string policy =
      named == nullptr ? queue + "Policy" : text_of(application, *named, "QueuePolicyLogicalId");
  application.add(source, policy, "AWS::SQS::QueuePolicy",
                  {{"PolicyDocument", policy_document({std::move(statement)})},
                   {"Queues", json::Array{url == nullptr ? ref_to(queue) : *url}}});
  json::Object subscription = subscription_of(event);
  subscription.set("Protocol", "sqs");
  subscription.set("Endpoint", queue_arn);
  application.add(source, event.id, "AWS::SNS::Subscription", std::move(subscription));
  json::Object mapping{{"EventSourceArn", queue_arn}, {"FunctionName", target.name}};
  const json::Value* size = given.find("BatchSize");
  const json::Value* enabled = given.find("Enabled");
  mapping.set("BatchSize", size == nullptr ? json::Value(10) : *size);
  mapping.set("Enabled", enabled == nullptr ? json::Value(true) : *enabled);
  application.add(source, event.id + "EventSourceMapping", "AWS::Lambda::EventSourceMapping", std::move(mapping));
  need_managed(needs, "service-role/AWSLambdaSQSQueueExecutionRole");
}

}  // namespace

void make_mapping(Application& application, const Source& source, const Event& event, const Target& target,
                  EventNeeds& needs) {
  static constexpr auto kQueue = std::to_array<std::string_view>({"Queue"});
  static constexpr auto kStream = std::to_array<std::string_view>({"Stream", "DestinationConfig"});
  json::Object mapping;
  const bool is_queue = event.type == "SQS";
  if (is_queue) {
    event.allow_only({kQueue, kMappingProperties, kQueueProperties});
    mapping.set("EventSourceArn", event.required("Queue"));
    copy_members(mapping, event.properties, kQueueProperties);
  } else {
    event.allow_only({kStream, kMappingProperties, kStreamProperties});
    mapping.set("EventSourceArn", event.required("Stream"));
    (void)event.required("StartingPosition");
    copy_members(mapping, event.properties, kStreamProperties);
    if (const json::Value* given = event.find("DestinationConfig")) {
      mapping.set("DestinationConfig", destination_config(*given, needs));
    }
  }
  mapping.set("FunctionName", target.name);
  copy_members(mapping, event.properties, kMappingProperties);
  application.add(source, event.id, "AWS::Lambda::EventSourceMapping", std::move(mapping));
  need_managed(needs, cat("service-role/AWSLambda", is_queue ? "SQSQueue" : event.type, "ExecutionRole"));
}

void make_topic_event(Application& application, const Source& source, const Event& event, const Target& target,
                      EventNeeds& needs) {
  static constexpr auto kKnown = std::to_array<std::string_view>(
      {"Topic", "FilterPolicy", "FilterPolicyScope", "RedrivePolicy", "Region", "SqsSubscription"});
  event.allow_only({kKnown});
  if (wants_queue(event.find("SqsSubscription"))) return make_queue_between(application, source, event, target, needs);
  json::Object subscription = subscription_of(event);
  subscription.set("Protocol", "lambda");
  subscription.set("Endpoint", target.arn);
  application.add(source, event.id, "AWS::SNS::Subscription", std::move(subscription));
  add_permission(application, source, event.id + "Permission", target, "sns", &event.required("Topic"));
}

void make_bucket_event(Application& application, const Source& source, const Event& event, const Target& target) {
  static constexpr auto kKnown = std::to_array<std::string_view>({"Bucket", "Events", "Filter"});
  event.allow_only({kKnown});
  const json::Value* name = event.required("Bucket").find("Ref");
  json::Value* bucket = name == nullptr || !name->is_string() ? nullptr : application.find(name->string());
  if (bucket == nullptr || bucket->find("Type") == nullptr || !bucket->find("Type")->is_string() ||
      bucket->find("Type")->string() != "AWS::S3::Bucket") {
    throw ResourceError("S3 events must reference an S3 bucket in the same template.");
  }
  const std::string permission = event.id + "Permission";
  json::Object& attributes = bucket->object();
  if (attributes.find("Properties") == nullptr) attributes.set("Properties", json::Object());
  json::Value* properties = attributes.find("Properties");
  if (!properties->is_object()) throw ResourceError("Properties of the S3 bucket are not a map.");
  json::Object& configured = properties->object();
  if (configured.find("NotificationConfiguration") == nullptr)
    configured.set("NotificationConfiguration", json::Object());
  json::Value* notification = configured.find("NotificationConfiguration");
  if (!notification->is_object()) throw ResourceError("NotificationConfiguration of the S3 bucket is not a map.");
  if (notification->find("LambdaConfigurations") == nullptr)
    notification->object().set("LambdaConfigurations", json::Array());
  json::Value* list = notification->object().find("LambdaConfigurations");
  if (!list->is_array()) throw ResourceError("LambdaConfigurations of the S3 bucket is not a list.");
  const json::Value& events = event.required("Events");
  for (const json::Value& each : events.is_array() ? events.array() : json::Array{events}) {
    json::Object configuration{{"Event", each}, {"Function", target.arn}};
    set_if(configuration, "Filter", event.find("Filter"));
    list->array().emplace_back(std::move(configuration));
  }
  // S3 asks whether it may call the function when it is configured to.
  json::Array depends;
  if (const json::Value* given = attributes.find("DependsOn"))
    depends = given->is_array() ? given->array() : json::Array{*given};
  depends.emplace_back(permission);
  attributes.set("DependsOn", std::move(depends));
  add_permission(application, source, permission, target, "s3", nullptr);
}

void make_log_event(Application& application, const Source& source, const Event& event, const Target& target) {
  static constexpr auto kKnown = std::to_array<std::string_view>({"LogGroupName", "FilterPattern"});
  event.allow_only({kKnown});
  const json::Value& group = event.required("LogGroupName");
  const json::Value arn = json::Object{
      {"Fn::Sub",
       json::Array{"arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:${__LogGroupName__}:*",
                   json::Object{{"__LogGroupName__", group}}}}};
  const std::string permission = event.id + "Permission";
  add_permission(application, source, permission, target, "logs", &arn);
  application.add(
      source, event.id, "AWS::Logs::SubscriptionFilter",
      {{"LogGroupName", group}, {"FilterPattern", event.required("FilterPattern")}, {"DestinationArn", target.arn}});
  application.set_attribute(event.id, "DependsOn", json::Array{permission});
}

}  // namespace tidemill::lang::serverless
