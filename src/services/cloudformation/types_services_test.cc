// Types of streams, events, schedules, workflows, logs and alarms through their services.
#include "services/cloudformation/types_testing.h"

namespace tidemill::cloudformation {
namespace {

using testing::World;

TEST(ServiceTypes, MakeChangeAndRemoveDataStreams) {
  World world;
  const std::string summary = R"({"StreamName":"{ID}"})";
  world.check({.type = "AWS::Kinesis::Stream",
               .properties = R"({"ShardCount":"1","RetentionPeriodHours":"48"})",
               .attributes = R"({"Arn":"arn:aws:kinesis:us-east-1:000000000000:stream/{ID}"})",
               .made = {{"kinesis", "DescribeStreamSummary", summary,
                         R"({"StreamDescriptionSummary":{"OpenShardCount":1,"RetentionPeriodHours":48}})"}},
               .updated = R"({"ShardCount":2,"DesiredShardLevelMetrics":["IncomingBytes"],)"
                          R"("Tags":[{"Key":"a","Value":"b"}]})",
               .changed = {{"kinesis", "DescribeStreamSummary", summary,
                            R"({"StreamDescriptionSummary":{"OpenShardCount":2,"RetentionPeriodHours":24}})"}},
               .gone = {"kinesis", "DescribeStreamSummary", summary, "ResourceNotFoundException"}});
}

TEST(ServiceTypes, MakeConsumersAndPoliciesOfDataStreams) {
  World world;
  const std::string stream = "arn:aws:kinesis:us-east-1:000000000000:stream/s";
  world.tell("kinesis", "CreateStream", R"({"StreamName":"s","ShardCount":1})");
  world.advance(std::chrono::minutes(1));
  world.check(
      {.type = "AWS::Kinesis::StreamConsumer",
       .properties = R"({"ConsumerName":"c","StreamARN":")" + stream + "\"}",
       .attributes = R"({"ConsumerARN":"{ID}","ConsumerName":"c","ConsumerStatus":"ACTIVE"})",
       .gone = {"kinesis", "DescribeStreamConsumer", R"({"ConsumerARN":"{ID}"})", "ResourceNotFoundException"}});
  const std::string policy = R"({"Version":"2012-10-17","Statement":[{"Sid":"s","Effect":"Allow",)"
                             R"("Principal":{"AWS":"111111111111"},)"
                             R"("Action":["kinesis:DescribeStreamSummary"],"Resource":")" +
                             stream + "\"}]}";
  world.check({.type = "AWS::Kinesis::ResourcePolicy",
               .properties = R"({"ResourceArn":")" + stream + R"(","ResourcePolicy":)" + policy + "}"});
}

TEST(ServiceTypes, MakeSubscriptionsAndPoliciesOfTopics) {
  World world;
  const std::string topic = "arn:aws:sns:us-east-1:000000000000:t";
  world.tell("sns", "CreateTopic", R"({"Name":"t"})");
  world.check({.type = "AWS::SNS::Subscription",
               .properties = R"({"Protocol":"sqs","Endpoint":"arn:aws:sqs:us-east-1:000000000000:q",)"
                             R"("FilterPolicy":{"a":["b"]},"TopicArn":")" +
                             topic + "\"}",
               .attributes = R"({"Arn":"{ID}"})",
               .made = {{"sns", "GetSubscriptionAttributes", R"({"SubscriptionArn":"{ID}"})",
                         R"j({"Attributes":{"FilterPolicy":"{\"a\":[\"b\"]}","RawMessageDelivery":"false"}})j"}},
               .updated = R"({"Protocol":"sqs","Endpoint":"arn:aws:sqs:us-east-1:000000000000:q",)"
                          R"("RawMessageDelivery":"true","TopicArn":")" +
                          topic + "\"}",
               .changed = {{"sns", "GetSubscriptionAttributes", R"({"SubscriptionArn":"{ID}"})",
                            R"({"Attributes":{"RawMessageDelivery":"true"}})"}},
               .gone = {"sns", "GetSubscriptionAttributes", R"({"SubscriptionArn":"{ID}"})", "NotFoundException"}});
  const std::string policy = R"("PolicyDocument":{"Version":"2012-10-17","Statement":[{"Sid":"mine",)"
                             R"("Effect":"Allow",)"
                             R"("Principal":{"Service":"events.amazonaws.com"},)"
                             R"("Action":"sns:Publish","Resource":"*"}]})";
  world.check({.type = "AWS::SNS::TopicPolicy",
               .properties = R"({"Topics":[")" + topic + "\"]," + policy + "}",
               .attributes = R"({"Id":"{ID}"})"});
}

