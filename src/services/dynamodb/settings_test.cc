// Settings of a table that have operations of their own: time to live, policies, throughput; and what is refused.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using testing::World;

std::string ttl(bool enabled, std::string_view attribute) {
  return R"({"TableName":"Tab","TimeToLiveSpecification":{"Enabled":)" + std::string(enabled ? "true" : "false") +
         R"(,"AttributeName":")" + std::string(attribute) + R"("}})";
}

TEST(TimeToLive, IsEnabledAndDescribed) {
  World world;
  world.create_table("Tab");
  EXPECT_EQ(world.run("DescribeTimeToLive", R"({"TableName":"Tab"})"),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
  EXPECT_EQ(world.run("UpdateTimeToLive", ttl(true, "due")),
            R"({"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"due"}})");
  world.settle();
  EXPECT_EQ(world.run("DescribeTimeToLive", R"({"TableName":"Tab"})"),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"due"}})");
  world.crash();
  EXPECT_EQ(world.run("DescribeTimeToLive", R"({"TableName":"Tab"})"),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"due"}})");
}

TEST(TimeToLive, ChangesThatMakeNoSenseAreRefused) {
  World world;
  world.create_table("Tab");
  EXPECT_EQ(world.run("UpdateTimeToLive", ttl(false, "due")), "ValidationException: TimeToLive is already disabled");
  world.run("UpdateTimeToLive", ttl(true, "due"));
  EXPECT_EQ(world.run("UpdateTimeToLive", ttl(true, "due")), "ValidationException: TimeToLive is already enabled");
  EXPECT_EQ(world.run("UpdateTimeToLive", ttl(false, "other")),
            "ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is due");
  EXPECT_EQ(world.run("UpdateTimeToLive",
                      R"({"TableName":"None","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"a"}})"),
            "ResourceNotFoundException: Requested resource not found: Table: None not found");
}

TEST(TimeToLive, IsNotChangedTwiceInHalfAnHour) {
  World world;
  world.create_table("Tab");
  world.run("UpdateTimeToLive", ttl(true, "due"));
  world.advance(std::chrono::minutes(30));
  EXPECT_EQ(world.run("UpdateTimeToLive", ttl(false, "due")),
            "ValidationException: Time to live has been modified multiple times within a fixed interval");
  world.advance(std::chrono::minutes(2));
  EXPECT_THAT(world.run("UpdateTimeToLive", ttl(false, "due")), HasSubstr(R"("Enabled":false)"));
  EXPECT_EQ(world.run("DescribeTimeToLive", R"({"TableName":"Tab"})"),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
}

// ---- Keys ----

std::string with_key(std::string_view key) {
  return base::cat(R"({"TableName":"Tab","SSESpecification":{"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":")", key,
                   "\"}}");
}

TEST(KeysOfTables, AreShownByTheirArn) {
  World world;
  world.create_table("Tab");
  for (const std::string_view key : {"one", "arn:aws:kms:us-east-1:000000000000:key/one"}) {
    EXPECT_THAT(world.run("UpdateTable", with_key(key)),
                HasSubstr(R"("KMSMasterKeyArn":"arn:aws:kms:us-east-1:000000000000:key/one")"));
  }
  EXPECT_THAT(world.run("UpdateTable", with_key("alias/two")),
              HasSubstr(R"("KMSMasterKeyArn":"arn:aws:kms:us-east-1:000000000000:key/of-two")"));
}

