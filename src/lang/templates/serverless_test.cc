// The transform AWS::Serverless-2016-10-31: what its resources stand for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lang/templates/parse.h"
#include "lang/templates/transform.h"

namespace tidemill::lang::templates {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

json::Value processed(const std::string& text) {
  const json::Value document = parse("Transform: AWS::Serverless-2016-10-31\n" + text);
  const Inputs inputs{.pseudo = {.account_id = "123456789012", .region = "us-east-1"},
                      .parameters = resolve_parameters(Template::of_original(document).parameters(), {})};
  json::Value out = transform(document, inputs, {});
  const Template readable(out);  // throws if what came is no template
  return out;
}

std::string refusal(const std::string& text) {
  try {
    (void)processed(text);
  } catch (const TemplateError& error) {
    return error.what();
  }
  return "";
}

// The JSON of what a path of names and numbers leads to.
std::string at(const json::Value& document, const std::vector<std::string>& path) {
  const json::Value* value = &document;
  for (const std::string& name : path) {
    value = value->is_array() ? &value->array().at(std::stoul(name)) : value->find(name);
    if (value == nullptr) return "nothing at " + name;
  }
  return json::write(*value);
}

std::vector<std::string> resources_of(const json::Value& document) {
  std::vector<std::string> found;
  for (const auto& [id, resource] : document.find("Resources")->object())
    found.push_back(id + " " + resource.find("Type")->string());
  return found;
}

constexpr const char* kFunction = R"(
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: index.handler
      Runtime: nodejs22.x
      CodeUri: s3://code/key
)";

TEST(Serverless, FunctionGetsARole) {
  const json::Value out = processed(kFunction);
  EXPECT_THAT(resources_of(out), ElementsAre("F AWS::Lambda::Function", "FRole AWS::IAM::Role"));
  EXPECT_EQ(at(out, {"Resources", "F", "Properties"}),
            R"({"Code":{"S3Bucket":"code","S3Key":"key"},"Handler":"index.handler","Runtime":"nodejs22.x",)"
            R"("Tags":[{"Key":"lambda:createdBy","Value":"SAM"}],"Role":{"Fn::GetAtt":["FRole","Arn"]}})");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties"}),
            R"({"AssumeRolePolicyDocument":{"Version":"2012-10-17","Statement":[{"Action":["sts:AssumeRole"],)"
            R"("Effect":"Allow",)"
            R"("Principal":{"Service":["lambda.amazonaws.com"]}}]},)"
            R"("ManagedPolicyArns":[{"Fn::Sub":)"
            R"("arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"}],)"
            R"("Tags":[{"Key":"lambda:createdBy","Value":"SAM"}]})");
  EXPECT_EQ(out.find("Transform"), nullptr);
}

TEST(Serverless, FunctionTakesItsRoleCodeAndAttributesAsTheyAre) {
  const json::Value out = processed(R"(
Parameters: {Code: {Type: String, Default: "s3://b/k?versionId=v"}, Role: {Type: String, Default: r}}
Conditions: {C: !Equals [!Ref Role, r]}
Resources:
  F:
    Type: AWS::Serverless::Function
    Condition: C
    DependsOn: G
    Metadata: {m: 1}
    Properties:
      Role: !Ref Role
      CodeUri: !Ref Code
      Tracing: Active
      Tags: {a: b}
      DeadLetterQueue: {Type: SQS, TargetArn: arn}
  G:
    Type: AWS::Serverless::Function
    Properties: {InlineCode: "code", Runtime: python3.11, Handler: index.f}
)");
  EXPECT_EQ(
      at(out, {"Resources", "F"}),
      R"({"Type":"AWS::Lambda::Function","Condition":"C","DependsOn":"G","Metadata":{"m":1},"Properties":)"
      R"({"Code":{"S3Bucket":"b","S3Key":"k","S3ObjectVersion":"v"},)"
      R"("Tags":[{"Key":"lambda:createdBy","Value":"SAM"},{"Key":"a","Value":"b"}],"TracingConfig":{"Mode":"Active"},)"
      R"("DeadLetterConfig":{"TargetArn":"arn"},"Role":{"Ref":"Role"}}})");
  EXPECT_EQ(at(out, {"Resources", "G", "Properties", "Code"}), R"({"ZipFile":"code"})");
  EXPECT_THAT(resources_of(out),
              ElementsAre("F AWS::Lambda::Function", "G AWS::Lambda::Function", "GRole AWS::IAM::Role"));
}

