// Each type of resource through the service that it speaks to. Functions and mappings, whose services run processes,
// are tested from outside (tests/test_cloudformation_types.py).
#include "base/processor_time.h"
#include "services/cloudformation/types_testing.h"

namespace tidemill::cloudformation {
namespace {

using testing::World;

TEST(Types, MakeChangeAndRemoveQueues) {
  World world;
  world.check(
      {.type = "AWS::SQS::Queue",
       .properties = R"({"DelaySeconds":"5","Tags":[{"Key":"a","Value":"1"}]})",
       .attributes = R"({"Arn":"arn:aws:sqs:us-east-1:000000000000:{NAME}","QueueName":"{NAME}"})",
       .made = {{"sqs", "GetQueueAttributes", R"({"QueueUrl":"{ID}","AttributeNames":["All"]})",
                 R"({"Attributes":{"DelaySeconds":"5","VisibilityTimeout":"30"}})"},
                {"sqs", "ListQueueTags", R"({"QueueUrl":"{ID}"})", R"({"Tags":{"a":"1","stack":"shop"}})"}},
       .updated = R"({"VisibilityTimeout":"60","Tags":[{"Key":"b","Value":"2"}]})",
       .changed = {{"sqs", "GetQueueAttributes", R"({"QueueUrl":"{ID}","AttributeNames":["All"]})",
                    R"({"Attributes":{"DelaySeconds":"0","VisibilityTimeout":"60"}})"},
                   {"sqs", "ListQueueTags", R"({"QueueUrl":"{ID}"})", R"({"Tags":{"a":null,"b":"2","stack":"shop"}})"}},
       .gone = {"sqs", "GetQueueAttributes", R"({"QueueUrl":"{ID}"})", "QueueDoesNotExist"}});
}

TEST(Types, EncryptQueuesAsBeforeOnceTheirKeyIsTakenAway) {
  World world;
  const auto looks = [](const std::string& attributes) {
    return std::vector<testing::Look>{{"sqs", "GetQueueAttributes", R"({"QueueUrl":"{ID}","AttributeNames":["All"]})",
                                       R"({"Attributes":)" + attributes + "}"}};
  };
  const std::string key = R"({"KmsMasterKeyId":"alias/mine","SqsManagedSseEnabled":"false"})";
  const std::string managed = R"({"KmsMasterKeyId":null,"SqsManagedSseEnabled":"true"})";
  world.check({.type = "AWS::SQS::Queue",
               .properties = "{}",
               .made = looks(managed),
               .updated = R"({"KmsMasterKeyId":"alias/mine"})",
               .changed = looks(key)});
  world.check({.type = "AWS::SQS::Queue",
               .properties = R"({"KmsMasterKeyId":"alias/mine","KmsDataKeyReusePeriodSeconds":60})",
               .made = looks(key),
               .updated = "{}",
               .changed = looks(managed)});
  world.check({.type = "AWS::SQS::Queue",
               .properties = R"({"KmsMasterKeyId":"alias/mine","SqsManagedSseEnabled":false})",
               .made = looks(key),
               .updated = R"({"SqsManagedSseEnabled":false})",
               .changed = looks(R"({"KmsMasterKeyId":null,"SqsManagedSseEnabled":"false"})")});
}

TEST(Types, MakePoliciesOfQueues) {
  World world;
  const std::string queue = R"("http://127.0.0.1:4566/000000000000/q")";
  const std::string policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",)"
                             R"("Principal":"*","Action":"sqs:*","Resource":"*"}]})";
  const testing::Look without{"sqs", "GetQueueAttributes", R"({"QueueUrl":)" + queue + R"(,"AttributeNames":["All"]})",
                              R"({"Attributes":{"Policy":null}})"};
  world.check({.type = "AWS::SQS::QueuePolicy",
               .before = {{"sqs", "CreateQueue", R"({"QueueName":"q"})", R"({"QueueUrl":)" + queue + "}"}},
               .properties = R"({"Queues":[)" + queue + R"(],"PolicyDocument":)" + policy + "}",
               .attributes = R"({"Id":"{ID}"})",
               .gone = without});
}

TEST(Types, MakeChangeAndRemoveTables) {
  World world;
  const std::string keys = R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)";
  const std::string attributes = R"("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},)"
                                 R"({"AttributeName":"at","AttributeType":"N"}],)";
  const std::string index = R"("GlobalSecondaryIndexes":[{"IndexName":"by-time","KeySchema":[{"AttributeName":"at",)"
                            R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}],)";
  world.check(
      {.type = "AWS::DynamoDB::Table",
       .properties = "{" + keys +
                     R"("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)"
                     R"("BillingMode":"PAY_PER_REQUEST",)"
                     R"("TimeToLiveSpecification":{"AttributeName":"ttl",)"
                     R"("Enabled":"true"},"StreamSpecification":{"StreamViewType":"NEW_IMAGE"}})",
       .attributes = R"({"Arn":"arn:aws:dynamodb:us-east-1:000000000000:table/{ID}"})",
       .made =
           {{"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})",
             R"({"Table":{"TableStatus":"ACTIVE","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},)"
             R"("StreamSpecification":{"StreamViewType":"NEW_IMAGE"},"GlobalSecondaryIndexes":null}})"},
            {"dynamodb", "DescribeTimeToLive", R"({"TableName":"{ID}"})",
             R"({"TimeToLiveDescription":{"AttributeName":"ttl"}})"},
            {"dynamodb", "DescribeContinuousBackups", R"({"TableName":"{ID}"})",
             R"({"ContinuousBackupsDescription":{"PointInTimeRecoveryDescription":)"
                 R"({"PointInTimeRecoveryStatus":"DISABLED"}}})"}},
       .updated = "{" + keys + attributes + index +
                  R"("BillingMode":"PAY_PER_REQUEST","DeletionProtectionEnabled":false,)"
                  R"("PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true},)"
                  R"("TimeToLiveSpecification":{"AttributeName":"ttl",)"
                  R"("Enabled":true},"StreamSpecification":{"StreamViewType":"KEYS_ONLY"},)"
                  R"("Tags":[{"Key":"a","Value":"b"}]})",
       .changed =
           {{"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})",
             R"({"Table":{"StreamSpecification":{"StreamViewType":"KEYS_ONLY"},)"
             R"("GlobalSecondaryIndexes":[{"IndexName":"by-time"}]}})"},
            {"dynamodb", "DescribeContinuousBackups", R"({"TableName":"{ID}"})",
             R"({"ContinuousBackupsDescription":{"PointInTimeRecoveryDescription":)"
                 R"({"PointInTimeRecoveryStatus":"ENABLED"}}})"}},
       .gone = {"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})", "ResourceNotFoundException"}});
}