TEST(KeysOfTables, ThatCannotBeUsedAreRefused) {
  World world;
  world.create_table("Tab");
  world.keys = {{"none", "NotFoundException"}, {"foreign", "AccessDeniedException"},
                {"off", "Disabled"}, {"going", "PendingDeletion"}};
  const std::string before = world.run("DescribeTable", R"({"TableName":"Tab"})");
  const auto refusal = [&](std::string_view key) { return world.run("UpdateTable", with_key(key)); };
  EXPECT_THAT(refusal("none"),
              ::testing::MatchesRegex("ValidationException: KMS validation error: com.amazonaws.services.kms.model."
                                      "NotFoundException: no .*key/none .Service: AWSKMS; Status Code: 400; "
                                      "Error Code: NotFoundException; Request ID: request-[0-9]+; Proxy: null."));
  EXPECT_THAT(refusal("off"),
              HasSubstr("DisabledException: arn:aws:kms:us-east-1:000000000000:key/off is disabled. ("));
  EXPECT_THAT(refusal("going"), HasSubstr("KMSInvalidStateException: arn:aws:kms:us-east-1:000000000000:key/going is "
                                          "pending deletion. ("));
  EXPECT_THAT(refusal("foreign"), ::testing::StartsWith("AccessDeniedException: KMS key access denied error: "
                                                        "com.amazonaws.services.kms.model.AWSKMSException: no "));
  EXPECT_EQ(world.run("DescribeTable", R"({"TableName":"Tab"})"), before);
}

TEST(KeysOfTables, AreAskedForByEveryOperationThatMakesATable) {
  World world;
  world.keys = {{"off", "Disabled"}};
  const std::string more = R"("BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k",)"
                           R"("AttributeType":"S"}],"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],)";
  const auto create = [&](std::string_view key) {
    return world.run("CreateTable", "{" + more + with_key(key).substr(1));
  };
  EXPECT_THAT(create("off"), HasSubstr("DisabledException"));
  EXPECT_THAT(create("on"), HasSubstr("CREATING"));
  const json::Value backup = world.ask("CreateBackup", R"({"TableName":"Tab","BackupName":"b-1"})");
  const std::string arn = backup.find("BackupDetails")->find("BackupArn")->string();
  world.settle();
  const std::string restore =
      base::cat(R"({"TargetTableName":"Again","BackupArn":")", arn, R"("})");
  world.keys = {{"on", "Disabled"}};
  EXPECT_THAT(world.run("RestoreTableFromBackup", restore), HasSubstr("DisabledException"));
  world.keys.clear();
  EXPECT_THAT(world.run("RestoreTableFromBackup", restore), HasSubstr("CREATING"));
}

// ---- Policies ----

constexpr std::string_view kTableArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab";

std::string policy(std::string_view action) {
  return R"({"Statement":[{"Principal":{"AWS":"000000000000"},"Effect":"Allow","Action":[")" + std::string(action) +
         R"("],"Resource":"*"}],"Version":"2012-10-17"})";
}

std::string put_policy(World& world, std::string_view document, std::string_view more = "",
                       std::string_view arn = kTableArn) {
  json::Object request{{"ResourceArn", arn}, {"Policy", document}};
  std::string body = json::write(request);
  body.pop_back();
  return world.run("PutResourcePolicy", body + std::string(more) + "}");
}

TEST(Policies, ArePutReadAndDeleted) {
  World world;
  world.create_table("Tab");
  const std::string arn = R"({"ResourceArn":")" + std::string(kTableArn) + R"("})";
  EXPECT_EQ(world.run("GetResourcePolicy", arn),
            "PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: " +
                std::string(kTableArn));
  const std::string put = put_policy(world, policy("dynamodb:GetItem"));
  EXPECT_EQ(put, R"({"RevisionId":"1773446400000"})");
  const auto got = world.ask("GetResourcePolicy", arn);
  EXPECT_EQ(got.find("Policy")->string(),
            R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"000000000000"},)"
            R"("Action":"dynamodb:GetItem","Resource":"*"}]})");
  EXPECT_EQ(put_policy(world, policy("dynamodb:GetItem")), put) << "an equal policy is no change";
  world.crash();
  EXPECT_EQ(world.run("DeleteResourcePolicy", arn), put);
  EXPECT_EQ(world.run("DeleteResourcePolicy", arn), "{}");
}

