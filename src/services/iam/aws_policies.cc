#include "services/iam/aws_policies.h"

#include <map>

#include "base/text.h"

namespace tidemill::iam {

namespace {

// Actions that a policy allows on everything, with commas.
const std::map<std::string_view, std::string_view>& allowances() {
  static const std::map<std::string_view, std::string_view> kAllowances{
      {"AdministratorAccess", R"("*")"},
      {"AmazonDynamoDBFullAccess",
       R"("dynamodb:*","cloudwatch:*Alarm*","cloudwatch:GetMetric*","cloudwatch:ListMetrics")"},
      {"AmazonDynamoDBReadOnlyAccess",
       R"("dynamodb:BatchGetItem","dynamodb:Describe*","dynamodb:List*","dynamodb:GetItem","dynamodb:Query",)"
       R"("dynamodb:Scan","dynamodb:PartiQLSelect","dynamodb:GetResourcePolicy")"},
      {"AmazonEventBridgeFullAccess", R"("events:*","scheduler:*","pipes:*")"},
      {"AmazonKinesisFullAccess", R"("kinesis:*")"},
      {"AmazonS3FullAccess", R"("s3:*")"},
      {"AmazonS3ReadOnlyAccess", R"("s3:Get*","s3:List*","s3:Describe*")"},
      {"AmazonSNSFullAccess", R"("sns:*")"},
      {"AmazonSQSFullAccess", R"("sqs:*")"},
      {"AmazonSQSReadOnlyAccess",
       R"("sqs:GetQueueAttributes","sqs:GetQueueUrl","sqs:ListDeadLetterSourceQueues","sqs:ListQueues",)"
       R"("sqs:ListMessageMoveTasks","sqs:ListQueueTags")"},
      {"AWSCloudFormationReadOnlyAccess",
       R"("cloudformation:Describe*","cloudformation:EstimateTemplateCost","cloudformation:Get*","cloudformation:List*",)"
       R"("cloudformation:ValidateTemplate","cloudformation:Detect*")"},
      {"AWSLambda_FullAccess",
       R"("lambda:*","logs:DescribeLogGroups","logs:FilterLogEvents","iam:GetRole","iam:ListRoles")"},
      {"AWSStepFunctionsFullAccess", R"("states:*")"},
      {"CloudWatchLogsFullAccess", R"("logs:*","cloudwatch:GenerateQuery")"},
      {"IAMFullAccess", R"("iam:*")"},
      {"SecretsManagerReadWrite", R"("secretsmanager:*","kms:DescribeKey","kms:ListAliases","kms:ListKeys")"},
      {"service-role/AWSLambdaBasicExecutionRole",
       R"("logs:CreateLogGroup","logs:CreateLogStream","logs:PutLogEvents")"},
      {"service-role/AWSLambdaDynamoDBExecutionRole",
       R"("dynamodb:DescribeStream","dynamodb:GetRecords","dynamodb:GetShardIterator","dynamodb:ListStreams",)"
       R"("logs:CreateLogGroup","logs:CreateLogStream","logs:PutLogEvents")"},
      {"service-role/AWSLambdaKinesisExecutionRole",
       R"("kinesis:DescribeStream","kinesis:DescribeStreamSummary","kinesis:GetRecords",)"
       R"("kinesis:GetShardIterator","kinesis:ListShards","kinesis:ListStreams","kinesis:SubscribeToShard",)"
       R"("logs:CreateLogGroup","logs:CreateLogStream","logs:PutLogEvents")"},
      {"service-role/AWSLambdaSQSQueueExecutionRole",
       R"("sqs:ReceiveMessage","sqs:DeleteMessage","sqs:GetQueueAttributes","logs:CreateLogGroup",)"
       R"("logs:CreateLogStream","logs:PutLogEvents")"},
      {"service-role/AWSLambdaRole", R"("lambda:InvokeFunction")"},
  };
  return kAllowances;
}

}  // namespace

std::string document_of_aws(std::string_view name) {
  const auto found = allowances().find(name);
  if (found == allowances().end()) return "";
  return base::cat(R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":[)", found->second,
                   R"(],"Resource":"*"}]})");
}

}  // namespace tidemill::iam
