// Global tables, asked in each region as clients ask.
#include <algorithm>

#include "services/dynamodb/global_tables_testing.h"
#include "services/dynamodb/replica_updates.h"

namespace tidemill::dynamodb {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::kHere;
using testing::kThere;
using testing::Regions;

constexpr const char* kFar = "ap-southeast-2";
constexpr const char* kInvalid = "ValidationException: One or more parameter values were invalid: ";
constexpr const char* kNotFound = "ResourceNotFoundException: Requested resource not found: Table: Tab not found";
constexpr const char* kInUse = "ResourceInUseException: The resource which you are attempting to change is in use.";
constexpr const char* kWasSource =
    "ValidationException: Replica cannot be deleted because it has acted as a source region for new replica(s) being "
    "added to the table in the last 24 hours.";

void fill(Regions& world, int items) {
  for (int from = 0; from < items; from += 25) {
    std::string writes;
    for (int i = from; i < std::min(from + 25, items); ++i) {
      writes += base::cat(writes.empty() ? "" : ",", R"({"PutRequest":{"Item":{)",
                          Regions::key_of(base::cat("abcd"[i % 4], i)), R"(,"l":{"S":")", i, R"("},"g":{"S":")", i % 7,
                          R"("}}}})");
    }
    EXPECT_EQ(world.run("BatchWriteItem", base::cat(R"({"RequestItems":{"Tab":[)", writes, "]}}")),
              R"({"UnprocessedItems":{}})");
  }
}

TEST(GlobalTables, AReplicaIsFilledInTheBackgroundAndCannotBeUsedBefore) {
  Regions world;
  fill(world, 6000);
  const std::string answer = world.add(kThere);
  EXPECT_THAT(answer, HasSubstr(R"("GlobalTableVersion":"2019.11.21","Replicas":[])"));
  EXPECT_THAT(answer, HasSubstr(R"("StreamViewType":"NEW_AND_OLD_IMAGES")"));
  EXPECT_EQ(world.status(kHere), "UPDATING eu-west-1=CREATING");
  EXPECT_EQ(world.status(kThere), "CREATING us-east-1=ACTIVE");
  EXPECT_THAT(world.put_at(kThere, "a1"), HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(world.at(kThere, "UpdateTimeToLive", R"({"TableName":"Tab","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"due"}})"),
            kNotFound);
  EXPECT_THAT(world.at(kThere, "DeleteTable", R"({"TableName":"Tab"})"), HasSubstr("ResourceInUseException"));
  EXPECT_EQ(world.add(kFar), kInUse);
  EXPECT_EQ(world.replicas(kHere, "Delete", R"("RegionName":"eu-west-1")"), kInUse);
  EXPECT_EQ(world.at(kHere, "DeleteTable", R"({"TableName":"Tab"})"), kInUse);
  world.settle();
  EXPECT_EQ(world.status(kHere), "ACTIVE eu-west-1=ACTIVE");
  EXPECT_EQ(world.status(kThere), "ACTIVE us-east-1=ACTIVE");
  EXPECT_EQ(world.items(kThere).size(), 6000u);
  world.expect_same(kHere, kThere);
  EXPECT_TRUE(world.records(kThere).empty()) << "the stream tells of writes alone";
}

TEST(GlobalTables, AFillingGoesOnAfterACrash) {
  Regions world;
  fill(world, 3000);
  world.add(kThere);
  for (int i = 0; i < 3; ++i) {
    world.crash();
    for (int step = 0; step < 10; ++step) world.executor.run_one();
  }
  EXPECT_EQ(world.status(kThere), "CREATING us-east-1=ACTIVE") << "a crash that meets nothing shows nothing";
  world.put_at(kHere, "a0", R"(,"g":{"S":"other"})");
  world.delete_at(kHere, "b1");
  world.settle();
  EXPECT_EQ(world.status(kThere), "ACTIVE us-east-1=ACTIVE");
  EXPECT_EQ(world.items(kThere).size(), 2999u);
  world.expect_same(kHere, kThere);
}