TEST(Policies, ARevisionThatIsExpectedMustBeTheCurrentOne) {
  World world;
  world.create_table("Tab");
  EXPECT_THAT(put_policy(world, policy("dynamodb:GetItem"), R"(,"ExpectedRevisionId":"NO_POLICY")"),
              HasSubstr("RevisionId"));
  EXPECT_EQ(
      put_policy(world, policy("dynamodb:PutItem"), R"(,"ExpectedRevisionId":"NO_POLICY")"),
      "PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: Requested policy update "
      "expecting none to be present for table Tab, but a policy exists with revision id 1773446400000.");
  EXPECT_EQ(put_policy(world, policy("dynamodb:PutItem"), R"(,"ExpectedRevisionId":"1773446400000")"),
            R"({"RevisionId":"1773446400001"})");
  EXPECT_EQ(
      put_policy(world, policy("dynamodb:PutItem"), R"(,"ExpectedRevisionId":"1773446400000")"),
      "PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: Requested update for "
      "policy with revision id 1773446400000, but the policy associated to target table Tab has revision id "
      "1773446400001.");
}

TEST(Policies, WhatIsNoPolicyIsRefused) {
  World world;
  world.create_table("Tab");
  const auto why = [](std::string_view reason) {
    return "ValidationException: One or more parameter values were invalid: Invalid policy document: " +
           std::string(reason);
  };
  EXPECT_EQ(put_policy(world, "{not json"), why("This policy contains invalid Json"));
  EXPECT_EQ(put_policy(world, R"({"Version":"2012-10-17","Statement":[]})"),
            why("Could not parse the policy: Statement is empty!"));
  EXPECT_EQ(put_policy(world, R"({"Statement":[{"Effect":"Allow","Principal":"*","Action":"dynamodb:*"}]})"),
            why("Missing required field Resource"));
  EXPECT_EQ(
      put_policy(world, policy("dynamodb:GetItem") + std::string(21'000, ' ')),
      "ValidationException: One or more parameter values were invalid: Maximum policy size of 20480 bytes exceeded");
  EXPECT_EQ(put_policy(world, policy("dynamodb:GetItem"), "", "Tab"),
            "ValidationException: One or more parameter values were invalid: ARNs must start with 'arn:': Tab");
  EXPECT_THAT(put_policy(world, policy("dynamodb:GetItem"), "", std::string(kTableArn) + "/index/i"),
              HasSubstr("only table or stream is accepted"));
  EXPECT_EQ(put_policy(world, policy("dynamodb:GetItem"), "", std::string(kTableArn) + "2"),
            "ResourceNotFoundException: Requested resource not found: Table: Tab2 not found");
}

TEST(Policies, AStreamHasItsOwnAndAllGoWithTheTable) {
  World world;
  world.create_table("Tab", "", "KEYS_ONLY");
  const std::string stream = std::string(kTableArn) + "/stream/2026-03-14T00:00:00.000";
  const std::string of_stream = R"({"ResourceArn":")" + stream + R"("})";
  EXPECT_THAT(put_policy(world, policy("dynamodb:GetRecords"), "", stream), HasSubstr("RevisionId"));
  EXPECT_THAT(world.run("GetResourcePolicy", R"({"ResourceArn":")" + std::string(kTableArn) + R"("})"),
              HasSubstr("PolicyNotFoundException"));
  EXPECT_THAT(world.run("GetResourcePolicy", of_stream), HasSubstr("dynamodb:GetRecords"));
  world.run("DeleteTable", R"({"TableName":"Tab"})");
  EXPECT_THAT(world.run("GetResourcePolicy", of_stream), HasSubstr("PolicyNotFoundException"));
}

TEST(Policies, ATableIsCreatedWithOne) {
  World world;
  const std::string create =
      R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
          "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"ResourcePolicy":)";
  EXPECT_THAT(world.run("CreateTable", create + R"("{}"})"), HasSubstr("Missing required field Statement"));
  EXPECT_THAT(world.run("CreateTable", create + json::write(json::Value(policy("dynamodb:GetItem"))) + "}"),
              HasSubstr("CREATING"));
  EXPECT_THAT(world.run("GetResourcePolicy", R"({"ResourceArn":")" + std::string(kTableArn) + R"("})"),
              HasSubstr("dynamodb:GetItem"));
}

// ---- Throughput ----

std::string throughput(int read, int write) {
  return R"("ProvisionedThroughput":{"ReadCapacityUnits":)" + std::to_string(read) + R"(,"WriteCapacityUnits":)" +
         std::to_string(write) + "}";
}

std::string provisioned(int read, int write) {
  return R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
             "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],)" +
         throughput(read, write) + "}";
}

TEST(Throughput, AFifthDecreaseOfADayHasToWaitForAnHour) {
  World world;
  world.run("CreateTable", provisioned(20, 20));
  const auto set = [&](int read) {
    return world.run("UpdateTable", R"({"TableName":"Tab",)" + throughput(read, 20) + "}");
  };
  for (int units = 19; units > 15; --units) EXPECT_THAT(set(units), HasSubstr("UPDATING"));
  EXPECT_EQ(
      set(15),
      "LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases are limited within a given "
      "UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most "
      "once every 3600 seconds. Number of decreases today: 4. Last decrease at Saturday, March 14, 2026 at 12:00:00 AM "
      "Coordinated Universal Time. Next decrease can be made at Saturday, March 14, 2026 at 1:00:00 AM Coordinated "
      "Universal Time");
  EXPECT_THAT(set(30), HasSubstr("UPDATING"));
  world.advance(std::chrono::hours(1));
  const auto described = [&] { return world.run("DescribeTable", R"({"TableName":"Tab"})"); };
  EXPECT_THAT(set(15), HasSubstr(R"("NumberOfDecreasesToday":4)"));  // what holds while it is UPDATING
  EXPECT_THAT(described(), HasSubstr(R"("NumberOfDecreasesToday":5)"));
  world.advance(std::chrono::hours(23));
  EXPECT_THAT(set(14), HasSubstr("UPDATING"));
  EXPECT_THAT(described(), HasSubstr(R"("NumberOfDecreasesToday":1)"));
}

TEST(Throughput, OnlyAnOnDemandTableHasAMaximum) {
  World world;
  world.run("CreateTable", provisioned(1, 1));
  EXPECT_EQ(
      world.run("UpdateTable", R"({"TableName":"Tab","OnDemandThroughput":{"MaxReadRequestUnits":5}})"),
      "ValidationException: One or more parameter values were invalid: MaxReadRequestUnits for OnDemandThroughput "
      "cannot be specified when the table BillingMode is PROVISIONED");
  EXPECT_THAT(
      world.run(
          "UpdateTable",
          R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","OnDemandThroughput":{"MaxReadRequestUnits":5}})"),
      HasSubstr(R"("OnDemandThroughput":{"MaxReadRequestUnits":5})"));
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"Tab","OnDemandThroughput":{"MaxWriteRequestUnits":0}})"),
            "ValidationException: One or more parameter values were invalid: Requested MaxWriteRequestUnits for "
            "OnDemandThroughput for table is outside of valid range");
}