TEST(Serverless, PoliciesOfAllKindsGoToTheRole) {
  const json::Value out = processed(std::string(kFunction) + R"(
      Policies:
        - AWSLambdaSQSQueueExecutionRole
        - AmazonDynamoDBReadOnlyAccess
        - !Sub arn:${AWS::Partition}:iam::aws:policy/X
        - Statement: [{Effect: Allow, Action: "s3:*", Resource: "*"}]
        - DynamoDBReadPolicy: {TableName: !Ref T}
        - CloudWatchPutMetricPolicy: {}
  T: {Type: AWS::Serverless::SimpleTable}
)");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "ManagedPolicyArns"}),
            R"([{"Fn::Sub":"arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"},)"
            R"({"Fn::Sub":"arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole"},)"
            R"({"Fn::Sub":"arn:${AWS::Partition}:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"},)"
            R"({"Fn::Sub":"arn:${AWS::Partition}:iam::aws:policy/X"}])");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "Policies", "0"}),
            R"({"PolicyName":"FRolePolicy3","PolicyDocument":{"Statement":[{"Effect":"Allow","Action":"s3:*",)"
            R"("Resource":"*"}]}})");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "Policies", "1", "PolicyName"}), R"("FRolePolicy4")");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "Policies", "1", "PolicyDocument", "Statement", "0",
                     "Resource", "0"}),
            R"({"Fn::Sub":["arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${TableName}",)"
            R"({"TableName":{"Ref":"T"}}]})");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "Policies", "2", "PolicyDocument", "Statement", "0"}),
            R"({"Effect":"Allow","Action":["cloudwatch:PutMetricData"],"Resource":"*"})");
}

TEST(Serverless, PoliciesMayDependOnConditions) {
  const json::Value out = processed("Conditions: {C: !Equals [a, a]}\n" + std::string(kFunction) + R"(
      Policies:
        - !If [C, AmazonS3FullAccess, "arn:aws:iam::aws:policy/X"]
        - !If [C, {CloudWatchPutMetricPolicy: {}}, !Ref AWS::NoValue]
        - !If [C, {Statement: [a]}, !If [C, {Statement: [b]}, !Ref AWS::NoValue]]
        - !If [C, !Ref AWS::NoValue, AWSLambdaSQSQueueExecutionRole]
)");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "ManagedPolicyArns", "1"}),
            R"({"Fn::If":["C",{"Fn::Sub":"arn:${AWS::Partition}:iam::aws:policy/AmazonS3FullAccess"},)"
            R"("arn:aws:iam::aws:policy/X"]})");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "ManagedPolicyArns", "2"}),
            R"({"Fn::If":["C",{"Ref":"AWS::NoValue"},)"
            R"({"Fn::Sub":"arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole"}]})");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "Policies", "0"}),
            R"({"Fn::If":["C",{"PolicyName":"FRolePolicy1","PolicyDocument":{"Version":"2012-10-17","Statement":[)"
            R"({"Effect":"Allow","Action":["cloudwatch:PutMetricData"],"Resource":"*"}]}},{"Ref":"AWS::NoValue"}]})");
  EXPECT_EQ(at(out, {"Resources", "FRole", "Properties", "Policies", "1"}),
            R"({"Fn::If":["C",{"PolicyName":"FRolePolicy2","PolicyDocument":{"Statement":["a"]}},{"Fn::If":["C",)"
            R"({"PolicyName":"FRolePolicy2","PolicyDocument":{"Statement":["b"]}},{"Ref":"AWS::NoValue"}]}]})");
  EXPECT_THAT(refusal("Conditions: {C: !Equals [a, a]}\n" + std::string(kFunction) +
                      "      Policies: [!If [C, AmazonS3FullAccess, {CloudWatchPutMetricPolicy: {}}]]\n"),
              HasSubstr("Different policy types within the same Fn::If statement is unsupported."));
}