// Properties of a table with the key "id", and of its index over "at"; `more` are members, each with a comma before it.
std::string table_of(const std::string& more, const std::string& indexes = "") {
  const std::string attribute = indexes.empty() ? "" : R"(,{"AttributeName":"at","AttributeType":"N"})";
  return R"({"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)"
         R"("AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"})" +
         attribute + "]" + (indexes.empty() ? "" : R"(,"GlobalSecondaryIndexes":[)" + indexes + "]") + more + "}";
}
std::string index_of(const std::string& name, const std::string& more = "") {
  return R"({"IndexName":")" + name + R"(","KeySchema":[{"AttributeName":"at","KeyType":"HASH"}],)" +
         R"("Projection":{"ProjectionType":"ALL"})" + more + "}";
}
const std::string kUnits = R"(,"ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6})";
const std::string kMaxima = R"(,"OnDemandThroughput":{"MaxReadRequestUnits":10,"MaxWriteRequestUnits":20})";
const std::string kProvisioned = R"(,"BillingMode":"PROVISIONED")" + kUnits;
const std::string kOnDemand = R"(,"BillingMode":"PAY_PER_REQUEST")";

std::vector<testing::Look> table_is(const std::string& members) {
  return {{"dynamodb", "DescribeTable", R"({"TableName":"{ID}"})", R"({"Table":{)" + members + "}}"}};
}