TEST(Throughput, WarmThroughputIsKeptAndOnlyRises) {
  World world;
  world.create_table("Tab");
  EXPECT_THAT(
      world.run("DescribeTable", R"({"TableName":"Tab"})"),
      HasSubstr(R"("WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"})"));
  EXPECT_THAT(world.run("UpdateTable", R"({"TableName":"Tab","WarmThroughput":{"ReadUnitsPerSecond":15000}})"),
              HasSubstr(R"("WarmThroughput":{"ReadUnitsPerSecond":15000,"WriteUnitsPerSecond":4000,)"));
  EXPECT_EQ(
      world.run("UpdateTable", R"({"TableName":"Tab","WarmThroughput":{"ReadUnitsPerSecond":14000}})"),
      "ValidationException: One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput "
      "for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported");
}

// What is told is what must not become less, also where provisioned throughput has risen beyond what was asked for.
TEST(Throughput, WarmThroughputIsNotLessThanWhatIsProvisioned) {
  World world;
  world.create_table("Tab");
  const auto update = [&](std::string_view more) {
    return world.run("UpdateTable", R"({"TableName":"Tab",)" + std::string(more) + "}");
  };
  update(R"("WarmThroughput":{"ReadUnitsPerSecond":15000,"WriteUnitsPerSecond":5000})");
  EXPECT_THAT(update(R"("BillingMode":"PROVISIONED",
                        "ProvisionedThroughput":{"ReadCapacityUnits":20000,"WriteCapacityUnits":10})"),
              HasSubstr(R"("WarmThroughput":{"ReadUnitsPerSecond":20000,"WriteUnitsPerSecond":5000,)"));
  EXPECT_EQ(
      update(R"("WarmThroughput":{"ReadUnitsPerSecond":18000})"),
      "ValidationException: One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput "
      "for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported");
  EXPECT_THAT(update(R"("WarmThroughput":{"WriteUnitsPerSecond":6000})"),
              HasSubstr(R"("WarmThroughput":{"ReadUnitsPerSecond":20000,"WriteUnitsPerSecond":6000,)"));
}