TEST(ServiceTypes, SubscriptionsGoToNestedFiltersAndBack) {
  World world;
  world.tell("sns", "CreateTopic", R"({"Name":"t"})");
  const std::string subscription = R"("Protocol":"sqs","Endpoint":"arn:aws:sqs:us-east-1:000000000000:q",)"
                                   R"("TopicArn":"arn:aws:sns:us-east-1:000000000000:t")";
  world.check({.type = "AWS::SNS::Subscription",
               .properties = R"({"FilterPolicyScope":"MessageAttributes","FilterPolicy":{"a":["b"]},)" + subscription + "}",
               .attributes = R"({"Arn":"{ID}"})",
               .made = {{"sns", "GetSubscriptionAttributes", R"({"SubscriptionArn":"{ID}"})",
                         R"j({"Attributes":{"FilterPolicy":"{\"a\":[\"b\"]}","FilterPolicyScope":"MessageAttributes"}})j"}},
               .updated = R"({"FilterPolicyScope":"MessageBody","FilterPolicy":{"a":{"b":["c"]}},)" + subscription + "}",
               .changed = {{"sns", "GetSubscriptionAttributes", R"({"SubscriptionArn":"{ID}"})",
                            R"j({"Attributes":{"FilterPolicy":"{\"a\":{\"b\":[\"c\"]}}","FilterPolicyScope":"MessageBody"}})j"}}});
}

TEST(ServiceTypes, MakeChangeAndRemoveEventBuses) {
  World world;
  world.check({.type = "AWS::Events::EventBus",
               .properties =
                   R"({"Name":"b","Description":"d","Policy":{"Version":"2012-10-17",)"
                   R"("Statement":[{"Sid":"s","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111111111111:root"},)"
                   R"("Action":"events:PutEvents","Resource":"arn:aws:events:us-east-1:000000000000:event-bus/b"}]}})",
               .attributes = R"({"Arn":"arn:aws:events:us-east-1:000000000000:event-bus/b","Name":"b"})",
               .made = {{"events", "DescribeEventBus", R"({"Name":"b"})", R"({"Description":"d"})"}},
               .updated = R"({"Name":"b","Description":"e","Tags":[{"Key":"a","Value":"b"}]})",
               .changed = {{"events", "DescribeEventBus", R"({"Name":"b"})", R"({"Description":"e","Policy":null})"}},
               .gone = {"events", "DescribeEventBus", R"({"Name":"b"})", "ResourceNotFoundException"}});
}

TEST(ServiceTypes, MakeRulesAndPoliciesOfBuses) {
  World world;
  world.tell("events", "CreateEventBus", R"({"Name":"b"})");
  world.check({.type = "AWS::Events::Rule",
               .properties = R"({"Name":"r","EventBusName":"b","EventPattern":{"source":["x"]}})",
               .attributes = R"({"Arn":"arn:aws:events:us-east-1:000000000000:rule/b/r"})",
               .made = {{"events", "DescribeRule", R"({"Name":"r","EventBusName":"b"})", R"({"State":"ENABLED"})"}},
               .gone = {"events", "DescribeRule", R"({"Name":"r","EventBusName":"b"})", "ResourceNotFoundException"}});
  world.check({.type = "AWS::Events::EventBusPolicy",
               .properties = R"({"EventBusName":"b","StatementId":"s","Action":"events:PutEvents",)"
                             R"("Principal":"111111111111"})",
               .updated =
                   R"({"EventBusName":"b","StatementId":"s","Statement":{"Effect":"Allow",)"
                   R"("Principal":{"AWS":"arn:aws:iam::222222222222:root"},)"
                   R"("Action":"events:PutEvents","Resource":"arn:aws:events:us-east-1:000000000000:event-bus/b"}})"});
}

TEST(ServiceTypes, MakePoliciesOfBusesThatNameSomebodyByAnId) {
  World world;
  world.tell("events", "CreateEventBus", R"({"Name":"b"})");
  const json::Value user = world.tell("iam", "CreateUser", R"({"UserName":"ann"})");
  const std::string id = user.find("User")->find("UserId")->string();
  const auto naming = [](std::string_view principal) {
    return base::cat(R"({"EventBusName":"b","StatementId":"s","Statement":{"Effect":"Allow","Principal":{"AWS":")",
                     principal, R"("},"Action":"events:PutEvents",)",
                     R"("Resource":"arn:aws:events:us-east-1:000000000000:event-bus/b"}})");
  };
  world.check({.type = "AWS::Events::EventBusPolicy",
               .properties = naming(id),
               .updated = naming("arn:aws:iam::000000000000:user/ann")});
}

TEST(ServiceTypes, MakeChangeAndRemoveArchives) {
  World world;
  const std::string bus = R"("SourceArn":"arn:aws:events:us-east-1:000000000000:event-bus/default")";
  world.check({.type = "AWS::Events::Archive",
               .properties = "{" + bus + R"(,"RetentionDays":"3","EventPattern":{"source":["x"]}})",
               .attributes = R"({"Arn":"arn:aws:events:us-east-1:000000000000:archive/{ID}"})",
               .made = {{"events", "DescribeArchive", R"({"ArchiveName":"{ID}"})", R"({"RetentionDays":3})"}},
               .updated = "{" + bus + R"(,"Description":"d"})",
               .changed = {{"events", "DescribeArchive", R"({"ArchiveName":"{ID}"})",
                            R"({"RetentionDays":0,"Description":"d"})"}},
               .gone = {"events", "DescribeArchive", R"({"ArchiveName":"{ID}"})", "ResourceNotFoundException"}});
}