TEST(Serverless, AliasPublishesAVersionPerCode) {
  const std::string alias = std::string(kFunction) + "      AutoPublishAlias: live\n";
  const json::Value out = processed(alias + R"(
Outputs: {V: {Value: !Ref F.Version}, A: {Value: !Sub "${F.Alias}/${F}/${F.Arn}"}})");
  const auto resources = resources_of(out);
  ASSERT_EQ(resources.size(), 4U);
  const std::string version = resources[1].substr(0, resources[1].find(' '));
  EXPECT_THAT(version, testing::MatchesRegex("FVersion[0-9a-f]+"));
  EXPECT_EQ(version.size(), std::string("FVersion").size() + 10);
  EXPECT_EQ(at(out, {"Resources", version}),
            R"({"Type":"AWS::Lambda::Version","Properties":{"FunctionName":{"Ref":"F"}},"DeletionPolicy":"Retain"})");
  EXPECT_EQ(at(out, {"Resources", "FAliaslive", "Properties"}),
            R"({"Name":"live","FunctionName":{"Ref":"F"},"FunctionVersion":{"Fn::GetAtt":[")" + version +
                R"(","Version"]}})");
  EXPECT_EQ(at(out, {"Outputs", "V", "Value"}), R"({"Ref":")" + version + "\"}");
  EXPECT_EQ(at(out, {"Outputs", "A", "Value"}), R"({"Fn::Sub":"${FAliaslive}/${F}/${F.Arn}"})");
  // The same code is the same version; another is another.
  EXPECT_EQ(resources_of(processed(alias + "      Timeout: 9\n")), resources);
  std::string other = alias;
  other.replace(other.find("s3://code/key"), 13, "s3://code/new");
  EXPECT_NE(resources_of(processed(other)), resources);
}

// The name of the only version.
std::string version_of(const std::string& text) {
  for (const std::string& each : resources_of(processed(text))) {
    if (each.ends_with(" AWS::Lambda::Version")) return each.substr(0, each.find(' '));
  }
  return "";
}

TEST(Serverless, ConfigurationThatCodeRunsWithPublishesAVersionToo) {
  const std::string parameter = "Parameters: {P: {Type: String, Default: one}}\n";
  const std::string alias = std::string(kFunction) + "      AutoPublishAlias: live\n";
  const std::string bare = version_of(alias);
  EXPECT_EQ(version_of(alias + "      SnapStart: {ApplyOn: None}\n"), bare);
  EXPECT_EQ(version_of(alias + "      Description: other\n"), bare);
  const std::string environment = "      Environment: {Variables: {A: !Ref P, B: !Ref Q}}\n";
  std::set<std::string> versions{bare};
  for (const std::string& set :
       {std::string("      MemorySize: 256\n"), std::string("      MemorySize: 512\n"),
        std::string("      SnapStart: {ApplyOn: PublishedVersions}\n"), environment}) {
    EXPECT_TRUE(versions.insert(version_of(parameter + alias + set + "  Q: {Type: AWS::SQS::Queue}\n")).second) << set;
  }
  std::string changed = parameter;
  changed.replace(changed.find("one"), 3, "two");
  EXPECT_TRUE(versions.insert(version_of(changed + alias + environment + "  Q: {Type: AWS::SQS::Queue}\n")).second)
      << "another value of a parameter";
  // Whoever tells the version by a digest of his own wants no other.
  const std::string digest = alias + "      AutoPublishCodeSha256: 6b86b273ff34fce19d6b804eff5a3f57\n";
  EXPECT_EQ(version_of(digest), "FVersion6b86b273ff");
  EXPECT_EQ(version_of(digest + "      MemorySize: 256\n"), "FVersion6b86b273ff");
  EXPECT_EQ(version_of(digest + "      AutoPublishAliasAllProperties: true\n"), "FVersion6b86b273ff");
}