TEST(Throughput, WarmThroughputOfAnIndexIsKeptAndOnlyRises) {
  World world;
  const auto create = [&](std::string_view name, std::string_view warm) {
    return world.run("CreateTable", R"({"TableName":")" + std::string(name) + R"(","BillingMode":"PAY_PER_REQUEST",)"
        R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],)"
        R"("KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"GlobalSecondaryIndexes":[{"IndexName":"idx",)"
        R"("KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"})" + std::string(warm) + "}]}");
  };
  const auto update = [&](std::string_view reads) {
    return world.run("UpdateTable", R"({"TableName":"Tab","GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"idx",)"
        R"("WarmThroughput":{"ReadUnitsPerSecond":)" + std::string(reads) + "}}}]}");
  };
  const auto described = [&] {
    const json::Value answer = world.ask("DescribeTable", R"({"TableName":"Tab"})");
    return json::write(*answer.find("Table")->find("GlobalSecondaryIndexes")->array().front().find("WarmThroughput"));
  };
  create("Tab", R"(,"WarmThroughput":{"WriteUnitsPerSecond":5000})");
  EXPECT_EQ(described(), R"({"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":5000,"Status":"ACTIVE"})");
  update("15000");
  EXPECT_EQ(described(), R"({"ReadUnitsPerSecond":15000,"WriteUnitsPerSecond":5000,"Status":"ACTIVE"})");
  EXPECT_EQ(update("14000"),
            "ValidationException: One or more parameter values were invalid: Requested ReadUnitsPerSecond for "
            "WarmThroughput for index: idx is lower than current WarmThroughput, decreasing WarmThroughput is not "
            "supported");
  EXPECT_THAT(create("Low", R"(,"WarmThroughput":{"ReadUnitsPerSecond":1})"),
              HasSubstr("is lower than initial throughput for OnDemand"));
}

TEST(Refused, OperationsThatAreNotThereSayWhy) {
  World world;
  EXPECT_EQ(
      world.run("ListContributorInsights", "{}"),
      "ValidationException: Tidemill does not support the operation ListContributorInsights: nothing counts how often "
      "keys are used");
  for (const char* operation : {"CreateGlobalTable", "SearchVectors", "DescribeTableReplicaAutoScaling"}) {
    EXPECT_THAT(world.run(operation, R"({"TableName":"Tab"})"), HasSubstr(operation));
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