TEST(ServiceTypes, MakeConnectionsAndApiDestinations) {
  World world;
  world.check(
      {.type = "AWS::Events::Connection",
       .properties =
           R"({"Name":"c","AuthorizationType":"API_KEY","AuthParameters":{"ApiKeyAuthParameters":{"ApiKeyName":"k",)"
           R"("ApiKeyValue":"v"}}})",
       .made = {{"events", "DescribeConnection", R"({"Name":"c"})", R"({"AuthorizationType":"API_KEY"})"}},
       .updated = R"({"Name":"c","Description":"d","AuthorizationType":"BASIC",)"
                  R"("AuthParameters":{"BasicAuthParameters":{"Username":"u",)"
                  R"("Password":"p"}}})",
       .changed = {{"events", "DescribeConnection", R"({"Name":"c"})",
                    R"({"AuthorizationType":"BASIC","Description":"d"})"}},
       .gone = {"events", "DescribeConnection", R"({"Name":"c"})", "ResourceNotFoundException"}});
  const json::Value made = world.tell("events", "CreateConnection",
                                      R"({"Name":"k","AuthorizationType":"API_KEY",)"
                                      R"("AuthParameters":{"ApiKeyAuthParameters":{"ApiKeyName":"k",)"
                                      R"("ApiKeyValue":"v"}}})");
  const std::string common = R"({"ConnectionArn":")" + made.find("ConnectionArn")->string() +
                             R"(","InvocationEndpoint":"https://example.org/")";
  world.check(
      {.type = "AWS::Events::ApiDestination",
       .properties = common + R"(,"HttpMethod":"POST","InvocationRateLimitPerSecond":"7"})",
       .made = {{"events", "DescribeApiDestination", R"({"Name":"{ID}"})", R"({"InvocationRateLimitPerSecond":7})"}},
       .updated = common + R"(,"HttpMethod":"PUT"})",
       .changed = {{"events", "DescribeApiDestination", R"({"Name":"{ID}"})",
                    R"({"HttpMethod":"PUT","InvocationRateLimitPerSecond":300})"}},
       .gone = {"events", "DescribeApiDestination", R"({"Name":"{ID}"})", "ResourceNotFoundException"}});
}

TEST(ServiceTypes, MakeChangeAndRemoveSchedules) {
  World world;
  const std::string target =
      R"("FlexibleTimeWindow":{"Mode":"OFF"},"Target":{"Arn":"arn:aws:sqs:us-east-1:000000000000:q",)"
      R"("RoleArn":"arn:aws:iam::000000000000:role/r","RetryPolicy":{"MaximumRetryAttempts":"3"}})";
  world.check(
      {.type = "AWS::Scheduler::Schedule",
       .properties = R"j({"ScheduleExpression":"rate(1 hour)","Description":"d",)j" + target + "}",
       .attributes = R"({"Arn":"arn:aws:scheduler:us-east-1:000000000000:schedule/default/{ID}"})",
       .made = {{"scheduler", "GetSchedule", R"({"Name":"{ID}"})",
                 R"({"Description":"d","Target":{"RetryPolicy":{"MaximumRetryAttempts":3}}})"}},
       .updated = R"j({"ScheduleExpression":"rate(2 hours)","State":"DISABLED",)j" + target + "}",
       .changed = {{"scheduler", "GetSchedule", R"({"Name":"{ID}"})", R"({"Description":null,"State":"DISABLED"})"}},
       .gone = {"scheduler", "GetSchedule", R"({"Name":"{ID}"})", "ResourceNotFoundException"}});
  world.check({.type = "AWS::Scheduler::ScheduleGroup",
               .properties = R"({"Name":"g"})",
               .attributes = R"({"Arn":"arn:aws:scheduler:us-east-1:000000000000:schedule-group/g",)"
                             R"("State":"ACTIVE"})",
               .updated = R"({"Name":"g","Tags":[{"Key":"a","Value":"b"}]})",
               .gone = {"scheduler", "GetScheduleGroup", R"({"Name":"g"})", "ResourceNotFoundException"}});
}

