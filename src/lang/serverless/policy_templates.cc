// SAM's policy templates of the services that are here. Developer guide, "AWS SAM policy templates".
#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/serverless/role.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

struct Template {
  std::string_view name;
  std::string_view parameters;  // all are required; separated by commas
  std::string_view actions;
  std::string_view resources;  // behind "arn:${AWS::Partition}:", separated by blanks; or "*"
};

// ${AWS::Region} and ${AWS::AccountId} are shortened to @ within `resources`: "sqs:@:" is
// "sqs:${AWS::Region}:${AWS::AccountId}:".
constexpr auto kTemplates = std::to_array<Template>({
    {"AWSSecretsManagerGetSecretValuePolicy", "SecretArn", "secretsmanager:GetSecretValue", "=${SecretArn}"},
    {"AWSSecretsManagerRotationPolicy", "FunctionName",
     "secretsmanager:DescribeSecret,secretsmanager:GetSecretValue,secretsmanager:PutSecretValue,"
     "secretsmanager:UpdateSecretVersionStage",
     "secretsmanager:@:secret:*"},
    {"CloudWatchDescribeAlarmHistoryPolicy", "", "cloudwatch:DescribeAlarmHistory", "*"},
    {"CloudWatchDashboardPolicy", "",
     "cloudwatch:GetDashboard,cloudwatch:ListDashboards,cloudwatch:PutDashboard,cloudwatch:ListMetrics", "*"},
    {"CloudWatchPutMetricPolicy", "", "cloudwatch:PutMetricData", "*"},
    {"DynamoDBBackupFullAccessPolicy", "TableName", "dynamodb:CreateBackup,dynamodb:DescribeContinuousBackups",
     "dynamodb:@:table/${TableName}"},
    {"DynamoDBCrudPolicy", "TableName",
     "dynamodb:GetItem,dynamodb:DeleteItem,dynamodb:PutItem,dynamodb:Scan,dynamodb:Query,dynamodb:UpdateItem,"
     "dynamodb:BatchWriteItem,dynamodb:BatchGetItem,dynamodb:DescribeTable,dynamodb:ConditionCheckItem",
     "dynamodb:@:table/${TableName} dynamodb:@:table/${TableName}/index/*"},
    {"DynamoDBReadPolicy", "TableName",
     "dynamodb:GetItem,dynamodb:Scan,dynamodb:Query,dynamodb:BatchGetItem,dynamodb:DescribeTable",
     "dynamodb:@:table/${TableName} dynamodb:@:table/${TableName}/index/*"},
    {"DynamoDBReconfigurePolicy", "TableName", "dynamodb:UpdateTable", "dynamodb:@:table/${TableName}"},
    {"DynamoDBStreamReadPolicy", "TableName,StreamName",
     "dynamodb:DescribeStream,dynamodb:GetRecords,dynamodb:GetShardIterator,dynamodb:ListStreams",
     "dynamodb:@:table/${TableName}/stream/${StreamName}"},
    {"DynamoDBWritePolicy", "TableName", "dynamodb:PutItem,dynamodb:UpdateItem,dynamodb:BatchWriteItem",
     "dynamodb:@:table/${TableName} dynamodb:@:table/${TableName}/index/*"},
    {"EventBridgePutEventsPolicy", "EventBusName", "events:PutEvents", "events:@:event-bus/${EventBusName}"},
    {"FilterLogEventsPolicy", "LogGroupName", "logs:FilterLogEvents", "logs:@:log-group:${LogGroupName}:log-stream:*"},
    {"KinesisCrudPolicy", "StreamName",
     "kinesis:AddTagsToStream,kinesis:CreateStream,kinesis:DecreaseStreamRetentionPeriod,kinesis:DeleteStream,"
     "kinesis:DescribeStream,kinesis:DescribeStreamSummary,kinesis:GetShardIterator,"
     "kinesis:IncreaseStreamRetentionPeriod,kinesis:ListTagsForStream,kinesis:MergeShards,kinesis:PutRecord,"
     "kinesis:PutRecords,kinesis:SplitShard,kinesis:RemoveTagsFromStream",
     "kinesis:@:stream/${StreamName}"},
    {"KinesisStreamReadPolicy", "StreamName",
     "kinesis:ListStreams,kinesis:DescribeLimits,kinesis:DescribeStream,kinesis:DescribeStreamSummary,"
     "kinesis:GetRecords,kinesis:GetShardIterator",
     "kinesis:@:stream/${StreamName}"},
    {"KMSDecryptPolicy", "KeyId", "kms:Decrypt", "kms:@:key/${KeyId}"},
    {"KMSEncryptPolicy", "KeyId", "kms:Encrypt", "kms:@:key/${KeyId}"},
    {"LambdaInvokePolicy", "FunctionName", "lambda:InvokeFunction", "lambda:@:function:${FunctionName}*"},
    {"S3CrudPolicy", "BucketName",
     "s3:GetObject,s3:ListBucket,s3:GetBucketLocation,s3:GetObjectVersion,s3:PutObject,s3:PutObjectAcl,"
     "s3:GetLifecycleConfiguration,s3:PutLifecycleConfiguration,s3:DeleteObject",
     "s3:::${BucketName} s3:::${BucketName}/*"},
    {"S3FullAccessPolicy", "BucketName",
     "s3:GetObject,s3:GetObjectAcl,s3:GetObjectVersion,s3:PutObject,s3:PutObjectAcl,s3:DeleteObject,"
     "s3:DeleteObjectTagging,s3:DeleteObjectVersionTagging,s3:GetObjectTagging,s3:GetObjectVersionTagging,"
     "s3:PutObjectTagging,s3:PutObjectVersionTagging,s3:ListBucket,s3:GetBucketLocation,"
     "s3:GetLifecycleConfiguration,s3:PutLifecycleConfiguration",
     "s3:::${BucketName} s3:::${BucketName}/*"},
    {"S3ReadPolicy", "BucketName",
     "s3:GetObject,s3:ListBucket,s3:GetBucketLocation,s3:GetObjectVersion,s3:GetLifecycleConfiguration",
     "s3:::${BucketName} s3:::${BucketName}/*"},
    {"S3WritePolicy", "BucketName", "s3:PutObject,s3:PutObjectAcl,s3:PutLifecycleConfiguration",
     "s3:::${BucketName} s3:::${BucketName}/*"},
    {"SNSCrudPolicy", "TopicName",
     "sns:ListSubscriptionsByTopic,sns:CreateTopic,sns:SetTopicAttributes,sns:Subscribe,sns:Publish",
     "sns:@:${TopicName}*"},
    {"SNSPublishMessagePolicy", "TopicName", "sns:Publish", "sns:@:${TopicName}"},
    {"SQSPollerPolicy", "QueueName",
     "sqs:ChangeMessageVisibility,sqs:ChangeMessageVisibilityBatch,sqs:DeleteMessage,sqs:DeleteMessageBatch,"
     "sqs:GetQueueAttributes,sqs:ReceiveMessage",
     "sqs:@:${QueueName}"},
    {"SQSSendMessagePolicy", "QueueName", "sqs:SendMessage*", "sqs:@:${QueueName}"},
    {"SSMParameterReadPolicy", "ParameterName",
     "ssm:DescribeParameters,ssm:GetParameters,ssm:GetParameter,ssm:GetParametersByPath",
     "ssm:@:parameter/${ParameterName}"},
    {"SSMParameterWithSlashPrefixReadPolicy", "ParameterName",
     "ssm:DescribeParameters,ssm:GetParameters,ssm:GetParameter,ssm:GetParametersByPath",
     "ssm:@:parameter${ParameterName}"},
    {"StepFunctionsExecutionPolicy", "StateMachineName", "states:StartExecution",
     "states:@:stateMachine:${StateMachineName}"},
});

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

