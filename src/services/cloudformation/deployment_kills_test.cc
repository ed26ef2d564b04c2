// Stacks whose process is killed at any step: what topics are told of them, and what they leave behind.
#include <set>

#include "services/cloudformation/deployment_kills.h"
#include "wire/timestamp.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;
using testing::kSeeds;
using testing::kTopic;
using testing::parameter;
using testing::Stacks;

// ---- Events ---------------------------------------------------------------------------------------------------------

TEST(DeploymentKills, NoTwoEventsOfAStackHaveTheSameTime) {
  json::Object parameters;
  for (int i = 0; i < 10; ++i) parameters.set(cat("Parameter", i), parameter("1"));
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id = stacks.begin("CreateStack", "brewing", json::Object{{"Resources", parameters}});
    stacks.expect("CREATE_COMPLETE", id);
    stacks.remove(id);
    base::Time behind = base::Time::max();
    for (const json::Value& one : stacks.events(id)) {
      const std::string& text = one.find("Timestamp")->string();
      const auto time = wire::parse_timestamp(text, wire::TimestampFormat::date_time).value();
      EXPECT_LT(time, behind) << text << " " << one.find("EventId")->string();
      behind = time;
    }
  }
}

// ---- Notifications --------------------------------------------------------------------------------------------------

// What stands behind `name` in a message to a topic.
std::string line_of(const std::string& message, std::string_view name) {
  const std::string begin = cat(name, "='");
  const size_t at = message.find(begin);
  if (at == std::string::npos) return "";
  return message.substr(at + begin.size(), message.find("'\n", at) - at - begin.size());
}

TEST(DeploymentKills, TopicsAreToldOfEveryEventOfStepsThatRunAtOnce) {
  constexpr int kQueues = 50;
  json::Object queues;
  for (int i = 0; i < kQueues; ++i) queues.set(cat("Queue", i), json::Object{{"Type", "AWS::SQS::Queue"}});
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id = stacks.begin("CreateStack", "told", json::Object{{"Resources", queues}},
                                        json::Object{{"NotificationARNs", json::Array{kTopic}}});
    stacks.expect("CREATE_COMPLETE", id);
    stacks.remove(id);
    stacks.client.settle();
    std::set<std::string> happened, told;
    for (const json::Value& one : stacks.events(id)) happened.insert(one.find("EventId")->string());
    for (const std::string& message : stacks.client.told()) told.insert(line_of(message, "EventId"));
    EXPECT_EQ(told, happened);
  }
}

TEST(DeploymentKills, TopicsThatAreGivenLaterAreNotToldOfWhatWasBefore) {
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id =
        stacks.begin("CreateStack", "told", json::Object{{"Resources", json::Object{{"One", parameter("1")}}}});
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "told", json::Object{{"Resources", json::Object{{"One", parameter("2")}}}},
                 json::Object{{"NotificationARNs", json::Array{kTopic}}});
    stacks.expect("UPDATE_COMPLETE", id);
    stacks.client.settle();
    ASSERT_FALSE(stacks.client.told().empty());
    const std::string& first = stacks.client.told().front();
    EXPECT_EQ(line_of(first, "LogicalResourceId"), "told");
    EXPECT_EQ(line_of(first, "ResourceStatus"), "UPDATE_IN_PROGRESS");
  }
}

// ---- What never was whole -------------------------------------------------------------------------------------------

TEST(DeploymentKills, NoPolicyKeepsWhatWasOnlyHalfMade) {
  // The user is there before its group turns out not to be.
  const json::Object user{{"Type", "AWS::IAM::User"},
                          {"DeletionPolicy", "Retain"},
                          {"Properties", json::Object{{"Groups", json::Array{"nobody"}}}}};
  for (uint64_t seed = 1; seed <= kSeeds * 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id =
        stacks.begin("CreateStack", "half", json::Object{{"Resources", json::Object{{"User", user}}}},
                     json::Object{{"Capabilities", json::Array{"CAPABILITY_NAMED_IAM"}}});
    stacks.expect("ROLLBACK_COMPLETE", id);
    const json::Value left = stacks.client.ask("iam", "ListUsers", json::Object());
    EXPECT_TRUE(left.find("Users")->array().empty()) << stacks.client.reasons(id);
    stacks.remove(id);
  }
}