TEST(Types, ChangeTheBillingOfTablesWithTheirIndexes) {
  World world;
  const std::string on_demand = R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"})";
  world.check(
      {.type = "AWS::DynamoDB::Table",
       .properties = table_of(kOnDemand + kMaxima, index_of("by-time", kMaxima)),
       .made = table_is(on_demand + kMaxima + R"(,"GlobalSecondaryIndexes":[{"IndexName":"by-time")" + kMaxima + "}]"),
       .updated = table_of(kProvisioned),
       .changed = table_is(R"("BillingModeSummary":{"BillingMode":"PROVISIONED"},"OnDemandThroughput":null,)"
                           R"("GlobalSecondaryIndexes":null)" +
                           kUnits)});
  world.check(
      {.type = "AWS::DynamoDB::Table",
       .properties = table_of(kProvisioned),
       .made = table_is(R"("OnDemandThroughput":null,"GlobalSecondaryIndexes":null)" + kUnits),
       .updated = table_of(kOnDemand + kMaxima, index_of("by-time")),
       .changed = table_is(on_demand + kMaxima +
                           R"(,"GlobalSecondaryIndexes":[{"IndexName":"by-time","OnDemandThroughput":null}])")});
  world.check({.type = "AWS::DynamoDB::Table",
               .properties = table_of(kOnDemand, index_of("by-time", kMaxima)),
               .made = table_is(on_demand + R"(,"GlobalSecondaryIndexes":[{"IndexName":"by-time")" + kMaxima + "}]"),
               .updated = table_of(kProvisioned, index_of("by-time", kUnits)),
               .changed = table_is(R"("BillingModeSummary":{"BillingMode":"PROVISIONED"},"GlobalSecondaryIndexes":[)"
                                   R"({"IndexName":"by-time","OnDemandThroughput":null)" +
                                   kUnits + "}]" + kUnits)});
}

TEST(Types, LiftMaximaThatATemplateNoLongerHas) {
  World world;
  world.check(
      {.type = "AWS::DynamoDB::Table",
       .properties = table_of(kOnDemand + kMaxima, index_of("by-time", kMaxima)),
       .updated = table_of(kOnDemand + R"(,"OnDemandThroughput":{"MaxReadRequestUnits":10})", index_of("by-time")),
       .changed = table_is(R"("OnDemandThroughput":{"MaxReadRequestUnits":10,"MaxWriteRequestUnits":null},)"
                           R"("GlobalSecondaryIndexes":[{"IndexName":"by-time","OnDemandThroughput":null}])")});
}

TEST(Types, LeaveRaisedWarmThroughputInARollback) {
  World world;
  const ResourceType& type = *find_type("AWS::DynamoDB::Table");
  const auto warm = [](int reads, int writes) {
    return base::cat(R"(,"WarmThroughput":{"ReadUnitsPerSecond":)", reads, R"(,"WriteUnitsPerSecond":)", writes, "}");
  };
  const auto checked = [&](const std::string& table_warmth, const std::string& index_warmth) {
    const std::string properties = table_of(kOnDemand + table_warmth, index_of("by-time", index_warmth));
    return checked_properties(type, World::kLogical, json::parse(properties)->object());
  };
  const json::Object before = checked(warm(13'000, 5'000), warm(13'000, 5'000));
  const json::Object after = checked(warm(14'000, 5'000), warm(14'000, 6'000));
  testing::TestStep making = world.step(type.name, 1, false), changing = world.step(type.name, 2, false);
  testing::TestStep lowering = world.step(type.name, 3, false), back = world.step(type.name, 4, false, true);
  const std::string id = world.finish(type.create(making, before));
  EXPECT_EQ(world.finish(type.update(changing, id, before, after)), id);
  EXPECT_THROW((void)world.finish(type.update(lowering, id, after, before)), wire::Error);
  EXPECT_EQ(world.finish(type.update(back, id, after, before)), id);
  world.expect(table_is(warm(14'000, 5'000).substr(1) + R"(,"GlobalSecondaryIndexes":[{"IndexName":"by-time")" +
                        warm(14'000, 6'000) + "}]")[0],
               id);
}