json::Value resource_arn(std::string_view resource, const json::Object& variables) {
  if (resource == "*") return resource;
  std::string text =
      resource.starts_with('=') ? std::string(resource.substr(1)) : cat("arn:${AWS::Partition}:", resource);
  const size_t place = text.find(":@:");
  if (place != std::string::npos) text.replace(place, 3, ":${AWS::Region}:${AWS::AccountId}:");
  return json::Object{{"Fn::Sub", json::Array{std::move(text), variables}}};
}

}  // namespace

json::Array policy_template(std::string_view name, const json::Value& parameters) {
  const auto found = std::ranges::find(kTemplates, name, &Template::name);
  if (found == kTemplates.end()) throw ResourceError(cat("Policy template ", name, " is not supported."));
  json::Object variables;
  for (const std::string_view parameter : split(found->parameters, ',')) {
    const json::Value* value = parameters.find(parameter);
    if (value == nullptr) {
      throw ResourceError(cat("Must specify valid parameter values for policy template '", name, "'"));
    }
    variables.set(std::string(parameter), *value);
  }
  if (parameters.is_object() && parameters.object().size() != variables.size()) {
    throw ResourceError(cat("Must specify valid parameter values for policy template '", name, "'"));
  }
  json::Array actions, resources;
  for (const std::string_view action : split(found->actions, ',')) actions.emplace_back(action);
  for (const std::string_view resource : split(found->resources, ' '))
    resources.push_back(resource_arn(resource, variables));
  return {
      allow(std::move(actions), resources.size() == 1 ? std::move(resources[0]) : json::Value(std::move(resources)))};
}

}  // namespace tidemill::lang::serverless