TEST(GlobalTables, AWriteInOneRegionIsInAllAtOnce) {
  Regions world;
  world.have(kThere);
  world.have(kFar);
  EXPECT_EQ(world.put_at(kThere, "a1", R"(,"g":{"S":"x"},"l":{"S":"y"})"), "{}");
  const std::string key = R"({"TableName":"Tab","Key":{)" + Regions::key_of("a1");
  EXPECT_THAT(world.at(kFar, "UpdateItem", key + R"(},"UpdateExpression":"SET n = :n","ConditionExpression":"g = :x",)"
                                                 R"("ExpressionAttributeValues":{":n":{"N":"1"},":x":{"S":"x"}}})"),
              HasSubstr("{}"));
  EXPECT_EQ(world.at(kHere, "GetItem", key + "}}"),
            R"({"Item":{"g":{"S":"x"},"k":{"S":"a"},"l":{"S":"y"},"n":{"N":"1"},"s":{"S":"a1"}}})");
  EXPECT_EQ(world.at(kThere, "BatchWriteItem",
                     R"({"RequestItems":{"Tab":[{"PutRequest":{"Item":{)" + Regions::key_of("b1") +
                         R"(,"g":{"S":"z"}}}},{"DeleteRequest":{"Key":{)" + Regions::key_of("a1") + "}}}]}}"),
            R"({"UnprocessedItems":{}})");
  EXPECT_EQ(world.at(kHere, "GetItem", key + "}}"), "{}");
  EXPECT_EQ(world.at(kHere, "TransactWriteItems",
                     R"({"TransactItems":[{"Put":{"TableName":"Tab","Item":{)" + Regions::key_of("c1") +
                         R"(}}},{"Put":{"TableName":"Tab","Item":{)" + Regions::key_of("d1") + "}}}]}"),
            "{}");
  EXPECT_EQ(world.at(kFar, "ExecuteStatement",
                     R"({"Statement":"UPDATE \"Tab\" SET g = 'q' WHERE k = 'd' AND s = 'd1'"})"),
            R"({"Items":[]})");
  EXPECT_THAT(world.at(kHere, "Query", R"({"TableName":"Tab","IndexName":"global","KeyConditionExpression":"g = :g",)"
                                       R"("ExpressionAttributeValues":{":g":{"S":"q"}}})"),
              HasSubstr(R"("Count":1)"));
  for (const char* region : {kThere, kFar}) {
    EXPECT_EQ(world.items(region).size(), 3u);
    world.expect_same(kHere, region);
  }
}

TEST(GlobalTables, EachReplicaHasAStreamOfItsOwn) {
  Regions world;
  world.have(kThere);
  world.put_at(kHere, "a1", R"(,"n":{"N":"1"})");
  world.put_at(kThere, "a1", R"(,"n":{"N":"2"})");
  world.put_at(kThere, "a1", R"(,"n":{"N":"2"})");  // changes nothing
  world.delete_at(kHere, "a1");
  const auto here = world.records(kHere), there = world.records(kThere);
  ASSERT_EQ(here.size(), 3u);
  ASSERT_EQ(there.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(here[i].event, there[i].event);
    EXPECT_EQ(here[i].before, there[i].before);
    EXPECT_EQ(here[i].after, there[i].after);
  }
  EXPECT_NE(world.table(kHere).stream_arn(), world.table(kThere).stream_arn());
  EXPECT_THAT(world.at(kThere, "ListStreams", R"({"TableName":"Tab"})"), HasSubstr("arn:aws:dynamodb:eu-west-1:"));
}

TEST(GlobalTables, AStreamOfOtherImagesIsKeptAndCopied) {
  Regions world;
  world.run("UpdateTable", R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})");
  world.have(kThere);
  EXPECT_EQ(world.table(kHere).stream->view_type, ViewType::keys_only);
  EXPECT_EQ(world.table(kThere).stream->view_type, ViewType::keys_only);
  EXPECT_EQ(world.at(kThere, "UpdateTable", R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":false}})"),
            std::string(kInvalid) + "Disabling Stream is not allowed for a Global Table replica.");
  EXPECT_EQ(world.run("UpdateTable",
                      R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})"),
            "ValidationException: Table already has an enabled stream: TableName: Tab");
}