TEST(Serverless, UrlsAndInvokeConfigsAreOfTheAlias) {
  const json::Value out = processed(std::string(kFunction) + R"(
      AutoPublishAlias: live
      FunctionUrlConfig: {AuthType: NONE, Cors: {AllowOrigins: ["*"]}}
      EventInvokeConfig: {MaximumRetryAttempts: 1, DestinationConfig: {OnFailure: {Type: SQS}}}
)");
  EXPECT_EQ(at(out, {"Resources", "FUrl"}),
            R"({"Type":"AWS::Lambda::Url","Properties":{"TargetFunctionArn":{"Ref":"F"},"AuthType":"NONE",)"
            R"("Cors":{"AllowOrigins":["*"]},"Qualifier":"live"},"DependsOn":["FAliaslive"]})");
  EXPECT_EQ(at(out, {"Resources", "FUrlPublicPermissions", "Properties"}),
            R"({"Action":"lambda:InvokeFunctionUrl","FunctionName":{"Ref":"FAliaslive"},"Principal":"*",)"
            R"("FunctionUrlAuthType":"NONE"})");
  EXPECT_EQ(at(out, {"Resources", "FEventInvokeConfig", "Properties"}),
            R"({"FunctionName":{"Ref":"F"},"Qualifier":"live","MaximumRetryAttempts":1,"DestinationConfig":)"
            R"({"OnFailure":{"Destination":{"Fn::GetAtt":["FEventInvokeConfigOnFailureQueue","Arn"]}}}})");
  EXPECT_EQ(
      at(out, {"Resources", "FRole", "Properties", "Policies", "0", "PolicyDocument", "Statement", "0", "Action"}),
      R"("sqs:SendMessage")");
}