TEST(ServiceTypes, MakeChangeAndRemoveStateMachines) {
  World world;
  const std::string role = R"("RoleArn":"arn:aws:iam::000000000000:role/r")";
  world.check(
      {.type = "AWS::StepFunctions::StateMachine",
       .properties =
           R"j({"DefinitionString":"{\"StartAt\":\"${first}\",)j"
           R"j(\"States\":{\"${first}\":{\"Type\":\"Pass\",\"End\":true}}}",)j"
           R"j("DefinitionSubstitutions":{"first":"One"},)j" +
           role + "}",
       .attributes = R"({"Arn":"{ID}","Name":"{NAME}"})",
       .made = {{"states", "DescribeStateMachine", R"({"StateMachineArn":"{ID}"})",
                 R"j({"Definition":"{\"StartAt\":\"One\",\"States\":{\"One\":{\"Type\":\"Pass\",\"End\":true}}}"})j"}},
       .updated = R"({"Definition":{"StartAt":"Two","States":{"Two":{"Type":"Succeed"}}},)"
                  R"("Tags":[{"Key":"a","Value":"b"}],)" +
                  role + "}",
       .changed = {{"states", "DescribeStateMachine", R"({"StateMachineArn":"{ID}"})",
                    R"j({"Definition":"{\"StartAt\":\"Two\",\"States\":{\"Two\":{\"Type\":\"Succeed\"}}}"})j"}},
       .gone = {"states", "DescribeStateMachine", R"({"StateMachineArn":"{ID}"})", "StateMachineDoesNotExist"},
       .read_made = R"j({"DefinitionSubstitutions":null,"DefinitionString":)j"
                    R"j("{\"StartAt\":\"One\",\"States\":{\"One\":{\"Type\":\"Pass\",\"End\":true}}}"})j",
       .read_updated = R"j({"Definition":null,"DefinitionString":)j"
                       R"j("{\"StartAt\":\"Two\",\"States\":{\"Two\":{\"Type\":\"Succeed\"}}}"})j"});
}

TEST(ServiceTypes, MakeVersionsAliasesAndActivities) {
  World world;
  const std::string machine = "arn:aws:states:us-east-1:000000000000:stateMachine:m";
  world.tell("states", "CreateStateMachine",
             R"j({"Name":"m","RoleArn":"arn:aws:iam::000000000000:role/r",)j"
             R"j("Definition":"{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Pass\",\"End\":true}}}"})j");
  world.check(
      {.type = "AWS::StepFunctions::StateMachineVersion",
       .properties = R"({"StateMachineArn":")" + machine + "\"}",
       .attributes = R"({"Arn":"{ID}"})",
       .gone = {"states", "DescribeStateMachine", R"({"StateMachineArn":"{ID}"})", "StateMachineDoesNotExist"}});
  const json::Value version =
      world.tell("states", "PublishStateMachineVersion", R"({"StateMachineArn":")" + machine + "\"}");
  const std::string routing = R"("RoutingConfiguration":[{"StateMachineVersionArn":")" +
                              version.find("StateMachineVersionArn")->string() + R"(","Weight":"100"}])";
  world.check({.type = "AWS::StepFunctions::StateMachineAlias",
               .properties = R"({"Name":"live",)" + routing + "}",
               .attributes = "{\"Arn\":\"" + machine + ":live\"}",
               .updated = R"({"Name":"live","Description":"d",)" + routing + "}",
               .changed = {{"states", "DescribeStateMachineAlias", R"({"StateMachineAliasArn":"{ID}"})",
                            R"({"Description":"d"})"}}});
  world.check({.type = "AWS::StepFunctions::Activity",
               .properties = R"({"Name":"a"})",
               .attributes = R"({"Name":"a","Arn":"arn:aws:states:us-east-1:000000000000:activity:a"})",
               .updated = R"({"Name":"a","Tags":[{"Key":"a","Value":"b"}]})",
               .gone = {"states", "DescribeActivity", R"({"ActivityArn":"{ID}"})", "ActivityDoesNotExist"}});
}

