// Stacks with custom resources, whose process is killed at any step.
#include "services/cloudformation/deployment_kills.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;
using testing::kSeeds;
using testing::kTopic;
using testing::Stacks;

// How often a request of this type was sent, and of the last where its answer goes and whom it went to.
struct Asked {
  int count = 0;
  std::string url;
  std::string token;
};
Asked asked(const std::vector<std::string>& told, std::string_view type) {
  Asked result;
  for (const std::string& message : told) {
    const auto request = json::parse(message);
    if (!request || request->find("RequestType")->string() != type) continue;
    ++result.count;
    result.url = request->find("ResponseURL")->string();
    result.token = request->find("ServiceToken")->string();
  }
  return result;
}

std::string answer_of(std::string_view id, std::string_view data) {
  return json::write(
      json::Object{{"Status", "SUCCESS"}, {"PhysicalResourceId", id}, {"Data", json::Object{{"Colour", data}}}});
}

TEST(DeploymentKills, AnAnswerOfACustomResourceCountsOnceItIsTaken) {
  const auto body = [](std::string_view size) {
    const json::Object custom{{"Type", "Custom::Thing"},
                              {"Properties", json::Object{{"ServiceToken", kTopic}, {"Size", size}}}};
    const json::Object colour{{"Value", json::Object{{"Fn::GetAtt", json::Array{"Thing", "Colour"}}}}};
    return json::Object{{"Resources", json::Object{{"Thing", custom}}}, {"Outputs", json::Object{{"Colour", colour}}}};
  };
  for (uint64_t seed = 1; seed <= kSeeds * 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    // Nobody is killed until the answer is there: before, a request may well be sent again.
    const auto change = [&](const std::string& operation, std::string_view size) {
      const json::Object request{{"StackName", "custom"}, {"TemplateBody", json::write(body(size))}};
      const std::string id = client.ask("cloudformation", operation, request).find("StackId")->string();
      client.settle();
      return id;
    };
    const auto colour = [&](const std::string& id) {
      const json::Value found = client.ask("cloudformation", "DescribeStacks", json::Object{{"StackName", id}});
      return found.find("Stacks")->array().at(0).find("Outputs")->array().at(0).find("OutputValue")->string();
    };

    const std::string id = change("CreateStack", "small");
    client.answer(asked(client.told(), "Create").url, answer_of("it", "red"));
    stacks.expect("CREATE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Create").count, 1);
    EXPECT_EQ(colour(id), "red");

    (void)change("UpdateStack", "large");
    client.answer(asked(client.told(), "Update").url, answer_of("it", "blue"));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Create").count, 1);
    EXPECT_EQ(asked(client.told(), "Update").count, 1);
    EXPECT_EQ(colour(id), "blue");
  }
}

TEST(DeploymentKills, ACustomResourceIsAnsweredWhereItsRuntimeReachesTheServer) {
  constexpr std::string_view kOfAws = "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/";
  const auto function = [](std::string_view name) {
    return cat("arn:aws:lambda:us-east-1:000000000000:function:", name);
  };
  const std::pair<std::string, std::string_view> cases[] = {{function("nodejs22.x"), kOfAws},
                                                            {function("python3.12"), kOfAws},
                                                            {function("java21"), testing::StackWorld::kEndpoint},
                                                            {std::string(kTopic), testing::StackWorld::kEndpoint}};
  for (const auto& [token, start] : cases) {
    SCOPED_TRACE(token);
    Stacks stacks(1);
    testing::StackClient& client = stacks.client;
    const json::Object custom{{"Type", "Custom::Thing"}, {"Properties", json::Object{{"ServiceToken", token}}}};
    const json::Object body{{"Resources", json::Object{{"Thing", custom}}}};
    const json::Object request{{"StackName", "custom"}, {"TemplateBody", json::write(body)}};
    const std::string id = client.ask("cloudformation", "CreateStack", request).find("StackId")->string();
    client.settle();
    const std::string url = asked(client.told(), "Create").url;
    EXPECT_TRUE(url.starts_with(start)) << url;
    client.answer(url, answer_of("it", "red"));
    stacks.expect("CREATE_COMPLETE", id);
  }
}

TEST(DeploymentKills, ARefusedServiceTokenLeavesACustomResourceItsOwn) {
  const auto body = [](std::string_view token, std::string_view size) {
    return json::Object{
        {"Resources",
         json::Object{{"Thing", json::Object{{"Type", "Custom::Thing"},
                                             {"Properties", json::Object{{"ServiceToken", token}, {"Size", size}}}}}}}};
  };
  constexpr std::string_view kOther = "arn:aws:sns:us-east-1:000000000000:other";
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    // Nobody is killed until the answer is there.
    const auto ask = [&](const std::string& operation, json::Object request, std::string_view type) {
      request.set("StackName", "custom");
      client.ask("cloudformation", operation, request);
      client.settle();
      client.answer(asked(client.told(), type).url, answer_of("it", "red"));
    };
    const auto id_of_stack = [&] {
      const json::Value found = client.ask("cloudformation", "DescribeStacks", json::Object{{"StackName", "custom"}});
      return found.find("Stacks")->array().at(0).find("StackId")->string();
    };

    ask("CreateStack", json::Object{{"TemplateBody", json::write(body(kTopic, "small"))}}, "Create");
    const std::string id = id_of_stack();
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "custom", body(kOther, "small"), json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    EXPECT_THAT(client.reasons(id), ::testing::HasSubstr("UPDATE_FAILED Modifying service token is not allowed."));
    EXPECT_EQ(asked(client.told(), "Update").count, 0);

    ask("UpdateStack", json::Object{{"TemplateBody", json::write(body(kTopic, "large"))}}, "Update");
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Update").token, kTopic);
    stacks.begin("UpdateStack", "custom", body(kOther, "large"), json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    ask("DeleteStack", {}, "Delete");
    stacks.expect("DELETE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Delete").token, kTopic);
  }
}