TEST(Serverless, EventsAreMappingsSubscriptionsRulesAndSchedules) {
  const json::Value out = processed(std::string(kFunction) + R"(
      Events:
        Q: {Type: SQS, Properties: {Queue: arn:q, BatchSize: 5, FunctionResponseTypes: [ReportBatchItemFailures]}}
        K:
          Type: Kinesis
          Properties:
            Stream: arn:k
            StartingPosition: LATEST
            DestinationConfig: {OnFailure: {Type: SQS, Destination: arn:d}}
        D: {Type: DynamoDB, Properties: {Stream: !GetAtt T.StreamArn, StartingPosition: TRIM_HORIZON}}
        N: {Type: SNS, Properties: {Topic: arn:t, FilterPolicy: {a: [b]}}}
        S: {Type: SNS, Properties: {Topic: arn:t, SqsSubscription: true}}
        B:
          Type: S3
          Properties:
            Bucket: !Ref Bucket
            Events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]
            Filter: {S3Key: {Rules: []}}
        R: {Type: Schedule, Properties: {Schedule: rate(1 minute), Enabled: false, Input: "{}"}}
        E:
          Type: EventBridgeRule
          Properties: {Pattern: {source: [a]}, EventBusName: bus, DeadLetterConfig: {Type: SQS}}
        V: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 hour)}}
        L: {Type: CloudWatchLogs, Properties: {LogGroupName: !Ref G, FilterPattern: ERROR}}
  T: {Type: AWS::DynamoDB::Table}
  G: {Type: AWS::Logs::LogGroup}
  Bucket: {Type: AWS::S3::Bucket}
)");
  EXPECT_EQ(at(out, {"Resources", "FQ", "Properties"}),
            R"({"EventSourceArn":"arn:q","FunctionName":{"Ref":"F"},"BatchSize":5,)"
            R"("FunctionResponseTypes":["ReportBatchItemFailures"]})");
  EXPECT_EQ(at(out, {"Resources", "FK", "Properties"}), R"({"EventSourceArn":"arn:k","StartingPosition":"LATEST",)"
                                                        R"("DestinationConfig":{"OnFailure":{"Destination":"arn:d"}},)"
                                                        R"("FunctionName":{"Ref":"F"}})");
  EXPECT_EQ(at(out, {"Resources", "FD", "Properties", "EventSourceArn"}), R"({"Fn::GetAtt":["T","StreamArn"]})");
  EXPECT_EQ(
      at(out, {"Resources", "FN", "Properties"}),
      R"({"TopicArn":"arn:t","FilterPolicy":{"a":["b"]},"Protocol":"lambda","Endpoint":{"Fn::GetAtt":["F","Arn"]}})");
  EXPECT_EQ(at(out, {"Resources", "FNPermission", "Properties"}),
            R"({"Action":"lambda:InvokeFunction","FunctionName":{"Ref":"F"},"Principal":"sns.amazonaws.com",)"
            R"("SourceArn":"arn:t"})");
  EXPECT_EQ(at(out, {"Resources", "FS", "Properties"}),
            R"({"TopicArn":"arn:t","Protocol":"sqs","Endpoint":{"Fn::GetAtt":["FSQueue","Arn"]}})");
  EXPECT_EQ(at(out, {"Resources", "FSEventSourceMapping", "Properties", "EventSourceArn"}),
            R"({"Fn::GetAtt":["FSQueue","Arn"]})");
  EXPECT_EQ(
      at(out, {"Resources", "Bucket"}),
      R"({"Type":"AWS::S3::Bucket","Properties":{"NotificationConfiguration":{"LambdaConfigurations":[)"
      R"({"Event":"s3:ObjectCreated:*","Function":{"Fn::GetAtt":["F","Arn"]},"Filter":{"S3Key":{"Rules":[]}}},)"
      R"({"Event":"s3:ObjectRemoved:*","Function":{"Fn::GetAtt":["F","Arn"]},"Filter":{"S3Key":{"Rules":[]}}}]}},)"
      R"("DependsOn":["FBPermission"]})");
  EXPECT_EQ(at(out, {"Resources", "FBPermission", "Properties", "SourceAccount"}), R"({"Ref":"AWS::AccountId"})");
  EXPECT_EQ(
      at(out, {"Resources", "FR", "Properties"}),
      R"j({"ScheduleExpression":"rate(1 minute)","State":"DISABLED","Targets":[{"Arn":{"Fn::GetAtt":["F","Arn"]},)j"
      R"("Id":"FRLambdaTarget","Input":"{}"}]})");
  EXPECT_EQ(at(out, {"Resources", "FRPermission", "Properties", "SourceArn"}), R"({"Fn::GetAtt":["FR","Arn"]})");
  EXPECT_EQ(at(out, {"Resources", "FE", "Properties", "Targets", "0", "DeadLetterConfig"}),
            R"({"Arn":{"Fn::GetAtt":["FEQueue","Arn"]}})");
  EXPECT_EQ(at(out, {"Resources", "FV", "Properties"}),
            R"j({"Name":"FV","ScheduleExpression":"rate(1 hour)","FlexibleTimeWindow":{"Mode":"OFF"},)j"
            R"("Target":{"Arn":{"Fn::GetAtt":["F","Arn"]},"RoleArn":{"Fn::GetAtt":["FVRole","Arn"]}}})");
  EXPECT_EQ(at(out, {"Resources", "FL", "Properties", "DestinationArn"}), R"({"Fn::GetAtt":["F","Arn"]})");
  const std::string managed = at(out, {"Resources", "FRole", "Properties", "ManagedPolicyArns"});
  for (const char* role : {"SQSQueue", "Kinesis", "DynamoDB"}) {
    EXPECT_THAT(managed, HasSubstr("service-role/AWSLambda" + std::string(role) + "ExecutionRole"));
  }
}