TEST(Types, AreCheckedInTimeThatGrowsWithTheirMembers) {
  std::string variables = "{";
  for (int i = 0; i < 100'000; ++i) variables += base::cat(i > 0 ? "," : "", "\"variable-", i, "\":\"\"");
  const json::Object given =
      json::parse(base::cat(R"({"Role":"r","Code":{},"Environment":{"Variables":)", variables, "}}}"))->object();
  const auto began = base::processor_time();
  const json::Object checked = checked_properties(*find_type("AWS::Lambda::Function"), World::kLogical, given);
  EXPECT_TRUE(json::equal(given, checked));
  // Looking each member up among those before it would take the square.
  EXPECT_LT(base::processor_time() - began, std::chrono::seconds(10));
}

// As a deployment does with a table whose update is refused: the update back finds it as it was.
TEST(Types, RefuseChangesOfIndexesBeforeAnythingIsChanged) {
  World world;
  const ResourceType& type = *find_type("AWS::DynamoDB::Table");
  const auto checked = [&](const std::string& properties) {
    return checked_properties(type, World::kLogical, json::parse(properties)->object());
  };
  const json::Object before = checked(table_of(kProvisioned, index_of("by-time", kUnits)));
  testing::TestStep making = world.step(type.name, 1, false);
  const std::string id = world.finish(type.create(making, before));
  const std::string other = R"({"IndexName":"by-time","KeySchema":[{"AttributeName":"at","KeyType":"HASH"}],)"
                            R"("Projection":{"ProjectionType":"KEYS_ONLY"}})";
  for (const auto& [indexes, problem] :
       {std::pair(index_of("by-date"), "Cannot perform more than one GSI creation or deletion in a single update"),
        std::pair(other,
                  "Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights "
                  "Specification. You can create a new GSI with a different name.")}) {
    const json::Object after = checked(table_of(kOnDemand + kMaxima, indexes));
    testing::TestStep changing = world.step(type.name, 2, false), back = world.step(type.name, 3, false);
    try {
      (void)world.finish(type.update(changing, id, before, after));
      ADD_FAILURE() << "is not refused: " << problem;
    } catch (const InvalidRequest& refused) {
      EXPECT_EQ(std::string_view(refused.what()), problem);
    }
    EXPECT_EQ(world.finish(type.update(back, id, after, before)), id);
    world.expect(table_is(R"("BillingModeSummary":null,"GlobalSecondaryIndexes":[{"IndexName":"by-time",)"
                          R"("Projection":{"ProjectionType":"ALL"})" +
                          kUnits + "}]" + kUnits)[0],
                 id);
  }
}

TEST(Types, MakeChangeAndRemoveRoles) {
  World world;
  const std::string trust = R"("AssumeRolePolicyDocument":{"Version":"2012-10-17",)"
                            R"("Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},)"
                            R"("Action":"sts:AssumeRole"}]})";
  const std::string policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",)"
                             R"("Action":"s3:*","Resource":"*"}]})";
  world.check(
      {.type = "AWS::IAM::Role",
       .properties = "{" + trust +
                     R"(,"Description":"d","MaxSessionDuration":"7200",)"
                     R"("ManagedPolicyArns":["arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"],)"
                     R"("Policies":[{"PolicyName":"p","PolicyDocument":)" +
                     policy + "}]}",
       .attributes = R"({"Arn":"arn:aws:iam::000000000000:role/{ID}"})",
       .made = {{"iam", "GetRole", R"({"RoleName":"{ID}"})",
                 R"({"Role":{"Description":"d","MaxSessionDuration":7200}})"},
                {"iam", "ListRolePolicies", R"({"RoleName":"{ID}"})", R"({"PolicyNames":["p"]})"},
                {"iam", "ListAttachedRolePolicies", R"({"RoleName":"{ID}"})",
                 R"({"AttachedPolicies":[{"PolicyName":"AWSLambdaBasicExecutionRole"}]})"}},
       .updated = "{" + trust + R"(,"Policies":[{"PolicyName":"q","PolicyDocument":)" + policy +
                  R"(}],"Tags":[{"Key":"a","Value":"b"}]})",
       .changed = {{"iam", "GetRole", R"({"RoleName":"{ID}"})", R"({"Role":{"MaxSessionDuration":3600}})"},
                   {"iam", "ListRolePolicies", R"({"RoleName":"{ID}"})", R"({"PolicyNames":["q"]})"},
                   {"iam", "ListAttachedRolePolicies", R"({"RoleName":"{ID}"})", R"({"AttachedPolicies":[]})"}},
       .gone = {"iam", "GetRole", R"({"RoleName":"{ID}"})", "NoSuchEntityException"}});
}

TEST(Types, MakeChangeAndRemoveRules) {
  World world;
  world.check({.type = "AWS::Events::Rule",
               .properties = R"j({"ScheduleExpression":"rate(1 minute)","Targets":[{"Id":"a",)j"
                             R"j("Arn":"arn:aws:sqs:us-east-1:000000000000:q",)j"
                             R"j("InputTransformer":{"InputPathsMap":{"t":"$.time"},)j"
                             R"j("InputTemplate":"{\"at\":<t>}"}}]})j",
               .attributes = R"j({"Arn":"arn:aws:events:us-east-1:000000000000:rule/{ID}"})j",
               .made = {{"events", "DescribeRule", R"j({"Name":"{ID}"})j",
                         R"j({"ScheduleExpression":"rate(1 minute)","State":"ENABLED"})j"},
                        {"events", "ListTargetsByRule", R"j({"Rule":"{ID}"})j",
                         R"j({"Targets":[{"Id":"a","InputTransformer":{"InputPathsMap":{"t":"$.time"}}}]})j"}},
               .updated = R"j({"EventPattern":{"source":["x"]},"State":"DISABLED",)j"
                          R"j("Description":"d","Targets":[{"Id":"b","Arn":"arn:aws:sqs:us-east-1:000000000000:r"}],)j"
                          R"j("Tags":[{"Key":"a","Value":"b"}]})j",
               .changed = {{"events", "DescribeRule", R"j({"Name":"{ID}"})j",
                            R"j({"ScheduleExpression":null,"State":"DISABLED",)j"
                            R"j("EventPattern":"{\"source\":[\"x\"]}"})j"},
                           {"events", "ListTargetsByRule", R"j({"Rule":"{ID}"})j", R"j({"Targets":[{"Id":"b"}]})j"}},
               .gone = {"events", "DescribeRule", R"j({"Name":"{ID}"})j", "ResourceNotFoundException"}});
}