TEST(ServiceTypes, MakeAlarmsLogStreamsAndMetricFilters) {
  World world;
  const std::string metric = R"("ComparisonOperator":"GreaterThanThreshold","EvaluationPeriods":"1",)"
                             R"("Namespace":"n","MetricName":"m","Period":"60","Statistic":"Sum")";
  world.check({.type = "AWS::CloudWatch::Alarm",
               .properties = "{" + metric +
                             R"(,"Threshold":"1.5","AlarmDescription":"d","Dimensions":[{"Name":"a",)"
                             R"("Value":"b"}]})",
               .attributes = R"({"Arn":"arn:aws:cloudwatch:us-east-1:000000000000:alarm:{ID}"})",
               .made = {{"cloudwatch", "DescribeAlarms", "{}",
                         R"({"MetricAlarms":[{"AlarmName":"{ID}","Threshold":1.5,)"
                         R"("AlarmDescription":"d"}]})"}},
               .updated = "{" + metric + R"(,"Threshold":2,"Tags":[{"Key":"a","Value":"b"}]})",
               .changed = {{"cloudwatch", "DescribeAlarms", "{}",
                            R"({"MetricAlarms":[{"Threshold":2,"AlarmDescription":null}]})"}},
               .gone = {"cloudwatch", "DescribeAlarms", "{}", R"({"MetricAlarms":[]})"}});
  world.tell("logs", "CreateLogGroup", R"({"LogGroupName":"g"})");
  world.check({.type = "AWS::Logs::LogStream",
               .properties = R"({"LogGroupName":"g"})",
               .made = {{"logs", "DescribeLogStreams", R"({"LogGroupName":"g"})",
                         R"({"LogStreams":[{"LogStreamName":"{ID}"}]})"}},
               .gone = {"logs", "DescribeLogStreams", R"({"LogGroupName":"g"})", R"({"LogStreams":[]})"}});
  const std::string transformations = R"("MetricTransformations":[{"MetricName":"m","MetricNamespace":"n",)"
                                      R"("MetricValue":"1"}])";
  world.check({.type = "AWS::Logs::MetricFilter",
               .properties = R"({"LogGroupName":"g","FilterPattern":"ERROR",)" + transformations + "}",
               .made = {{"logs", "DescribeMetricFilters", R"({"LogGroupName":"g"})",
                         R"({"MetricFilters":[{"FilterName":"{ID}","FilterPattern":"ERROR"}]})"}},
               .updated = R"({"LogGroupName":"g","FilterPattern":"WARN",)" + transformations + "}",
               .changed = {{"logs", "DescribeMetricFilters", R"({"LogGroupName":"g"})",
                            R"({"MetricFilters":[{"FilterPattern":"WARN"}]})"}},
               .gone = {"logs", "DescribeMetricFilters", R"({"LogGroupName":"g"})", R"({"MetricFilters":[]})"}});
}

TEST(ServiceTypes, MakeAlarmsOverExpressionsAndOverAlarmsAndDashboards) {
  World world;
  const std::string query = R"j("Metrics":[{"Id":"m","ReturnData":false,"MetricStat":{"Stat":"Sum","Period":60,)j"
                            R"j("Metric":{"Namespace":"n","MetricName":"m"}}},{"Id":"e","Expression":"m * 2"}])j";
  world.check({.type = "AWS::CloudWatch::Alarm",
               .properties = R"({"ComparisonOperator":"GreaterThanThreshold","EvaluationPeriods":1,"Threshold":1,)" +
                             query + "}",
               .made = {{"cloudwatch", "DescribeAlarms", "{}",
                         R"({"MetricAlarms":[{"AlarmName":"{ID}","Metrics":[{"Id":"m"},{"Id":"e"}]}]})"}},
               .gone = {"cloudwatch", "DescribeAlarms", "{}", R"({"MetricAlarms":[]})"}});
  const std::string composites = R"({"AlarmTypes":["CompositeAlarm"]})";
  world.check({.type = "AWS::CloudWatch::CompositeAlarm",
               .properties = R"({"AlarmRule":"TRUE","AlarmDescription":"d"})",
               .attributes = R"({"Arn":"arn:aws:cloudwatch:us-east-1:000000000000:alarm:{ID}"})",
               .made = {{"cloudwatch", "DescribeAlarms", composites,
                         R"({"CompositeAlarms":[{"AlarmName":"{ID}","AlarmRule":"TRUE","AlarmDescription":"d"}]})"}},
               .updated = R"({"AlarmRule":"FALSE","Tags":[{"Key":"a","Value":"b"}]})",
               .changed = {{"cloudwatch", "DescribeAlarms", composites,
                            R"({"CompositeAlarms":[{"AlarmRule":"FALSE","AlarmDescription":null}]})"}},
               .gone = {"cloudwatch", "DescribeAlarms", composites, R"({"CompositeAlarms":[]})"}});
  world.check({.type = "AWS::CloudWatch::Dashboard",
               .properties = R"j({"DashboardBody":"{\"widgets\":[]}"})j",
               .made = {{"cloudwatch", "GetDashboard", R"({"DashboardName":"{ID}"})",
                         R"j({"DashboardBody":"{\"widgets\":[]}"})j"}},
               .updated = R"j({"DashboardBody":"{\"widgets\":[],\"start\":\"-PT1H\"}"})j",
               .changed = {{"cloudwatch", "GetDashboard", R"({"DashboardName":"{ID}"})",
                            R"j({"DashboardBody":"{\"widgets\":[],\"start\":\"-PT1H\"}"})j"}},
               .gone = {"cloudwatch", "ListDashboards", "{}", R"({"DashboardEntries":[]})"}});
}