// Or a function that is retained would be left without its role.
TEST(Serverless, WhatBecomesOfAFunctionBecomesOfAllThatItStandsFor) {
  const json::Value out = processed(R"(
Resources:
  F:
    Type: AWS::Serverless::Function
    DeletionPolicy: Delete
    UpdateReplacePolicy: Retain
    Properties:
      InlineCode: x
      AutoPublishAlias: live
      VersionDeletionPolicy: Retain
      FunctionUrlConfig: {AuthType: NONE}
      Events: {Q: {Type: SQS, Properties: {Queue: arn:q}}, N: {Type: SNS, Properties: {Topic: t, SqsSubscription: true}}}
  L: {Type: AWS::Serverless::LayerVersion, DeletionPolicy: Delete, Properties: {ContentUri: s3://b/l}}
)");
  for (const auto& [id, resource] : out.find("Resources")->object()) {
    EXPECT_EQ(resource.find("DeletionPolicy")->string(), "Delete") << id;
    if (!id.starts_with("L")) EXPECT_EQ(resource.find("UpdateReplacePolicy")->string(), "Retain") << id;
  }
  EXPECT_EQ(at(out, {"Resources", "FURLInvokeAllowPublicAccess", "Properties"}),
            R"({"Action":"lambda:InvokeFunction","FunctionName":{"Ref":"FAliaslive"},"Principal":"*",)"
            R"("InvokedViaFunctionUrl":true})");
}

TEST(Serverless, TagsAndBoundariesReachWhatIsMade) {
  const json::Value out = processed(R"(
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      InlineCode: x
      Tags: {a: b}
      PropagateTags: true
      Events:
        N: {Type: SNS, Properties: {Topic: t, SqsSubscription: true}}
        O:
          Type: SNS
          Properties: {Topic: t, SqsSubscription: {QueueArn: arn, QueueUrl: url, QueuePolicyLogicalId: P}}
        V: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 hour)}}
  G: {Type: AWS::Serverless::Function, Properties: {InlineCode: x, Tags: {a: b}}}
  M:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition: {StartAt: A, States: {A: {Type: Succeed}}}
      Tags: {a: b}
      PermissionsBoundary: arn:b
      Events:
        S: {Type: Schedule, Properties: {Schedule: rate(1 hour)}}
        V: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 hour), PermissionsBoundary: arn:own}}
        W: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 hour)}}
)");
  const std::string tags = R"([{"Key":"a","Value":"b"}])";
  EXPECT_EQ(at(out, {"Resources", "FNQueue", "Properties", "Tags"}), tags);
  EXPECT_EQ(at(out, {"Resources", "FVRole", "Properties", "Tags"}), tags);
  EXPECT_EQ(at(out, {"Resources", "MSRole", "Properties", "Tags"}), "nothing at Tags");
  EXPECT_EQ(at(out, {"Resources", "GRole", "Properties", "Tags", "1"}), R"({"Key":"a","Value":"b"})");
  EXPECT_EQ(at(out, {"Resources", "MRole", "Properties", "Tags", "1"}), R"({"Key":"a","Value":"b"})");
  EXPECT_EQ(at(out, {"Resources", "P", "Properties", "Queues"}), R"(["url"])");
  EXPECT_EQ(at(out, {"Resources", "MRole", "Properties", "PermissionsBoundary"}), R"("arn:b")");
  EXPECT_EQ(at(out, {"Resources", "MSRole", "Properties", "PermissionsBoundary"}), R"("arn:b")");
  EXPECT_EQ(at(out, {"Resources", "MVRole", "Properties", "PermissionsBoundary"}), R"("arn:own")");
  EXPECT_EQ(at(out, {"Resources", "MWRole", "Properties", "PermissionsBoundary"}), "nothing at PermissionsBoundary");
}

