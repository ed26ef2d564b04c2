#include "services/cloudformation/identification.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/resource_type.h"

namespace tidemill::cloudformation {

namespace {

constexpr Identification kIdentifications[] = {
    {"AWS::CloudWatch::Alarm", "AlarmName", "cloudwatch", "DescribeAlarms", "AlarmNames", "MetricAlarms", "AlarmName", true},
    {"AWS::CloudWatch::Dashboard", "DashboardName", "cloudwatch", "GetDashboard", "DashboardName"},
    {"AWS::DynamoDB::GlobalTable", "TableName", "dynamodb", "DescribeTable", "TableName"},
    {"AWS::DynamoDB::Table", "TableName", "dynamodb", "DescribeTable", "TableName"},
    {"AWS::ECR::Repository", "RepositoryName", "ecr", "DescribeRepositories", "RepositoryNames", "", "", true},
    {"AWS::Events::ApiDestination", "Name", "events", "DescribeApiDestination", "Name"},
    {"AWS::Events::Archive", "ArchiveName", "events", "DescribeArchive", "ArchiveName"},
    {"AWS::Events::Connection", "Name", "events", "DescribeConnection", "Name"},
    {"AWS::Events::EventBus", "Name", "events", "DescribeEventBus", "Name"},
    {"AWS::IAM::Group", "GroupName", "iam", "GetGroup", "GroupName"},
    {"AWS::IAM::InstanceProfile", "InstanceProfileName", "iam", "GetInstanceProfile", "InstanceProfileName"},
    {"AWS::IAM::ManagedPolicy", "PolicyArn", "iam", "GetPolicy", "PolicyArn"},
    {"AWS::IAM::Role", "RoleName", "iam", "GetRole", "RoleName"},
    {"AWS::IAM::User", "UserName", "iam", "GetUser", "UserName"},
    {"AWS::KMS::Key", "KeyId", "kms", "DescribeKey", "KeyId"},
    {"AWS::Kinesis::Stream", "Name", "kinesis", "DescribeStreamSummary", "StreamName"},
    {"AWS::Lambda::EventSourceMapping", "Id", "lambda", "GetEventSourceMapping", "UUID"},
    {"AWS::Lambda::Function", "FunctionName", "lambda", "GetFunctionConfiguration", "FunctionName"},
    {"AWS::Logs::LogGroup", "LogGroupName", "logs", "DescribeLogGroups", "LogGroupNamePrefix", "LogGroups", "LogGroupName"},
    {"AWS::Pipes::Pipe", "Name", "pipes", "DescribePipe", "Name"},
    {"AWS::S3::Bucket", "BucketName", "s3", "HeadBucket", "Bucket"},
    {"AWS::SNS::Topic", "TopicArn", "sns", "GetTopicAttributes", "TopicArn"},
    {"AWS::SQS::Queue", "QueueUrl", "sqs", "GetQueueAttributes", "QueueUrl"},
    {"AWS::SSM::Parameter", "Name", "ssm", "GetParameter", "Name"},
    {"AWS::Scheduler::Schedule", "Name", "scheduler", "GetSchedule", "Name", "", "", false, "GroupName"},
    {"AWS::Scheduler::ScheduleGroup", "Name", "scheduler", "GetScheduleGroup", "Name"},
    {"AWS::SecretsManager::Secret", "Id", "secretsmanager", "DescribeSecret", "SecretId"},
    {"AWS::StepFunctions::Activity", "Arn", "states", "DescribeActivity", "ActivityArn"},
    {"AWS::StepFunctions::StateMachine", "Arn", "states", "DescribeStateMachine", "StateMachineArn"},
};

// Where the answer has the physical id, for operations that take other spellings of it: an ARN, a version behind a name.
constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"AWS::DynamoDB::GlobalTable", "Table.TableName"},
    {"AWS::DynamoDB::Table", "Table.TableName"},
    {"AWS::Events::EventBus", "Name"},
    {"AWS::IAM::Group", "Group.GroupName"},
    {"AWS::IAM::InstanceProfile", "InstanceProfile.InstanceProfileName"},
    {"AWS::IAM::Role", "Role.RoleName"},
    {"AWS::IAM::User", "User.UserName"},
    {"AWS::KMS::Key", "KeyMetadata.KeyId"},
    {"AWS::Lambda::Function", "FunctionName"},
    {"AWS::SSM::Parameter", "Parameter.Name"},
    {"AWS::SecretsManager::Secret", "ARN"},
};

bool is_so_spelt(const json::Value& answer, std::string_view type, std::string_view id) {
  const auto found = std::ranges::find(kSpellings, type, [](const auto& one) { return one.first; });
  if (found == std::end(kSpellings)) return true;
  std::string_view path = found->second;
  const json::Value* at = &answer;
  for (size_t dot; at && (dot = path.find('.')) != std::string_view::npos; path.remove_prefix(dot + 1)) {
    at = at->find(path.substr(0, dot));
  }
  if (at) at = at->find(path);
  return at && at->is_string() && at->string() == id;
}

// Buckets are found from any region, and are in one.
bool is_in_region(const json::Value& answer, const Step& step) {
  const json::Value* region = answer.find("BucketRegion");
  return !region || !region->is_string() || region->string() == step.region();
}

bool has_id(const json::Value& answer, const Identification& identification, std::string_view id) {
  const json::Value* list = answer.find(identification.list);
  return list && list->is_array() && std::ranges::any_of(list->array(), [&](const json::Value& one) {
    const json::Value* name = one.find(identification.member_of_list);
    return name && name->is_string() && name->string() == id;
  });
}

}  // namespace

const Identification* find_identification(std::string_view type) {
  const auto found = std::ranges::find(kIdentifications, type, &Identification::type);
  return found == std::end(kIdentifications) ? nullptr : &*found;
}

bool are_named_together(std::string_view type, std::string_view other) {
  if (type == other) return true;
  const Identification *one = find_identification(type), *two = find_identification(other);
  return one && two && one->service == two->service && one->operation == two->operation;
}

Task<bool> stands(Step& step, const Identification& identification, std::string id, const json::Object& properties) {
  const json::Value given = identification.takes_list ? json::Value(json::Array{id}) : json::Value(id);
  json::Object request{{std::string(identification.member), given}};
  if (!identification.beside.empty()) copy_member(request, properties, identification.beside);
  const json::Value answer = co_await step.call(std::string(identification.service), std::string(identification.operation),
                                                std::move(request));
  if (!is_so_spelt(answer, identification.type, id) || !is_in_region(answer, step)) co_return false;
  co_return identification.list.empty() || has_id(answer, identification, id);
}

Task<void> require_there(Step& step, const Identification& identification, std::string id, const json::Object& properties) {
  if (co_await stands(step, identification, id, properties)) co_return;
  throw StepFailed(base::cat("Resource of type '", identification.type, "' with identifier '", id, "' was not found."));
}

}  // namespace tidemill::cloudformation