TEST(DeploymentKills, WhatOneUpdateIsNotToKeepTheNextOneKeeps) {
  const auto body = [](std::string_view name) {
    json::Object kept = parameter("1");
    kept.set("DeletionPolicy", "Retain");
    json::Object broken = parameter("{{resolve:ssm:/nowhere}}");
    broken.set("DependsOn", name);
    json::Object resources{{"Plain", parameter("1")}, {"Broken", broken}};
    resources.set(std::string(name), kept);
    return json::Object{{"Resources", std::move(resources)}};
  };
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const auto count = [&] { return stacks.client.list("ssm", "DescribeParameters", "Parameters").size(); };
    const std::string id =
        stacks.begin("CreateStack", "kept", json::Object{{"Resources", json::Object{{"Plain", parameter("1")}}}});
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "kept", body("First"), json::Object{{"RetainExceptOnCreate", true}});
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
    EXPECT_EQ(count(), 1U) << stacks.client.reasons(id);
    stacks.begin("UpdateStack", "kept", body("Second"));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
    EXPECT_EQ(count(), 2U) << stacks.client.reasons(id);
  }
}

TEST(DeploymentKills, WhatCannotBeDoneInATestEndsIt) {
  Stacks stacks(4);  // nobody is killed
  const std::string id =
      stacks.begin("CreateStack", "plain", json::Object{{"Resources", json::Object{{"Plain", parameter("1")}}}});
  stacks.expect("CREATE_COMPLETE", id);
  EXPECT_THROW(stacks.client.rewrite(id, "Nobody", [](Resource&) {}), std::runtime_error);
}

// ---- Roles ----------------------------------------------------------------------------------------------------------

TEST(DeploymentKills, ANestedStackGoesBackUnderTheRoleThatItsParentHasByThen) {
  const auto nested = [](std::string_view key) {
    return json::Object{
        {"Type", "AWS::CloudFormation::Stack"},
        {"Properties", json::Object{{"TemplateURL", cat("https://s3.amazonaws.com/templates/", key)}}}};
  };
  json::Object broken = parameter("{{resolve:ssm:/nowhere}}");
  broken.set("DependsOn", "Child");
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    const auto role = [&](std::string_view name) {
      client.ask("iam", "CreateRole",
                 json::Object{{"RoleName", name},
                              {"AssumeRolePolicyDocument",
                               R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sts:AssumeRole",)"
                               R"("Principal":{"Service":"cloudformation.amazonaws.com"}}})"}});
      return json::Object{{"RoleARN", cat("arn:aws:iam::000000000000:role/", name)}, {"DisableRollback", true}};
    };
    client.ask("s3", "CreateBucket", json::Object{{"Bucket", "templates"}});
    for (const std::string_view value : {"1", "2"}) {
      const json::Object text{{"Resources", json::Object{{"Thing", parameter(value)}}}};
      client.ask("s3", "PutObject",
                 json::Object{{"Bucket", "templates"}, {"Key", value}, {"Body", json::write(text)}});
    }
    const json::Object whole{{"Resources", json::Object{{"Child", nested("1")}}}};
    const std::string id = stacks.begin("CreateStack", "roles", whole, role("first"));
    stacks.expect("CREATE_COMPLETE", id);
    const json::Object failing{{"Resources", json::Object{{"Child", nested("2")}, {"Broken", broken}}}};
    stacks.begin("UpdateStack", "roles", failing, role("second"));
    stacks.expect("UPDATE_FAILED", id);
    client.ask("iam", "DeleteRole", json::Object{{"RoleName", "first"}});
    client.ask("cloudformation", "RollbackStack", json::Object{{"StackName", "roles"}});
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