TEST(Serverless, StateMachinesTablesLayersAndApplications) {
  const json::Value out = processed(R"(
Resources:
  M:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition: {StartAt: A, States: {A: {Type: Succeed}}}
      Policies: [{LambdaInvokePolicy: {FunctionName: f}}]
      Events: {E: {Type: EventBridgeRule, Properties: {Pattern: {source: [a]}}}}
  T: {Type: AWS::Serverless::SimpleTable, Properties: {PrimaryKey: {Name: k, Type: Number}, Tags: {a: b}}}
  U: {Type: AWS::Serverless::SimpleTable}
  L: {Type: AWS::Serverless::LayerVersion, Properties: {ContentUri: s3://b/l}}
  F: {Type: AWS::Serverless::Function, Properties: {InlineCode: x, Layers: [!Ref L]}}
  A: {Type: AWS::Serverless::Application, Properties: {Location: "https://s3.amazonaws.com/b/t", Parameters: {a: b}}}
)");
  EXPECT_EQ(
      at(out, {"Resources", "M", "Properties"}),
      R"({"Definition":{"StartAt":"A","States":{"A":{"Type":"Succeed"}}},"Tags":[{"Key":"stateMachine:createdBy",)"
      R"("Value":"SAM"}],)"
      R"("RoleArn":{"Fn::GetAtt":["MRole","Arn"]}})");
  EXPECT_EQ(at(out, {"Resources", "ME", "Properties", "Targets", "0"}),
            R"({"Arn":{"Ref":"M"},"Id":"MEStepFunctionsTarget","RoleArn":{"Fn::GetAtt":["MERole","Arn"]}})");
  EXPECT_EQ(at(out, {"Resources", "T", "Properties"}),
            R"({"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"N"}],"KeySchema":[{"AttributeName":"k",)"
            R"("KeyType":"HASH"}],)"
            R"("BillingMode":"PAY_PER_REQUEST","Tags":[{"Key":"a","Value":"b"}]})");
  EXPECT_EQ(at(out, {"Resources", "U", "Properties", "KeySchema"}), R"([{"AttributeName":"id","KeyType":"HASH"}])");
  EXPECT_EQ(at(out, {"Resources", "A", "Properties"}),
            R"({"TemplateURL":"https://s3.amazonaws.com/b/t","Parameters":{"a":"b"},"Tags":[{"Key":"lambda:createdBy",)"
            R"("Value":"SAM"}]})");
  std::string layer;
  for (const std::string& each : resources_of(out)) {
    if (each.ends_with(" AWS::Lambda::LayerVersion")) layer = each.substr(0, each.find(' '));
  }
  EXPECT_THAT(layer, testing::MatchesRegex("L[0-9a-f]+"));
  EXPECT_EQ(
      at(out, {"Resources", layer}),
      R"({"Type":"AWS::Lambda::LayerVersion","Properties":{"LayerName":"L","Content":{"S3Bucket":"b","S3Key":"l"}},)"
      R"("DeletionPolicy":"Retain"})");
  EXPECT_EQ(at(out, {"Resources", "F", "Properties", "Layers"}), R"([{"Ref":")" + layer + "\"}]");
}

TEST(Serverless, GlobalsAreMergedIntoResources) {
  const json::Value out = processed(R"(
Globals:
  Function: {Runtime: python3.11, Timeout: 3, Layers: [a], Environment: {Variables: {A: 1, B: 2}}}
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: {InlineCode: x, Timeout: 9, Layers: [b], Environment: {Variables: {B: 3}}}
)");
  EXPECT_EQ(at(out, {"Resources", "F", "Properties", "Runtime"}), R"("python3.11")");
  EXPECT_EQ(at(out, {"Resources", "F", "Properties", "Timeout"}), "9");
  EXPECT_EQ(at(out, {"Resources", "F", "Properties", "Layers"}), R"(["a","b"])");
  EXPECT_EQ(at(out, {"Resources", "F", "Properties", "Environment"}), R"({"Variables":{"A":1,"B":3}})");
  EXPECT_EQ(out.find("Globals"), nullptr);
}