// Before anything is sent, so that there is nothing to take back. What an older server has made so is removed.
TEST(DeploymentKills, ATimeThatIsNoneFailsACustomResourceOfWhichNobodyIsTold) {
  const auto body = [](std::string_view timeout) {
    const json::Object properties{{"ServiceToken", kTopic}, {"ServiceTimeout", timeout}};
    const json::Object custom{{"Type", "Custom::Thing"}, {"Properties", properties}};
    return json::Object{{"Resources", json::Object{{"Thing", custom}}}};
  };
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    const auto ask = [&](const std::string& operation, json::Object request, std::string_view type) {
      request.set("StackName", "custom");
      client.ask("cloudformation", operation, request);
      client.settle();
      if (!type.empty()) client.answer(asked(client.told(), type).url, answer_of("it", "red"));
    };
    const auto id_of_stack = [&] {
      const json::Value found = client.ask("cloudformation", "DescribeStacks", json::Object{{"StackName", "custom"}});
      return found.find("Stacks")->array().at(0).find("StackId")->string();
    };

    ask("CreateStack", json::Object{{"TemplateBody", json::write(body("7200"))}}, "");
    std::string id = id_of_stack();
    stacks.expect("ROLLBACK_COMPLETE", id);
    EXPECT_THAT(client.reasons(id),
                ::testing::HasSubstr("Thing CREATE_FAILED ServiceTimeout must be between 1 and 3600 seconds."));
    EXPECT_TRUE(client.told().empty());
    ask("DeleteStack", {}, "");
    stacks.expect("DELETE_COMPLETE", id);

    ask("CreateStack", json::Object{{"TemplateBody", json::write(body("3600"))}}, "Create");
    id = id_of_stack();
    stacks.expect("CREATE_COMPLETE", id);
    ask("UpdateStack", json::Object{{"TemplateBody", json::write(body("0"))}}, "");
    // What is brought back is told so, with its own time.
    client.answer(asked(client.told(), "Update").url, answer_of("it", "red"));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Update").count, 1);

    client.rewrite(id, "Thing", [](Resource& thing) { thing.now.properties.set("ServiceTimeout", 7'200); });
    ask("DeleteStack", {}, "Delete");
    stacks.expect("DELETE_COMPLETE", id);
  }
}

// Long after it was last asked for; only the outputs need it once more. What was made cannot be removed without it.
TEST(DeploymentKills, ARoleThatIsGoneWhenOutputsAreReadFailsTheStack) {
  const json::Object custom{{"Type", "Custom::Thing"}, {"Properties", json::Object{{"ServiceToken", kTopic}}}};
  const json::Object output{{"Value", "{{resolve:ssm:/colour}}"}};
  const json::Object body{{"Resources", json::Object{{"Thing", custom}}},
                          {"Outputs", json::Object{{"Colour", output}}}};
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    client.ask("iam", "CreateRole",
               json::Object{{"RoleName", "r"},
                            {"AssumeRolePolicyDocument",
                             R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sts:AssumeRole",)"
                             R"("Principal":{"Service":"cloudformation.amazonaws.com"}}})"}});
    client.ask("ssm", "PutParameter", json::Object{{"Name", "/colour"}, {"Type", "String"}, {"Value", "red"}});
    const json::Object request{{"StackName", "lost"},
                               {"TemplateBody", json::write(body)},
                               {"RoleARN", "arn:aws:iam::000000000000:role/r"}};
    const std::string id = client.ask("cloudformation", "CreateStack", request).find("StackId")->string();
    client.settle();
    client.ask("iam", "DeleteRole", json::Object{{"RoleName", "r"}});
    client.advance(std::chrono::minutes(31));
    client.answer(asked(client.told(), "Create").url, answer_of("it", "red"));
    EXPECT_TRUE(client.rest(id).starts_with("ROLLBACK_"));
    const std::string reasons = client.reasons(id);
    EXPECT_NE(reasons.find("Thing CREATE_COMPLETE"), std::string::npos) << reasons;
    EXPECT_NE(reasons.find("lost ROLLBACK_IN_PROGRESS Role arn:aws:iam::000000000000:role/r is invalid or cannot be "
                           "assumed. Rollback requested by user."),
              std::string::npos)
        << reasons;
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