TEST(ServiceTypes, MakeSubscriptionFiltersAndQueryDefinitions) {
  World world;
  world.tell("logs", "CreateLogGroup", R"({"LogGroupName":"g"})");
  world.tell("kinesis", "CreateStream", R"({"StreamName":"d","ShardCount":1})");
  const std::string common = R"("LogGroupName":"g","RoleArn":"arn:aws:iam::000000000000:role/r",)"
                             R"("DestinationArn":"arn:aws:kinesis:us-east-1:000000000000:stream/d")";
  world.check({.type = "AWS::Logs::SubscriptionFilter",
               .properties = "{" + common + R"(,"FilterPattern":"ERROR"})",
               .made = {{"logs", "DescribeSubscriptionFilters", R"({"LogGroupName":"g"})",
                         R"({"SubscriptionFilters":[{"FilterName":"{ID}","FilterPattern":"ERROR"}]})"}},
               .updated = "{" + common + R"(,"FilterPattern":"WARN","Distribution":"Random"})",
               .changed = {{"logs", "DescribeSubscriptionFilters", R"({"LogGroupName":"g"})",
                            R"({"SubscriptionFilters":[{"FilterPattern":"WARN","Distribution":"Random"}]})"}},
               .gone = {"logs", "DescribeSubscriptionFilters", R"({"LogGroupName":"g"})",
                        R"({"SubscriptionFilters":[]})"}});
  world.check({.type = "AWS::Logs::QueryDefinition",
               .properties = R"({"Name":"errors","QueryString":"fields @message","LogGroupNames":["g"]})",
               .attributes = R"({"QueryDefinitionId":"{ID}"})",
               .made = {{"logs", "DescribeQueryDefinitions", "{}",
                         R"({"QueryDefinitions":[{"QueryDefinitionId":"{ID}","Name":"errors"}]})"}},
               .updated = R"({"Name":"all","QueryString":"fields @message"})",
               .changed = {{"logs", "DescribeQueryDefinitions", "{}",
                            R"({"QueryDefinitions":[{"Name":"all","LogGroupNames":null}]})"}},
               .gone = {"logs", "DescribeQueryDefinitions", "{}", R"({"QueryDefinitions":[]})"}});
  world.check({.type = "AWS::Logs::ResourcePolicy",
               .properties = R"j({"PolicyName":"events","PolicyDocument":"{\"Statement\":[]}"})j",
               .made = {{"logs", "DescribeResourcePolicies", "{}",
                         R"j({"ResourcePolicies":[{"PolicyName":"{ID}","PolicyDocument":"{\"Statement\":[]}"}]})j"}},
               .updated = R"({"PolicyName":"events","PolicyDocument":{"Version":"2012-10-17","Statement":[]}})",
               .changed = {{"logs", "DescribeResourcePolicies", "{}",
                            R"j({"ResourcePolicies":[{"PolicyDocument":"{\"Version\":\"2012-10-17\",\"Statement\":[]}"}]})j"}},
               .gone = {"logs", "DescribeResourcePolicies", "{}", R"({"ResourcePolicies":[]})"}});
}

TEST(ServiceTypes, MakeAndRemoveDatastores) {
  World world;
  world.check({.type = "AWS::HealthLake::FHIRDatastore",
               .properties = R"({"DatastoreTypeVersion":"R4","DatastoreName":"d"})",
               .attributes = R"({"DatastoreId":"{ID}","DatastoreStatus":"ACTIVE"})",
               .updated = R"({"DatastoreTypeVersion":"R4","DatastoreName":"d","Tags":[{"Key":"a","Value":"b"}]})"});
}

TEST(ServiceTypes, MakeGlobalTablesOfOneRegion) {
  World world;
  const std::string common = R"("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)"
                             R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)"
                             R"("BillingMode":"PAY_PER_REQUEST")";
  world.check(
      {.type = "AWS::DynamoDB::GlobalTable",
       .properties =
           "{" + common +
           R"(,"Replicas":[{"Region":"us-east-1",)"
           R"("PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}]})",
       .attributes = R"({"Arn":"arn:aws:dynamodb:us-east-1:000000000000:table/{ID}"})",
       .made =
           {{"dynamodb", "DescribeContinuousBackups", R"({"TableName":"{ID}"})",
             R"({"ContinuousBackupsDescription":{"PointInTimeRecoveryDescription":)"
                 R"({"PointInTimeRecoveryStatus":"ENABLED"}}})"}},
       .updated = "{" + common +
                  R"(,"Replicas":[{"Region":"us-east-1","TableClass":"STANDARD_INFREQUENT_ACCESS",)"
                  R"("Tags":[{"Key":"a","Value":"b"}]}]})",
       .changed = {{"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})",
                    R"({"Table":{"TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"}}})"}},
       .gone = {"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})", "ResourceNotFoundException"}});
  EXPECT_EQ(world.create("AWS::DynamoDB::GlobalTable", "{" + common + R"(,"Replicas":[{"Region":"eu-west-1"}]})"),
            "Replicas: there is none in the stack's region us-east-1.");
  EXPECT_EQ(world.create("AWS::DynamoDB::GlobalTable",
                         "{" + common + R"(,"Replicas":[{"Region":"us-east-1"},{"Region":"us-east-1"}]})"),
            "Replicas: there are two in us-east-1.");
  EXPECT_EQ(world.create("AWS::DynamoDB::GlobalTable",
                         "{" + common + R"(,"MultiRegionConsistency":"STRONG","Replicas":[{"Region":"us-east-1"}]})"),
            "MultiRegionConsistency: Tidemill does not support STRONG.");
}

