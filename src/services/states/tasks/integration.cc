#include "services/states/tasks/integration.h"

#include <algorithm>
#include <array>

namespace tidemill::states::tasks {
namespace {

using Names = std::string_view[];

// "Optimized integrations" in the developer guide says what each takes.
constexpr Names kInvoke = {"FunctionName", "Payload", "InvocationType", "Qualifier", "ClientContext"};
constexpr Names kInvokeRequired = {"FunctionName"};
constexpr Names kGetItem = {"TableName",
                            "Key",
                            "AttributesToGet",
                            "ConsistentRead",
                            "ExpressionAttributeNames",
                            "ProjectionExpression",
                            "ReturnConsumedCapacity"};
constexpr Names kPutItem = {"TableName",
                            "Item",
                            "ConditionExpression",
                            "ConditionalOperator",
                            "Expected",
                            "ExpressionAttributeNames",
                            "ExpressionAttributeValues",
                            "ReturnConsumedCapacity",
                            "ReturnItemCollectionMetrics",
                            "ReturnValues"};
constexpr Names kUpdateItem = {"TableName",
                               "Key",
                               "AttributeUpdates",
                               "ConditionExpression",
                               "ConditionalOperator",
                               "Expected",
                               "ExpressionAttributeNames",
                               "ExpressionAttributeValues",
                               "ReturnConsumedCapacity",
                               "ReturnItemCollectionMetrics",
                               "ReturnValues",
                               "UpdateExpression"};
constexpr Names kDeleteItem = {"TableName",
                               "Key",
                               "ConditionExpression",
                               "ConditionalOperator",
                               "Expected",
                               "ExpressionAttributeNames",
                               "ExpressionAttributeValues",
                               "ReturnConsumedCapacity",
                               "ReturnItemCollectionMetrics",
                               "ReturnValues"};
constexpr Names kTable = {"TableName"};
constexpr Names kSendMessage = {
    "QueueUrl", "MessageBody", "DelaySeconds", "MessageAttributes", "MessageDeduplicationId", "MessageGroupId"};
constexpr Names kQueue = {"QueueUrl"};
constexpr Names kPublish = {"TopicArn",      "TargetArn",        "PhoneNumber",       "Message",
                            "Subject",       "MessageStructure", "MessageAttributes", "MessageDeduplicationId",
                            "MessageGroupId"};
constexpr Names kMessage = {"Message"};
constexpr Names kPutEvents = {"Entries"};
constexpr Names kStartExecution = {"StateMachineArn", "Input", "Name", "TraceHeader"};
constexpr Names kMachine = {"StateMachineArn"};

constexpr auto kIntegrations = std::to_array<Integration>({
    {"lambda", "invoke", "lambda", "Invoke", kInvoke, kInvokeRequired, true},
    {"dynamodb", "getItem", "dynamodb", "GetItem", kGetItem, kTable},
    {"dynamodb", "putItem", "dynamodb", "PutItem", kPutItem, kTable},
    {"dynamodb", "updateItem", "dynamodb", "UpdateItem", kUpdateItem, kTable},
    {"dynamodb", "deleteItem", "dynamodb", "DeleteItem", kDeleteItem, kTable},
    {"sqs", "sendMessage", "sqs", "SendMessage", kSendMessage, kQueue, true},
    {"sns", "publish", "sns", "Publish", kPublish, kMessage, true},
    {"events", "putEvents", "events", "PutEvents", kPutEvents, kPutEvents, true, false, false},
    {"states", "startExecution", "states", "StartExecution", kStartExecution, kMachine, true, true},
});

// AWS's other ones ("Integrating optimized services" in the developer guide).
constexpr auto kIntegratedByAws =
    std::to_array<std::string_view>({"apigateway",     "athena",         "batch",  "bedrock", "codebuild",
                                     "databrew",       "dynamodb",       "ecs",    "eks",     "elasticmapreduce",
                                     "emr-containers", "emr-serverless", "events", "glue",    "lambda",
                                     "mediaconvert",   "sagemaker",      "sns",    "sqs",     "states"});

constexpr auto kServices = std::to_array<ServiceNames>({
    {"cloudcontrol", "cloudcontrol", "CloudControl", "", "", ""},
    {"cloudformation", "cloudformation", "CloudFormation", "", "", ""},
    {"cloudwatch", "cloudwatch", "CloudWatch", "", "", ""},
    {"dynamodb", "dynamodb", "DynamoDb", "DynamoDB", "AmazonDynamoDBv2", "AmazonDynamoDBException"},
    {"dynamodbstreams", "dynamodbstreams", "DynamoDbStreams", "", "", ""},
    {"ecr", "ecr", "Ecr", "", "", ""},
    {"events", "eventbridge", "EventBridge", "EventBridge", "AmazonEventBridge", "AmazonEventBridgeException"},
    {"healthlake", "healthlake", "HealthLake", "", "", ""},
    {"iam", "iam", "Iam", "", "", ""},
    {"kinesis", "kinesis", "Kinesis", "", "", ""},
    {"kms", "kms", "Kms", "", "", ""},
    {"lambda", "lambda", "Lambda", "Lambda", "AWSLambda", "AWSLambdaException"},
    {"logs", "cloudwatchlogs", "CloudWatchLogs", "", "", ""},
    {"pipes", "pipes", "Pipes", "", "", ""},
    {"s3", "s3", "S3", "", "", ""},
    {"scheduler", "scheduler", "Scheduler", "", "", ""},
    {"secretsmanager", "secretsmanager", "SecretsManager", "", "", ""},
    {"sns", "sns", "Sns", "SNS", "AmazonSNS", "AmazonSNSException"},
    {"sqs", "sqs", "Sqs", "SQS", "AmazonSQS", "AmazonSQSException"},
    {"ssm", "ssm", "Ssm", "", "", ""},
    {"states", "sfn", "Sfn", "StepFunctions", "AWSStepFunctions", "AWSStepFunctionsException"},
    {"sts", "sts", "Sts", "", "", ""},
});

}  // namespace

const Integration* find_integration(std::string_view type, std::string_view action) {
  const auto found = std::ranges::find_if(
      kIntegrations, [&](const Integration& one) { return one.type == type && one.action == action; });
  return found == kIntegrations.end() ? nullptr : &*found;
}

bool is_integrated_by_aws(std::string_view type) {
  return std::ranges::find(kIntegratedByAws, type) != kIntegratedByAws.end();
}

const ServiceNames* names_of(std::string_view service) {
  const auto found = std::ranges::find(kServices, service, &ServiceNames::service);
  return found == kServices.end() ? nullptr : &*found;
}

const ServiceNames* names_of_sdk(std::string_view sdk) {
  const auto found = std::ranges::find(kServices, sdk, &ServiceNames::sdk);
  return found == kServices.end() ? nullptr : &*found;
}

}  // namespace tidemill::states::tasks