TEST(Types, BucketsGoToPublicListsAndBackToNone) {
  World world;
  const std::string all = "http://acs.amazonaws.com/groups/global/AllUsers";
  world.check({.type = "AWS::S3::Bucket",
               .properties = R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"BucketOwnerEnforced"}]}})",
               .made = {{"s3", "GetBucketOwnershipControls", R"({"Bucket":"{ID}"})",
                         R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"BucketOwnerEnforced"}]}})"}},
               .updated = R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"ObjectWriter"}]},)"
                          R"("PublicAccessBlockConfiguration":{"BlockPublicAcls":"false"},"AccessControl":"PublicRead"})",
               .changed = {{"s3", "GetBucketAcl", R"({"Bucket":"{ID}"})",
                            R"({"Grants":[{"Permission":"FULL_CONTROL"},{"Permission":"READ","Grantee":{"URI":")" + all +
                                R"("}}]})"}}});
}

TEST(Types, BucketsGoBackToWhatNewOnesHave) {
  World world;
  const ResourceType& type = *find_type("AWS::S3::Bucket");
  int64_t operation = 1;
  const auto update = [&](const std::string& id, std::string_view before, std::string_view after, bool brings_back) {
    testing::TestStep changing = world.step(type.name, ++operation, false, brings_back);
    const auto from = json::parse(std::string(before)), to = json::parse(std::string(after));
    EXPECT_EQ(world.finish(type.update(changing, id, from->object(), to->object())), id);
  };
  const auto expect = [&](const std::string& id, const std::string& block, const std::string& ownership) {
    world.expect({"s3", "GetPublicAccessBlock", R"({"Bucket":"{ID}"})", block}, id);
    world.expect({"s3", "GetBucketOwnershipControls", R"({"Bucket":"{ID}"})", ownership}, id);
  };
  const std::string blocked =
      R"({"PublicAccessBlockConfiguration":{"BlockPublicAcls":true,"IgnorePublicAcls":true,"BlockPublicPolicy":true,)"
      R"("RestrictPublicBuckets":true}})";
  const std::string enforced = R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"BucketOwnerEnforced"}]}})";
  const std::string no_block = "NoSuchPublicAccessBlockConfiguration", no_ownership = "OwnershipControlsNotFoundError";
  const std::string open = R"("OwnershipControls":{"Rules":[{"ObjectOwnership":"ObjectWriter"}]},)"
                           R"("PublicAccessBlockConfiguration":{"BlockPublicAcls":false})";

  const std::string plain = world.create(type.name, R"({"BucketName":"plain"})");
  expect(plain, blocked, enforced);
  update(plain, "{}", base::cat("{", open, "}"), false);
  update(plain, base::cat("{", open, "}"), "{}", true);
  expect(plain, blocked, enforced);
  update(plain, "{}", base::cat(R"({"AccessControl":"PublicRead",)", open, "}"), false);
  update(plain, base::cat(R"({"AccessControl":"PublicRead",)", open, "}"), "{}", true);
  expect(plain, blocked, enforced);
  // What a template gives up is taken away: only a failure gives back what was.
  update(plain, "{}", base::cat("{", open, "}"), false);
  update(plain, base::cat("{", open, "}"), "{}", false);
  expect(plain, no_block, no_ownership);

  // A list that everybody may read by stands beside neither.
  const std::string lists = R"({"AccessControl":"PublicRead"})";
  const std::string all = base::cat(R"({"AccessControl":"PublicRead",)", open, "}");
  const std::string listed = world.create(type.name, base::cat(R"({"BucketName":"listed",)", all.substr(1)));
  update(listed, all, lists, false);
  update(listed, lists, all, false);
  update(listed, all, lists, true);
  expect(listed, no_block, no_ownership);
}