TEST(ServiceTypes, MakeGlobalTablesOfSeveralRegions) {
  World world;
  const std::string common = R"("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)"
                             R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)"
                             R"("StreamSpecification":{"StreamViewType":"NEW_AND_OLD_IMAGES"},)"
                             R"("BillingMode":"PAY_PER_REQUEST")";
  const std::string here = R"({"Region":"us-east-1"})";
  world.check(
      {.type = "AWS::DynamoDB::GlobalTable",
       .properties = "{" + common + R"(,"Replicas":[)" + here + R"(,{"Region":"eu-west-1","TableClass":"STANDARD"}]})",
       .made = {{"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})",
                 R"({"Table":{"GlobalTableVersion":"2019.11.21","Replicas":[{"RegionName":"eu-west-1",)"
                 R"("ReplicaStatus":"ACTIVE","ReplicaTableClassSummary":{"TableClass":"STANDARD"}}]}})"}},
       .updated = "{" + common + R"(,"Replicas":[{"Region":"eu-west-1","TableClass":"STANDARD_INFREQUENT_ACCESS",)"
                  R"("Tags":[{"Key":"a","Value":"b"}],"ReadOnDemandThroughputSettings":{"MaxReadRequestUnits":5}},)" +
                  here + R"(,{"Region":"eu-west-2","PointInTimeRecoverySpecification":)"
                  R"({"PointInTimeRecoveryEnabled":true}}]})",
       .changed = {{"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})",
                    R"({"Table":{"Replicas":[{"RegionName":"eu-west-1",)"
                    R"("OnDemandThroughputOverride":{"MaxReadRequestUnits":5},)"
                    R"("ReplicaTableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"}},)"
                    R"({"RegionName":"eu-west-2","ReplicaStatus":"ACTIVE"}]}})"}},
       .gone = {"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})", "ResourceNotFoundException"}});
  EXPECT_THAT(world.create("AWS::DynamoDB::GlobalTable",
                           "{" + common + R"(,"Replicas":[)" + here +
                               R"(,{"Region":"eu-west-1","GlobalSecondaryIndexes":[{"IndexName":"i",)"
                               R"("ReadOnDemandThroughputSettings":{"MaxReadRequestUnits":5}}]}]})"),
              ::testing::HasSubstr("ReadOnDemandThroughputSettings"));
}