TEST(Serverless, SaysAllThatIsWrong) {
  const std::string prefix =
      "Transform AWS::Serverless-2016-10-31 failed with: Invalid Serverless Application Specification document. "
      "Number of errors found: ";
  EXPECT_EQ(refusal(R"(
Resources:
  A: {Type: AWS::Serverless::Api}
  F: {Type: AWS::Serverless::Function, Properties: {Handler: x}}
  G: {Type: AWS::Serverless::Function, Properties: {InlineCode: x, Events: {E: {Type: HttpApi}}}}
)"),
            prefix +
                "3. Resource with id [A] is invalid. AWS::Serverless::Api is not supported."
                " Resource with id [F] is invalid. One of 'InlineCode', 'CodeUri' and 'ImageUri' is required."
                " Resource with id [G] is invalid. Event with id [GE] is invalid. events of type HttpApi are not "
                "supported.");
  const std::pair<const char*, const char*> cases[] = {
      {"Foo: 1", "property Foo not defined for resource of type AWS::Serverless::Function"},
      {"AutoPublishAlias: !GetAtt F.Arn", "'AutoPublishAlias' must be a string or a Ref to a template parameter"},
      {"DeploymentPreference: {Type: AllAtOnce}",
       "'DeploymentPreference' is not supported: there is no CodeDeploy here."},
      {"Policies: [{NoSuchPolicy: {}}]", "Policy template NoSuchPolicy is not supported."},
      {"Policies: [{S3ReadPolicy: {}}]", "Must specify valid parameter values for policy template 'S3ReadPolicy'"},
      {"Tracing: On", "Invalid tracing mode provided: On."},
      {"FunctionUrlConfig: {}", "AuthType is required to configure function property `FunctionUrlConfig`."},
      {"Events: {E: {Type: S3, Properties: {Bucket: b, Events: x}}}",
       "Event with id [FE] is invalid. S3 events must reference an S3 bucket in the same template."},
      {"Events: {E: {Type: SQS}}", "Event with id [FE] is invalid. Missing required property 'Queue'."},
      {"Events: {E: {Type: SQS, Properties: {Queue: q, Stream: s}}}",
       "Event with id [FE] is invalid. property Stream not defined for resource of type SQS"},
      {"Events: {E: {Type: Schedule, Properties: {Schedule: rate(1 hour), RoleArn: r}}}",
       "Event with id [FE] is invalid. property RoleArn not defined for resource of type Schedule"},
      {"Events: {E: {Type: EventBridgeRule, Properties: {Pattern: {}, PermissionsBoundary: b}}}",
       "Event with id [FE] is invalid. property PermissionsBoundary not defined for resource of type EventBridgeRule"},
      {"Events: {E: {Type: SNS, Properties: {Topic: t, SqsSubscription: {BatchSize: 3}}}}",
       "Event with id [FE] is invalid. No QueueARN or QueueURL provided."},
  };
  for (const auto& [property, message] : cases) {
    EXPECT_EQ(refusal(std::string(kFunction) + "      " + property + "\n"),
              prefix + "1. Resource with id [F] is invalid. " + message)
        << property;
  }
  EXPECT_EQ(refusal("Globals: {Api: {}}\nResources: {}"),
            prefix + "1. 'Globals' section is invalid. 'Api' is not supported");
  EXPECT_EQ(refusal("Globals: {Function: {FunctionName: x}}\nResources: {}"),
            prefix + "1. 'Globals' section is invalid. 'FunctionName' is not a supported property of 'Function'");
}

}  // namespace
}  // namespace tidemill::lang::templates