TEST(GlobalTables, AnExpiredItemGoesEverywhereAndOneStreamSaysWhy) {
  Regions world;
  world.put_at(kHere, "a1", R"(,"due":{"N":"1773446410"})");
  world.have(kThere);
  world.at(kThere, "UpdateTimeToLive",
           R"({"TableName":"Tab","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"due"}})");
  world.settle();
  for (const char* region : {kHere, kThere}) {
    EXPECT_EQ(world.at(region, "DescribeTimeToLive", R"({"TableName":"Tab"})"),
              R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"due"}})");
  }
  world.have(kFar);
  world.put_at(kHere, "a2", R"(,"due":{"N":"1773446410"})");
  world.advance(seconds(10));
  for (const char* region : {kHere, kThere, kFar}) EXPECT_TRUE(world.items(region).empty()) << region;
  int said = 0;
  int removed = 0;
  for (const char* region : {kHere, kThere, kFar}) {
    for (const auto& record : world.records(region)) {
      removed += record.event == "REMOVE";
      said += record.expired;
    }
  }
  EXPECT_EQ(removed, 6) << "two items in three regions";
  EXPECT_EQ(said, 2) << "as on AWS, where it was carried out alone";
  world.expect_same(kHere, kThere);
}

TEST(GlobalTables, WhatAllReplicasHaveAlikeIsChangedInAll) {
  Regions world;
  fill(world, 40);
  world.have(kThere);
  EXPECT_THAT(world.at(kThere, "UpdateTable",
                       R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"h","AttributeType":"S"}],)"
                       R"("GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"more","Projection":{"ProjectionType":"ALL"},)"
                       R"("KeySchema":[{"AttributeName":"h","KeyType":"HASH"}]}}]})"),
              HasSubstr(R"("IndexName":"more")"));
  world.settle();
  world.put_at(kHere, "a1", R"(,"h":{"S":"x"})");
  for (const char* region : {kHere, kThere}) EXPECT_EQ(world.items(region, "more").size(), 1u) << region;
  EXPECT_THAT(world.run("UpdateTable", R"({"TableName":"Tab","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"global"}}]})"),
              HasSubstr("DELETING"));
  EXPECT_FALSE(world.table(kThere).find_index("global"));
  world.run("UpdateTable", R"({"TableName":"Tab","TableClass":"STANDARD_INFREQUENT_ACCESS"})");
  world.run("UpdateTable", R"({"TableName":"Tab","OnDemandThroughput":{"MaxReadRequestUnits":5,"MaxWriteRequestUnits":6}})");
  world.run("UpdateTable", R"({"TableName":"Tab","SSESpecification":{"Enabled":true,"SSEType":"KMS"}})");
  const std::string there = world.at(kThere, "DescribeTable", R"({"TableName":"Tab"})");
  EXPECT_THAT(there, HasSubstr(R"("TableClass":"STANDARD_INFREQUENT_ACCESS")"));
  EXPECT_THAT(there, HasSubstr(R"("OnDemandThroughput":{"MaxReadRequestUnits":5,"MaxWriteRequestUnits":6})"));
  EXPECT_THAT(there, HasSubstr("arn:aws:kms:eu-west-1:000000000000:alias/aws/dynamodb"));
  world.run("UpdateTable", R"({"TableName":"Tab","DeletionProtectionEnabled":true})");
  EXPECT_FALSE(world.table(kThere).deletion_protected) << "each region's own";
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"Tab","BillingMode":"PROVISIONED",)"
                                     R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}})"),
            "ValidationException: Table write capacity should either be Pay-Per-Request or AutoScaled.");
}

TEST(GlobalTables, AReplicaMayReadMoreOrLessAndBeOfAnotherClass) {
  Regions world;
  EXPECT_THAT(world.replicas(kHere, "Create", R"("RegionName":"eu-west-1","TableClassOverride":"STANDARD_INFREQUENT_ACCESS",)"
                                              R"("OnDemandThroughputOverride":{"MaxReadRequestUnits":7})"),
              HasSubstr("UPDATING"));
  world.settle();
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Tab"})"),
              HasSubstr(R"("Replicas":[{"RegionName":"eu-west-1","ReplicaStatus":"ACTIVE",)"
                        R"("OnDemandThroughputOverride":{"MaxReadRequestUnits":7},)"));
  EXPECT_EQ(world.table(kHere).table_class, "");
  EXPECT_EQ(world.table(kThere).table_class, "STANDARD_INFREQUENT_ACCESS");
  EXPECT_THAT(world.replicas(kHere, "Update", R"("RegionName":"eu-west-1","TableClassOverride":"STANDARD")"),
              HasSubstr("UPDATING"));
  EXPECT_EQ(world.table(kThere).table_class, "STANDARD");
  EXPECT_EQ(world.replicas(kHere, "Update", R"("RegionName":"eu-west-1")"),
            "ValidationException: There are no actions specified in the Replica Update Action of the request.");
  EXPECT_EQ(world.replicas(kHere, "Update", R"("RegionName":"eu-west-1","KMSMasterKeyId":"k")"),
            std::string(kInvalid) + "KMSMasterKeyId must be specified for each replica.");
  EXPECT_THAT(world.replicas(kHere, "Update", R"("RegionName":"eu-west-1","ProvisionedThroughputOverride":{"ReadCapacityUnits":1})"),
              HasSubstr("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified"));
  EXPECT_THAT(world.replicas(kHere, "Update", R"("RegionName":"eu-west-1","GlobalSecondaryIndexes":[{"IndexName":"global"}])"),
              HasSubstr("GlobalSecondaryIndexes"));
}