TEST(Types, TablesWithAnEditedAttributeAreReplaced) {
  const auto table = [](std::string_view attributes) {
    return json::parse(base::cat(R"({"AttributeDefinitions":[)", attributes, "]}"))->object();
  };
  const json::Object before = table(R"({"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"S"})");
  for (const ResourceType* type : {&types::kDynamoDbTable, &types::kDynamoDbGlobalTable}) {
    EXPECT_FALSE(type->replaces(before, table(R"({"AttributeName":"a","AttributeType":"S"},{"AttributeName":"c","AttributeType":"N"})")));
    EXPECT_TRUE(type->replaces(before, table(R"({"AttributeName":"b","AttributeType":"N"},{"AttributeName":"a","AttributeType":"S"})")));
  }
}

TEST(Types, GiveBucketsWebsitesListsAndLocks) {
  World world;
  world.check(
      {.type = "AWS::S3::Bucket",
       .properties =
           R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"ObjectWriter"}]},"AccessControl":"PublicRead",)"
           R"("PublicAccessBlockConfiguration":{"BlockPublicAcls":"false"},)"
           R"("WebsiteConfiguration":{"IndexDocument":"i.html","ErrorDocument":"e.html","RoutingRules":[)"
           R"({"RoutingRuleCondition":{"KeyPrefixEquals":"a"},"RedirectRule":{"HostName":"h"}}]},)"
           R"("ObjectLockEnabled":"true","ObjectLockConfiguration":{"ObjectLockEnabled":"Enabled",)"
           R"("Rule":{"DefaultRetention":{"Mode":"GOVERNANCE","Days":"3"}}}})",
       .attributes = R"({"WebsiteURL":"http://{ID}.s3-website-us-east-1.amazonaws.com"})",
       .made = {{"s3", "GetBucketWebsite", R"({"Bucket":"{ID}"})",
                 R"({"IndexDocument":{"Suffix":"i.html"},"ErrorDocument":{"Key":"e.html"},)"
                 R"("RoutingRules":[{"Condition":{"KeyPrefixEquals":"a"},"Redirect":{"HostName":"h"}}]})"},
                {"s3", "GetBucketAcl", R"({"Bucket":"{ID}"})",
                 R"({"Grants":[{"Permission":"FULL_CONTROL"},{"Permission":"READ"}]})"},
                {"s3", "GetObjectLockConfiguration", R"({"Bucket":"{ID}"})",
                 R"({"ObjectLockConfiguration":{"Rule":{"DefaultRetention":{"Mode":"GOVERNANCE","Days":3}}}})"}},
       .updated = R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"ObjectWriter"}]},"ObjectLockEnabled":"true"})",
       .changed = {{"s3", "GetBucketWebsite", R"({"Bucket":"{ID}"})", "NoSuchWebsiteConfiguration"},
                   {"s3", "GetBucketAcl", R"({"Bucket":"{ID}"})", R"({"Grants":[{"Permission":"FULL_CONTROL"}]})"},
                   {"s3", "GetObjectLockConfiguration", R"({"Bucket":"{ID}"})",
                    R"({"ObjectLockConfiguration":{"ObjectLockEnabled":"Enabled","Rule":null}})"}},
       .gone = {"s3", "HeadBucket", R"({"Bucket":"{ID}"})", "NoSuchBucket"}});
}

TEST(Types, LetBucketsWriteLogsAndInventories) {
  World world;
  world.tell("s3", "CreateBucket", R"({"Bucket":"elsewhere"})");
  const std::string inventory =
      R"({"Id":"i","Enabled":"true","IncludedObjectVersions":"All","OptionalFields":["Size"],"Prefix":"p/",)"
      R"("ScheduleFrequency":"Daily","Destination":{"BucketArn":"arn:aws:s3:::elsewhere","Format":"CSV","Prefix":"r"}})";
  world.check(
      {.type = "AWS::S3::Bucket",
       .properties = R"({"LoggingConfiguration":{"DestinationBucketName":"elsewhere","LogFilePrefix":"l/",)"
                     R"("TargetObjectKeyFormat":{"PartitionedPrefix":{"PartitionDateSource":"DeliveryTime"}}},)"
                     R"("InventoryConfigurations":[)" + inventory + "]}",
       .made = {{"s3", "GetBucketLogging", R"({"Bucket":"{ID}"})",
                 R"({"LoggingEnabled":{"TargetBucket":"elsewhere","TargetPrefix":"l/"}})"},
                {"s3", "ListBucketInventoryConfigurations", R"({"Bucket":"{ID}"})",
                 R"({"InventoryConfigurationList":[{"Id":"i","IsEnabled":true,"Filter":{"Prefix":"p/"},)"
                 R"("Schedule":{"Frequency":"Daily"}}]})"}},
       .updated = R"({"LoggingConfiguration":{}})",
       .changed = {{"s3", "GetBucketLogging", R"({"Bucket":"{ID}"})",
                    R"({"LoggingEnabled":{"TargetBucket":"{ID}","TargetPrefix":""}})"},
                   {"s3", "ListBucketInventoryConfigurations", R"({"Bucket":"{ID}"})",
                    R"({"InventoryConfigurationList":[]})"}},
       .gone = {"s3", "HeadBucket", R"({"Bucket":"{ID}"})", "NoSuchBucket"}});
}