// What is refused for a malformed name never was there: neither the removal nor the way back stumbles over it.
TEST(ServiceTypes, GoBackFromNamesThatAreMalformed) {
  World world;
  struct Malformed {
    std::string type;
    std::string before;
    std::string after;      // differs by what is malformed
    bool half_made = true;  // a creation of it is refused when a part stands
  };
  const auto policy_of = [](const std::string& action) {
    return R"("PolicyDocument":{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":")" +
           action + R"(","Resource":"*"}]})";
  };
  const std::string policy = policy_of("sns:Publish"), queue_policy = policy_of("sqs:*");
  const std::string schedule = R"j("Name":"s","ScheduleExpression":"rate(1 hour)",)j"
                               R"j("FlexibleTimeWindow":{"Mode":"OFF"},)j"
                               R"j("Target":{"Arn":"arn:aws:sqs:us-east-1:000000000000:q",)j"
                               R"j("RoleArn":"arn:aws:iam::000000000000:role/r"})j";
  const std::string rule = R"("Name":"r","EventPattern":{"source":["x"]})";
  const std::string target = R"("Arn":"arn:aws:sqs:us-east-1:000000000000:q")";
  world.tell("sns", "CreateTopic", R"({"Name":"t"})");
  world.tell("sqs", "CreateQueue", R"({"QueueName":"q"})");
  const std::string topic = R"("arn:aws:sns:us-east-1:000000000000:t")";
  const std::string table = R"("TableName":"global","BillingMode":"PAY_PER_REQUEST",)"
                            R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],)"
                            R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)";
  const std::string alarm = R"("AlarmName":"tagged","Namespace":"n","MetricName":"m","Statistic":"Sum","Period":60,)"
                            R"("EvaluationPeriods":1,"Threshold":1,"ComparisonOperator":"GreaterThanThreshold")";
  const std::string reserved = R"("Tags":[{"Key":"aws:a","Value":"v"},{"Key":"b","Value":"v"}])";
  const std::vector<Malformed> all = {
      {"AWS::SNS::Topic", R"("TopicName":"n")",
       R"("TopicName":"n","DeliveryStatusLogging":[{"Protocol":"mail","SuccessFeedbackSampleRate":"1"}])", false},
      {"AWS::DynamoDB::GlobalTable", table + R"("Replicas":[{"Region":"us-east-1"}])",
       table + R"("Replicas":[{"Region":"eu-west-1"}])", false},
      {"AWS::SNS::TopicPolicy", R"("Topics":[)" + topic + "]," + policy,
       R"("Topics":[)" + topic + R"(,"t"],)" + policy},
      {"AWS::SNS::TopicPolicy", R"("Topics":[)" + topic + "]," + policy,
       R"("Topics":["arn:aws:sns:eu-west-1:000000000000:t"],)" + policy},
      {"AWS::SQS::QueuePolicy", R"("Queues":["q"],)" + queue_policy, R"("Queues":["q",""],)" + queue_policy},
      {"AWS::SQS::QueuePolicy", R"("Queues":["q"],)" + queue_policy, R"("Queues":["no name"],)" + queue_policy},
      {"AWS::Events::Rule", rule, rule + R"(,"Targets":[{"Id":"no id",)" + target + "}]"},
      {"AWS::Events::Rule", rule + R"(,"Targets":[{"Id":"good",)" + target + "}]",
       rule + R"(,"Targets":[{"Id":"good","Arn":"queue"},{"Id":"",)" + target + "}]"},
      {"AWS::Scheduler::Schedule", schedule, schedule + R"(,"GroupName":"no name")", false},
      {"AWS::Kinesis::Stream", R"("Name":"d","ShardCount":1)",
       R"("Name":"d","ShardCount":1,"DesiredShardLevelMetrics":["Bogus"])"},
      {"AWS::Kinesis::Stream", R"("Name":"d","ShardCount":1)",
       R"("Name":"d","ShardCount":1,"StreamEncryption":{"EncryptionType":"KMS","KeyId":""})"},
      {"AWS::Kinesis::Stream", R"("Name":"d","ShardCount":1)",
       R"("Name":"d","ShardCount":1,"StreamEncryption":{"EncryptionType":"NONE","KeyId":"k"})"},
      {"AWS::Kinesis::Stream", R"("Name":"d","ShardCount":1)",
       R"("Name":"d","ShardCount":1,"Tags":[{"Key":"","Value":"v"}])", false},
      {"AWS::Logs::LogGroup", R"("LogGroupName":"g")", R"("LogGroupName":"g","Tags":[{"Key":"","Value":"v"}])", false},
      {"AWS::Events::EventBus", R"("Name":"b")", R"("Name":"b","Tags":[{"Key":"","Value":"v"}])", false},
      {"AWS::SSM::Parameter", R"("Name":"p","Type":"String","Value":"v")",
       R"("Name":"p","Type":"String","Value":"v","Tags":{"":"v"})", false},
      {"AWS::SSM::Parameter", R"("Name":"p","Type":"String","Value":"v")",
       R"("Name":"p","Type":"String","Value":"v","Tags":{"a!":"v"})", false},
      {"AWS::SSM::Parameter", R"("Name":"p","Type":"String","Value":"v")",
       R"("Name":"p","Type":"String","Value":"v","Tags":{"aws:a":"v"})", false},
      {"AWS::SQS::Queue", R"("QueueName":"tagged")", R"("QueueName":"tagged",)" + reserved, false},
      {"AWS::SQS::Queue", R"("QueueName":"tagged")",
       R"("QueueName":"tagged","Tags":[{"Key":")" + std::string(129, 'k') + R"(","Value":"v"}])", false},
      {"AWS::SNS::Topic", R"("TopicName":"tagged")", R"("TopicName":"tagged",)" + reserved, false},
      {"AWS::Events::EventBus", R"("Name":"tagged")", R"("Name":"tagged",)" + reserved, false},
      {"AWS::Events::Rule", rule, rule + "," + reserved, false},
      {"AWS::Scheduler::ScheduleGroup", R"("Name":"tagged")", R"("Name":"tagged",)" + reserved, false},
      {"AWS::StepFunctions::Activity", R"("Name":"tagged")", R"("Name":"tagged",)" + reserved, false},
      {"AWS::CloudWatch::Alarm", alarm, alarm + "," + reserved, false}};
  for (const Malformed& one : all) {
    SCOPED_TRACE(one.type + " " + one.after);
    const ResourceType& type = *find_type(one.type);
    const auto checked = [&](const std::string& members) {
      return checked_properties(type, "It", json::parse("{" + members + "}")->object());
    };
    const json::Object before = checked(one.before), after = checked(one.after);
    auto making = world.step(type.name, 1, false);
    if (one.half_made) {
      EXPECT_THROW((void)world.finish(type.create(making, after)), wire::Error);
      ASSERT_NE(making.made_id, "");
      EXPECT_NO_THROW(world.finish(World::done(type.remove(making, making.made_id, after))));
    }
    auto changing = world.step(type.name, 2, false);
    const std::string id = world.finish(type.create(changing, before));
    EXPECT_ANY_THROW((void)world.finish(type.update(changing, id, before, after)));
    EXPECT_NO_THROW((void)world.finish(type.update(changing, id, after, before)));
    EXPECT_NO_THROW(world.finish(World::done(type.remove(changing, id, before))));
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