TEST(GlobalTables, KeysOfReplicasAreOfOneKind) {
  Regions world;
  const auto create = [&](std::string_view key) {
    const std::string more = key.empty() ? "" : base::cat(R"(,"KMSMasterKeyId":")", key, "\"");
    return world.replicas(kHere, "Create", R"("RegionName":"eu-west-1")" + more);
  };
  EXPECT_EQ(create("mine"), std::string(kInvalid) + "KMSMasterKeyId must be specified for each replica.");
  world.run("UpdateTable", R"({"TableName":"Tab","SSESpecification":{"Enabled":true,"SSEType":"KMS"}})");
  const std::string one_kind =
      std::string(kInvalid) + "All replica keys must either be Customer Managed CMK or AWS Managed CMK.";
  EXPECT_EQ(create("mine"), one_kind);
  world.run("UpdateTable", R"({"TableName":"Tab","SSESpecification":{"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":"ours"}})");
  EXPECT_EQ(create(""), std::string(kInvalid) + "KMSMasterKeyId must be specified for each replica.");
  EXPECT_EQ(create("alias/aws/dynamodb"), one_kind);
  EXPECT_THAT(create("mine"), HasSubstr("UPDATING"));
  world.settle();
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Tab"})"),
              HasSubstr(R"("KMSMasterKeyId":"arn:aws:kms:eu-west-1:000000000000:key/mine")"));
}

TEST(GlobalTables, WrongUpdatesOfReplicasAreRefused) {
  Regions world;
  const auto update = [&](std::string_view updates, std::string_view more = "") {
    return world.run("UpdateTable", base::cat(R"({"TableName":"Tab","ReplicaUpdates":[)", updates, "]", more, "}"));
  };
  const std::string there = R"({"Create":{"RegionName":"eu-west-1"}})";
  EXPECT_THAT(update(""), HasSubstr("ValidationException"));
  EXPECT_EQ(update("{}"),
            "ValidationException: There are no actions specified in the Replica Update Action of the request.");
  EXPECT_EQ(update(R"({"Create":{"RegionName":"eu-west-1"},"Delete":{"RegionName":"eu-west-1"}})"),
            "ValidationException: Update table operation with more than one type of replica actions not allowed.");
  EXPECT_EQ(update(there + R"(,{"Create":{"RegionName":"eu-west-2"}})"),
            "ValidationException: Update table operation with more than one create or delete replica actions not allowed");
  EXPECT_EQ(update(there, R"(,"DeletionProtectionEnabled":true)"),
            std::string(kInvalid) + "Replica modification must be the only operation in the request");
  EXPECT_EQ(update(R"({"Create":{"RegionName":"us-east-1"}})"),
            "ValidationException: Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, "
            "DeleteTable, or UpdateTable as required.");
  EXPECT_THAT(update(R"({"Create":{"RegionName":"moon-1"}})"),
              HasSubstr("Region moon-1 is not supported. The latest version of global tables are only supported in the "
                        "following regions: [af-south-1, "));
  EXPECT_EQ(update(R"({"Delete":{"RegionName":"eu-west-1"}})"),
            "ValidationException: Update global table operation failed because one or more replicas were not part of the "
            "global table. Please retry the request without these replicas: [eu-west-1].");
  EXPECT_THAT(update(there, R"(,"MultiRegionConsistency":"STRONG")"), HasSubstr("MultiRegionConsistency"));
  EXPECT_THAT(world.at(kThere, "CreateTable",
                       R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],)"
                       R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]})"),
              HasSubstr("CREATING"));
  EXPECT_EQ(update(there),
            "ValidationException: Failed to create a the new replica of table with name: \u2018Tab\u2019 because one or "
            "more replicas already existed as tables.");
  world.run("CreateTable", R"({"TableName":"Paid","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],)"
                           R"("ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},)"
                           R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]})");
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"Paid","ReplicaUpdates":[)" + there + "]}"),
            "ValidationException: Table write capacity should either be Pay-Per-Request or AutoScaled.");
  EXPECT_EQ(world.run("UpdateTable", R"({"TableName":"Nope","ReplicaUpdates":[)" + there + "]}"),
            "ResourceNotFoundException: Requested resource not found: Table: Nope not found");
}