TEST(Types, MakeChangeAndRemoveBuckets) {
  World world;
  world.check(
      {.type = "AWS::S3::Bucket",
       .properties =
           R"({"AccessControl":"Private","VersioningConfiguration":{"Status":"Enabled"},)"
           R"("LifecycleConfiguration":{"Rules":[{"Id":"r",)"
           R"("Status":"Enabled","Prefix":"logs/","TagFilters":[{"Key":"a",)"
           R"("Value":"b"}],"ExpirationInDays":"7","NoncurrentVersionExpirationInDays":3}]},)"
           R"("CorsConfiguration":{"CorsRules":[{"AllowedMethods":["GET"],)"
           R"("AllowedOrigins":["*"],"ExposedHeaders":["x"],)"
           R"("MaxAge":"10"}]},"PublicAccessBlockConfiguration":{"BlockPublicAcls":"true"},)"
           R"("BucketEncryption":{"ServerSideEncryptionConfiguration":[{"BucketKeyEnabled":"true",)"
           R"("ServerSideEncryptionByDefault":{"SSEAlgorithm":"aws:kms","KMSMasterKeyID":"k"}}]},)"
           R"("MetricsConfigurations":[{"Id":"m","Prefix":"p"}],)"
           R"("NotificationConfiguration":{"EventBridgeConfiguration":{"EventBridgeEnabled":true}}})",
       .attributes = R"({"Arn":"arn:aws:s3:::{ID}","RegionalDomainName":"{ID}.s3.us-east-1.amazonaws.com"})",
       .made = {{"s3", "GetBucketVersioning", R"({"Bucket":"{ID}"})", R"({"Status":"Enabled"})"},
                {"s3", "GetBucketLifecycleConfiguration", R"({"Bucket":"{ID}"})",
                 R"({"Rules":[{"ID":"r","Expiration":{"Days":7},)"
                 R"("Filter":{"And":{"Prefix":"logs/","Tags":[{"Key":"a",)"
                 R"("Value":"b"}]}},"NoncurrentVersionExpiration":{"NoncurrentDays":3}}]})"},
                {"s3", "GetBucketEncryption", R"({"Bucket":"{ID}"})",
                 R"({"ServerSideEncryptionConfiguration":{"Rules":[{"BucketKeyEnabled":true,)"
                 R"("ApplyServerSideEncryptionByDefault":{"SSEAlgorithm":"aws:kms","KMSMasterKeyID":"k"}}]}})"},
                {"s3", "GetBucketCors", R"({"Bucket":"{ID}"})",
                 R"({"CORSRules":[{"ExposeHeaders":["x"],"MaxAgeSeconds":10}]})"},
                {"s3", "GetBucketNotificationConfiguration", R"({"Bucket":"{ID}"})",
                 R"({"EventBridgeConfiguration":{}})"},
                {"s3", "GetBucketMetricsConfiguration", R"({"Bucket":"{ID}","Id":"m"})",
                 R"({"MetricsConfiguration":{"Filter":{"Prefix":"p"}}})"},
                {"s3", "GetBucketTagging", R"({"Bucket":"{ID}"})", R"({"TagSet":[{"Key":"stack","Value":"shop"}]})"}},
       .updated = R"({"Tags":[{"Key":"a","Value":"b"}]})",
       .changed = {{"s3", "GetBucketVersioning", R"({"Bucket":"{ID}"})", R"({"Status":"Suspended"})"},
                   {"s3", "GetBucketLifecycleConfiguration", R"({"Bucket":"{ID}"})", "NoSuchLifecycleConfiguration"},
                   {"s3", "GetBucketCors", R"({"Bucket":"{ID}"})", "NoSuchCORSConfiguration"},
                   {"s3", "GetBucketEncryption", R"({"Bucket":"{ID}"})",
                    R"({"ServerSideEncryptionConfiguration":{"Rules":[)"
                    R"({"ApplyServerSideEncryptionByDefault":{"SSEAlgorithm":"AES256","KMSMasterKeyID":null}}]}})"},
                   {"s3", "GetBucketNotificationConfiguration", R"({"Bucket":"{ID}"})",
                    R"({"EventBridgeConfiguration":null})"},
                   {"s3", "GetBucketMetricsConfiguration", R"({"Bucket":"{ID}","Id":"m"})", "NoSuchConfiguration"}},
       .gone = {"s3", "HeadBucket", R"({"Bucket":"{ID}"})", "NoSuchBucket"},
       .read_made = R"({"LifecycleConfiguration":{"Rules":[{"Id":"r","Status":"Enabled","Prefix":"logs/",)"
                    R"("TagFilters":[{"Key":"a","Value":"b"}],"ExpirationInDays":7,)"
                    R"("NoncurrentVersionExpiration":{"NoncurrentDays":3}}]}})"});
}

