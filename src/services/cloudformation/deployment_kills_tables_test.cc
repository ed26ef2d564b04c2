// Stacks with tables whose indexes and replicas are still filled, and whose process is killed at any step.
#include "services/cloudformation/deployment_kills.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;
using testing::kSeeds;
using testing::Stacks;

json::Object table(std::string_view type, json::Object more) {
  more.set("TableName", "things");
  more.set("BillingMode", "PAY_PER_REQUEST");
  more.set("KeySchema", json::Array{json::Object{{"AttributeName", "id"}, {"KeyType", "HASH"}}});
  if (!more.find("AttributeDefinitions")) {
    more.set("AttributeDefinitions", json::Array{json::Object{{"AttributeName", "id"}, {"AttributeType", "S"}}});
  }
  return {{"Type", type}, {"Properties", std::move(more)}};
}

json::Object plain_table() { return table("AWS::DynamoDB::Table", {}); }

json::Object indexed_table() {
  const json::Object index{{"IndexName", "by-time"},
                           {"KeySchema", json::Array{json::Object{{"AttributeName", "at"}, {"KeyType", "HASH"}}}},
                           {"Projection", json::Object{{"ProjectionType", "ALL"}}}};
  return table("AWS::DynamoDB::Table",
               {{"AttributeDefinitions", json::Array{json::Object{{"AttributeName", "id"}, {"AttributeType", "S"}},
                                                     json::Object{{"AttributeName", "at"}, {"AttributeType", "N"}}}},
                {"GlobalSecondaryIndexes", json::Array{index}}});
}

json::Object global_table(json::Array replicas) {
  return table("AWS::DynamoDB::GlobalTable",
               {{"StreamSpecification", json::Object{{"StreamViewType", "NEW_AND_OLD_IMAGES"}}},
                {"Replicas", std::move(replicas)}});
}

// Fails at once, while others still wait for what they have begun.
json::Object broken_queue() {
  return {{"Type", "AWS::SQS::Queue"}, {"Properties", json::Object{{"VisibilityTimeout", 99'999'999}}}};
}

json::Object resources(json::Object members) { return {{"Resources", std::move(members)}}; }

json::Value described_table(Stacks& stacks) {
  return *stacks.client.ask("dynamodb", "DescribeTable", json::Object{{"TableName", "things"}}).find("Table");
}

std::string index_status(Stacks& stacks) {
  const json::Value found = described_table(stacks);
  const json::Value* indexes = found.find("GlobalSecondaryIndexes");
  return indexes && indexes->is_array() ? indexes->array().at(0).find("IndexStatus")->string() : "none";
}

// "eu-west-1 ACTIVE"; of the replicas elsewhere.
std::vector<std::string> replicas_elsewhere(Stacks& stacks) {
  const json::Value found = described_table(stacks);
  const json::Value* replicas = found.find("Replicas");
  std::vector<std::string> result;
  if (!replicas || !replicas->is_array()) return result;
  for (const json::Value& one : replicas->array()) {
    const std::string region = one.find("RegionName")->string();
    if (region != testing::StackWorld::kRegion) result.push_back(cat(region, " ", one.find("ReplicaStatus")->string()));
  }
  return result;
}

// In a stack of its own, "indexed", whose id it returns.
std::string create_plain_table(Stacks& stacks) {
  const std::string id = stacks.begin("CreateStack", "indexed", resources({{"Table", plain_table()}}));
  stacks.expect("CREATE_COMPLETE", id);
  return id;
}

TEST(DeploymentKills, AnUpdateThatAddsAnIndexEndsOnceThatIsFilled) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "ACTIVE");
    stacks.remove(id);
  }
}

TEST(DeploymentKills, AnIndexThatAFailedUpdateHasBegunIsFilledBeforeTheNextOneEnds) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}, {"Broken", broken_queue()}}),
                 json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "ACTIVE");
  }
}

TEST(DeploymentKills, ARollbackTakesAnIndexAwayThatIsStillFilled) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}, {"Broken", broken_queue()}}));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "none");
  }
}

const json::Object kHere{{"Region", testing::StackWorld::kRegion}};
const json::Object kThere{{"Region", "eu-west-1"}};

TEST(DeploymentKills, ARollbackTakesAReplicaAwayThatIsStillFilled) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id =
        stacks.begin("CreateStack", "global", resources({{"Table", global_table(json::Array{kHere})}}));
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "global",
                 resources({{"Table", global_table(json::Array{kHere, kThere})}, {"Broken", broken_queue()}}));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
    EXPECT_TRUE(replicas_elsewhere(stacks).empty());
    stacks.remove(id);
  }
}

TEST(DeploymentKills, ADeletionTakesAReplicaAwayThatAFailedUpdateHasAdded) {
  const json::Object kept{{"DisableRollback", true}};
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const auto failing = [&](json::Array replicas) {
      stacks.begin("UpdateStack", "global",
                   resources({{"Table", global_table(std::move(replicas))}, {"Broken", broken_queue()}}), kept);
    };
    const std::string id =
        stacks.begin("CreateStack", "global", resources({{"Table", global_table(json::Array{kHere})}}));
    stacks.expect("CREATE_COMPLETE", id);
    failing(json::Array{kHere, kThere});
    stacks.expect("UPDATE_FAILED", id);
    if (seed % 2 == 0) failing(json::Array{kHere, json::Object{{"Region", "eu-central-1"}}});
    stacks.expect("UPDATE_FAILED", id);
    stacks.remove(id);
    EXPECT_THAT(stacks.client.send("dynamodb", "DescribeTable", json::Object{{"TableName", "things"}}, false).refusal,
                ::testing::StartsWith("ResourceNotFoundException"));
  }
}

// Killed once a sibling has failed, an update begins nothing more when it goes on: what was under way it leaves so. The
// next one finds nothing new in the template, and yet has something to change.
TEST(DeploymentKills, WhatAFailedUpdateHasLeftInProgressIsChangedByTheNextOne) {
  int indexed = 0;
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}, {"Broken", broken_queue()}}),
                 json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    stacks.client.rewrite(id, "Table", [](Resource& resource) { resource.status = "UPDATE_IN_PROGRESS"; });
    if (index_status(stacks) != "none") ++indexed;
    stacks.begin("UpdateStack", "indexed", resources({{"Table", plain_table()}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "none");
  }
  EXPECT_GT(indexed, 0) << "no seed tells of it";
}

TEST(DeploymentKills, AnUpdateGoesOnWhileItsReplicaIsStillFilled) {
  json::Object protected_here = kHere;
  protected_here.set("DeletionProtectionEnabled", true);
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id =
        stacks.begin("CreateStack", "global", resources({{"Table", global_table(json::Array{kHere})}}));
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "global", resources({{"Table", global_table(json::Array{protected_here, kThere})}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(replicas_elsewhere(stacks), std::vector<std::string>{"eu-west-1 ACTIVE"});
    EXPECT_TRUE(described_table(stacks).find("DeletionProtectionEnabled")->boolean());
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