TEST(GlobalTables, ADeletedReplicaIsGoneAndTheOthersGoOn) {
  Regions world;
  fill(world, 30);
  world.have(kThere);
  world.have(kFar);
  world.at(kThere, "UpdateTable", R"({"TableName":"Tab","DeletionProtectionEnabled":true})");
  EXPECT_EQ(world.replicas(kFar, "Delete", R"("RegionName":"eu-west-1")"),
            "ValidationException: Cannot delete table Tab in region eu-west-1 because it has deletion protection enabled. "
            "Disable deletion protection first.");
  world.at(kThere, "UpdateTable", R"({"TableName":"Tab","DeletionProtectionEnabled":false})");
  EXPECT_THAT(world.replicas(kFar, "Delete", R"("RegionName":"eu-west-1")"),
              HasSubstr(R"("Replicas":[{"RegionName":"us-east-1",)"));
  EXPECT_EQ(world.status(kThere), kNotFound);
  EXPECT_EQ(world.status(kHere), "ACTIVE ap-southeast-2=ACTIVE");
  world.put_at(kHere, "a1");
  world.expect_same(kHere, kFar);
  EXPECT_THAT(world.at(kFar, "DeleteTable", R"({"TableName":"Tab"})"), HasSubstr("DELETING"));
  EXPECT_EQ(world.status(kHere), "ACTIVE") << "no replica any more";
  world.put_at(kHere, "a2");
  EXPECT_THAT(world.run("UpdateTable", R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":false}})"),
              HasSubstr("UPDATING"));
  world.have(kThere);
  world.expect_same(kHere, kThere);
}

// As on AWS, where a replica that was made from another needs it for a day.
TEST(GlobalTables, ARegionThatReplicasWereMadeFromGoesLast) {
  Regions world;
  world.have(kThere);
  EXPECT_THAT(world.add(kFar, kThere), HasSubstr("UPDATING"));
  world.settle();
  EXPECT_EQ(world.at(kHere, "DeleteTable", R"({"TableName":"Tab"})"), kWasSource);
  EXPECT_EQ(world.replicas(kHere, "Delete", R"("RegionName":"eu-west-1")"), kWasSource);
  EXPECT_THAT(world.replicas(kHere, "Delete", R"("RegionName":"ap-southeast-2")"), HasSubstr("UPDATING"));
  EXPECT_EQ(world.at(kHere, "DeleteTable", R"({"TableName":"Tab"})"), kWasSource) << "of eu-west-1";
  world.advance(kSourceOfReplicasMin);
  EXPECT_THAT(world.at(kHere, "DeleteTable", R"({"TableName":"Tab"})"), HasSubstr("DELETING"));
  EXPECT_EQ(world.status(kThere), "ACTIVE");
  EXPECT_EQ(world.put_at(kThere, "a1"), "{}");
}

TEST(GlobalTables, ARestoredTableIsNoReplica) {
  Regions world;
  fill(world, 5);
  world.have(kThere);
  const json::Value backup = Regions::parse(world.at(kThere, "CreateBackup", R"({"TableName":"Tab","BackupName":"daily"})"));
  const std::string arn = backup.find("BackupDetails")->find("BackupArn")->string();
  world.settle();
  EXPECT_THAT(world.at(kThere, "RestoreTableFromBackup",
                       base::cat(R"({"BackupArn":")", arn, R"(","TargetTableName":"Again"})")),
              Not(HasSubstr("GlobalTableVersion")));
  world.settle();
  EXPECT_THAT(world.at(kThere, "PutItem", R"({"TableName":"Again","Item":{)" + Regions::key_of("a9") + "}}"), "{}");
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Again"})"), HasSubstr("ResourceNotFoundException"));
}

}  // namespace
}  // namespace tidemill::dynamodb