TEST(Types, MakeChangeAndRemoveParameters) {
  World world;
  world.check(
      {.type = "AWS::SSM::Parameter",
       .properties = R"({"Name":"/a/b","Type":"String","Value":"7","Description":"d"})",
       .attributes = R"({"Type":"String","Value":"7"})",
       .made = {{"ssm", "GetParameter", R"({"Name":"/a/b"})", R"({"Parameter":{"Value":"7","Type":"String"}})"}},
       .updated = R"({"Name":"/a/b","Type":"String","Value":"8","Tags":{"a":"b"}})",
       .changed = {{"ssm", "GetParameter", R"({"Name":"/a/b"})", R"({"Parameter":{"Value":"8"}})"}},
       .gone = {"ssm", "GetParameter", R"({"Name":"/a/b"})", "ParameterNotFound"}});
}

TEST(Types, MakeChangeAndRemoveLogGroups) {
  World world;
  world.check(
      {.type = "AWS::Logs::LogGroup",
       .properties = R"({"LogGroupName":"g","RetentionInDays":"7"})",
       .attributes = R"({"Arn":"arn:aws:logs:us-east-1:000000000000:log-group:g:*"})",
       .made = {{"logs", "DescribeLogGroups", "{}", R"({"LogGroups":[{"LogGroupName":"g","RetentionInDays":7}]})"}},
       .updated = R"({"LogGroupName":"g","Tags":[{"Key":"a","Value":"b"}]})",
       .changed = {{"logs", "DescribeLogGroups", "{}",
                    R"({"LogGroups":[{"LogGroupName":"g","RetentionInDays":null}]})"}},
       .gone = {"logs", "DescribeLogGroups", "{}", R"({"LogGroups":[]})"}});
}

TEST(Types, MakeChangeAndRemoveTopics) {
  World world;
  world.check(
      {.type = "AWS::SNS::Topic",
       .properties = R"({"DisplayName":"d","Subscription":[{"Protocol":"sqs",)"
                     R"("Endpoint":"arn:aws:sqs:us-east-1:000000000000:q"}]})",
       .attributes = R"({"TopicArn":"{ID}","TopicName":"{NAME}"})",
       .made = {{"sns", "GetTopicAttributes", R"({"TopicArn":"{ID}"})", R"({"Attributes":{"DisplayName":"d"}})"},
                {"sns", "ListSubscriptionsByTopic", R"({"TopicArn":"{ID}"})",
                 R"({"Subscriptions":[{"Protocol":"sqs"}]})"}},
       .updated = R"({"SignatureVersion":"2","Tags":[{"Key":"a","Value":"b"}]})",
       .changed = {{"sns", "GetTopicAttributes", R"({"TopicArn":"{ID}"})",
                    R"({"Attributes":{"DisplayName":"","SignatureVersion":"2"}})"},
                   {"sns", "ListSubscriptionsByTopic", R"({"TopicArn":"{ID}"})", R"({"Subscriptions":[]})"}},
       .gone = {"sns", "GetTopicAttributes", R"({"TopicArn":"{ID}"})", "NotFoundException"}});
}

TEST(Types, MakeMetadataOfNothing) {
  World world;
  world.check(
      {.type = "AWS::CDK::Metadata", .properties = R"({"Analytics":"v2:…"})", .updated = R"({"Analytics":"v3"})"});
}

}  // namespace
}  // namespace tidemill::cloudformation
