#include <gmock/gmock.h>

#include "services/iam/identity.h"
#include "services/iam/testing.h"

namespace tidemill::iam::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kJobs = "arn:aws:sqs:us-east-1:000000000000:jobs";

std::string statement(std::string_view effect, std::string_view action, std::string_view rest = R"("Resource":"*")") {
  return base::cat(R"({"Effect":")", effect, R"(","Action":")", action, R"(",)", rest, "}");
}
std::string policy(std::string_view statements) {
  return base::cat(R"({"Version":"2012-10-17","Statement":[)", statements, "]}");
}

json::Array texts(std::initializer_list<std::string> list) {
  json::Array array;
  for (const std::string& text : list) array.emplace_back(text);
  return array;
}

struct Simulations : ::testing::Test {
  World world;

  std::string simulate(json::Object request) {
    return world.say("SimulateCustomPolicy", json::write(json::Value(std::move(request))));
  }
  // Of one action on one resource.
  json::Value result(json::Object request) {
    const json::Value answer = json::parse(simulate(std::move(request))).value();
    return answer.find("EvaluationResults")->array().at(0);
  }
  static std::string text(const json::Value& value, std::string_view name) { return value.find(name)->string(); }
};

TEST_F(Simulations, WhatWouldTakeTooLongIsRefusedAndWhatPoliciesReallyHoldIsNot) {
  const auto simulated = [&](size_t pattern, size_t value) {
    const std::string condition = base::cat(R"("Resource":"*","Condition":{"StringLike":{"aws:UserAgent":"*?)",
                                            std::string(pattern, 'a'), R"(b"}})");
    json::Object entry{{"ContextKeyName", "aws:UserAgent"},
                       {"ContextKeyType", "string"},
                       {"ContextKeyValues", texts({std::string(value, 'a')})}};
    return simulate({{"PolicyInputList", texts({policy(statement("Allow", "sqs:*", condition))})},
                     {"ActionNames", texts({"sqs:SendMessage"})},
                     {"ContextEntries", json::Array{std::move(entry)}}});
  };
  EXPECT_THAT(simulated(6'000, 15'000), HasSubstr("implicitDeny"));
  EXPECT_THAT(simulated(100'000, 10'000'000), HasSubstr("too long to be simulated"));
}

TEST_F(Simulations, DecideAsRequestsAreDecidedAndNameTheStatements) {
  const std::string mixed = policy(base::cat(statement("Allow", "sqs:*"), ",", statement("Deny", "sqs:DeleteQueue")));
  const json::Value allowed = result({{"PolicyInputList", texts({mixed})},
                                      {"ActionNames", texts({"sqs:SendMessage"})},
                                      {"ResourceArns", texts({std::string(kJobs)})}});
  EXPECT_EQ(text(allowed, "EvalDecision"), "allowed");
  EXPECT_EQ(text(allowed, "EvalResourceName"), kJobs);
  const json::Value& matched = allowed.find("MatchedStatements")->array().at(0);
  EXPECT_EQ(json::write(matched), R"({"SourcePolicyId":"PolicyInputList.1","SourcePolicyType":"IAM Policy",)"
                                  R"("StartPosition":{"Line":1,"Column":38},"EndPosition":{"Line":1,"Column":88}})");
  EXPECT_EQ(json::write(*allowed.find("EvalDecisionDetails")), "{}");
  const json::Value& specific = allowed.find("ResourceSpecificResults")->array().at(0);
  EXPECT_EQ(text(specific, "EvalResourceDecision"), "allowed");

  const json::Value denied = result({{"PolicyInputList", texts({mixed})}, {"ActionNames", texts({"sqs:DeleteQueue"})}});
  EXPECT_EQ(text(denied, "EvalDecision"), "explicitDeny");
  EXPECT_EQ(denied.find("MatchedStatements")->array().size(), 1);
  EXPECT_FALSE(denied.find("ResourceSpecificResults"));
  EXPECT_FALSE(denied.find("EvalDecisionDetails"));
  const json::Value silent = result({{"PolicyInputList", texts({mixed})}, {"ActionNames", texts({"s3:GetObject"})}});
  EXPECT_EQ(text(silent, "EvalDecision"), "implicitDeny");
  EXPECT_EQ(json::write(*silent.find("MatchedStatements")), "[]");
}

// As where requests are judged: one that was stored before it was refused.
TEST_F(Simulations, AHeldPolicyThatCannotBeReadDeniesAll) {
  world.make_role("r");
  world.await([](World& in) -> Task<bool> {
    co_await change_identity(*in.store, {Kind::role, std::string(World::kAccount), "r"}, [](Identity& role) {
      role.inline_policies["all"] = policy(statement("Allow", "*"));
      role.inline_policies["bad"] = policy(statement("Deny", "s3:*", R"("Resource":"*","Condition":{"StringEqual":{}})"));
    });
    co_return true;
  }(world));
  const json::Value answer = world.tell(
      "SimulatePrincipalPolicy",
      R"({"PolicySourceArn":"arn:aws:iam::000000000000:role/r","ActionNames":["sqs:SendMessage"]})");
  EXPECT_EQ(text(answer.find("EvaluationResults")->array().at(0), "EvalDecision"), "explicitDeny");
}

TEST_F(Simulations, ComePageByPage) {
  const std::string all = policy(statement("Allow", "*"));
  json::Object request{{"PolicyInputList", texts({all})},
                       {"ActionNames", texts({"sqs:SendMessage", "sqs:ReceiveMessage"})},
                       {"ResourceArns", texts({std::string(kJobs), "arn:aws:s3:::b"})},
                       {"MaxItems", 3}};
  const json::Value first = json::parse(simulate(request)).value();
  EXPECT_EQ(first.find("EvaluationResults")->array().size(), 3);
  EXPECT_TRUE(first.find("IsTruncated")->boolean());
  request.set("Marker", first.find("Marker")->string());
  const json::Value rest = json::parse(simulate(request)).value();
  ASSERT_EQ(rest.find("EvaluationResults")->array().size(), 1);
  const json::Value& last = rest.find("EvaluationResults")->array()[0];
  EXPECT_EQ(text(last, "EvalActionName"), "sqs:ReceiveMessage");
  EXPECT_EQ(text(last, "EvalResourceName"), "arn:aws:s3:::b");
  EXPECT_FALSE(rest.find("IsTruncated")->boolean());
  for (const char* marker : {"4", "x", "-1", "99999999999999999999999"}) {
    request.set("Marker", marker);
    EXPECT_THAT(simulate(request), HasSubstr("Invalid Marker.")) << marker;
  }
}

TEST_F(Simulations, TellWhichContextValuesAreMissing) {
  const std::string conditional = policy(
      base::cat(statement("Allow", "sqs:SendMessage",
                          R"("Resource":"*","Condition":{"DateGreaterThan":{"aws:CurrentTime":"2026-01-01T00:00:00Z"},)"
                          R"("StringEquals":{"aws:SourceVpc":"v"}})"),
                ",", statement("Allow", "s3:GetObject", R"("Resource":"arn:aws:s3:::b/${aws:username}")")));
  json::Object request{{"PolicyInputList", texts({conditional})}, {"ActionNames", texts({"sqs:SendMessage"})}};
  EXPECT_EQ(json::write(*result(request).find("MissingContextValues")), R"(["aws:CurrentTime","aws:SourceVpc"])");
  request.set("ContextEntries", json::Array{json::Object{{"ContextKeyName", "AWS:currenttime"},
                                                         {"ContextKeyType", "date"},
                                                         {"ContextKeyValues", texts({"2026-05-05T00:00:00Z"})}},
                                            json::Object{{"ContextKeyName", "aws:SourceVpc"},
                                                         {"ContextKeyType", "string"},
                                                         {"ContextKeyValues", texts({"v"})}}});
  const json::Value given = result(request);
  EXPECT_EQ(json::write(*given.find("MissingContextValues")), "[]");
  EXPECT_EQ(text(given, "EvalDecision"), "allowed");

  json::Object object{{"PolicyInputList", texts({conditional})},
                      {"ActionNames", texts({"s3:GetObject"})},
                      {"ResourceArns", texts({"arn:aws:s3:::b/ann"})}};
  const json::Value unnamed = result(object);
  EXPECT_EQ(json::write(*unnamed.find("MissingContextValues")), "[]");
  EXPECT_EQ(json::write(*unnamed.find("ResourceSpecificResults")->array()[0].find("MissingContextValues")),
            R"(["aws:username"])");
  object.set("CallerArn", "arn:aws:iam::000000000000:user/team/ann");
  EXPECT_EQ(text(result(object), "EvalDecision"), "allowed");
  EXPECT_EQ(world.say("GetContextKeysForCustomPolicy",
                      json::write(json::Object{{"PolicyInputList", texts({conditional, conditional})}})),
            R"({"ContextKeyNames":["aws:CurrentTime","aws:SourceVpc","aws:username"]})");
}

TEST_F(Simulations, BoundariesBoundAndSayThatTheyDo) {
  json::Object request{{"PolicyInputList", texts({policy(statement("Allow", "*"))})},
                       {"PermissionsBoundaryPolicyInputList",
                        texts({policy(base::cat(statement("Allow", "sqs:*"), ",", statement("Deny", "sqs:Purge*")))})},
                       {"ActionNames", texts({"sqs:SendMessage"})}};
  const auto is_within = [](const json::Value& value) {
    return value.find("PermissionsBoundaryDecisionDetail")->find("AllowedByPermissionsBoundary")->boolean();
  };
  const json::Value inside = result(request);
  EXPECT_EQ(text(inside, "EvalDecision"), "allowed");
  EXPECT_TRUE(is_within(inside));
  request.set("ActionNames", texts({"s3:GetObject"}));
  const json::Value outside = result(request);
  EXPECT_EQ(text(outside, "EvalDecision"), "implicitDeny");
  EXPECT_FALSE(is_within(outside));
  request.set("ActionNames", texts({"sqs:PurgeQueue"}));
  const json::Value denied = result(request);
  EXPECT_EQ(text(denied, "EvalDecision"), "explicitDeny");
  EXPECT_EQ(text(denied.find("MatchedStatements")->array().at(0), "SourcePolicyType"), "Permissions Boundary Policy");
}

TEST_F(Simulations, ResourcePoliciesCountAndBothSidesOfTwoAccounts) {
  const std::string grant =
      policy(statement("Allow", "s3:GetObject",
                       R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ann"},"Resource":"arn:aws:s3:::b/*")"));
  json::Object request{{"PolicyInputList", texts({policy(statement("Allow", "sqs:*"))})},
                       {"ActionNames", texts({"s3:GetObject"})},
                       {"ResourceArns", texts({"arn:aws:s3:::b/k"})},
                       {"ResourcePolicy", grant},
                       {"CallerArn", "arn:aws:iam::000000000000:user/ann"}};
  const json::Value own = result(request);
  EXPECT_EQ(text(own, "EvalDecision"), "allowed");
  EXPECT_EQ(text(own.find("MatchedStatements")->array().at(0), "SourcePolicyType"), "Resource Policy");
  request.set("ResourceOwner", "arn:aws:iam::222222222222:root");
  const json::Value foreign = result(request);
  EXPECT_EQ(text(foreign, "EvalDecision"), "implicitDeny");
  EXPECT_EQ(json::write(*foreign.find("EvalDecisionDetails")),
            R"({"IAM Policy":"implicitDeny","Resource Policy":"allowed"})");
  request.set("PolicyInputList", texts({policy(statement("Allow", "s3:*"))}));
  EXPECT_EQ(text(result(request), "EvalDecision"), "allowed");
}

TEST_F(Simulations, OfAUserTakeTheGroupsAndTheBoundary) {
  world.tell("CreateUser", R"({"UserName":"ann"})");
  world.tell("CreateGroup", R"({"GroupName":"millers"})");
  world.tell("AddUserToGroup", R"({"UserName":"ann","GroupName":"millers"})");
  world.tell("PutGroupPolicy", json::write(json::Object{{"GroupName", "millers"},
                                                        {"PolicyName", "work"},
                                                        {"PolicyDocument", policy(statement("Allow", "sqs:*"))}}));
  const std::string arn = world.make_policy("flour");  // sqs:SendMessage
  world.tell("PutUserPermissionsBoundary",
             json::write(json::Object{{"UserName", "ann"}, {"PermissionsBoundary", arn}}));
  const auto decided = [&](std::string_view more) {
    const std::string answer =
        world.say("SimulatePrincipalPolicy",
                  base::cat(R"({"PolicySourceArn":"arn:aws:iam::000000000000:user/ann","ActionNames":[)", more));
    const auto parsed = json::parse(answer);
    if (!parsed) return answer;
    const json::Value& one = parsed->find("EvaluationResults")->array().at(0);
    const auto& matched = one.find("MatchedStatements")->array();
    return base::cat(text(one, "EvalDecision"), " ", matched.empty() ? "" : text(matched[0], "SourcePolicyId"));
  };
  EXPECT_EQ(decided(R"("sqs:SendMessage"]})"), "allowed group_millers_work");
  EXPECT_EQ(decided(R"("sqs:ReceiveMessage"]})"), "implicitDeny ");
  // What the request says of a boundary takes its place.
  EXPECT_EQ(decided(R"("sqs:ReceiveMessage"],"PermissionsBoundaryPolicyInputList":["{\"Version\":\"2012-10-17\",)"
                    R"(\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":\"*\"}}"]})"),
            "allowed group_millers_work");
  EXPECT_THAT(world.say("SimulatePrincipalPolicy", R"({"PolicySourceArn":"arn:aws:iam::000000000000:user/bob",)"
                                                   R"("ActionNames":["sqs:SendMessage"]})"),
              HasSubstr("NoSuchEntityException: The user with name bob cannot be found."));
  EXPECT_THAT(world.say("GetContextKeysForPrincipalPolicy", R"({"PolicySourceArn":"arn:aws:sqs:us-east-1:1:jobs"})"),
              HasSubstr("InvalidInputException: "));
}

TEST_F(Simulations, RefuseWhatCannotBeSimulated) {
  const std::string all = policy(statement("Allow", "*"));
  const auto refused = [&](std::string name, json::Value value) {
    json::Object request{{"PolicyInputList", texts({all})}, {"ActionNames", texts({"sqs:SendMessage"})}};
    request.set(std::move(name), std::move(value));
    return simulate(std::move(request));
  };
  EXPECT_THAT(refused("ActionNames", texts({"sqs:*"})), HasSubstr("InvalidInputException: Invalid Action: sqs:*"));
  EXPECT_THAT(refused("PolicyInputList", texts({"{"})), HasSubstr("InvalidInputException: "));
  EXPECT_THAT(refused("ResourceArns", texts({"queue"})), HasSubstr("InvalidInputException: "));
  EXPECT_THAT(refused("PermissionsBoundaryPolicyInputList", texts({all, all})), HasSubstr("InvalidInputException: "));
  EXPECT_THAT(refused("ResourcePolicy", all), HasSubstr("CallerArn is required"));
  EXPECT_THAT(refused("CallerArn", "arn:aws:iam::000000000000:role/r"), HasSubstr("is not the ARN of a user"));
  EXPECT_THAT(refused("ResourceOwner", "someone"), HasSubstr("is not the ARN of an account"));
  EXPECT_THAT(refused("ResourceHandlingOption", "EC2-Moon"), HasSubstr("Invalid ResourceHandlingOption"));
  EXPECT_THAT(refused("ResourceHandlingOption", "EC2-VPC-EBS"), HasSubstr("needs a resource of type instance"));
  const auto entry = [&](std::string_view type, std::string_view value) {
    return refused("ContextEntries", json::Array{json::Object{{"ContextKeyName", "aws:Thing"},
                                                              {"ContextKeyType", type},
                                                              {"ContextKeyValues", texts({std::string(value)})}}});
  };
  for (const auto& [type, value] :
       {std::pair("numeric", "x"), {"date", "soon"}, {"ip", "here"}, {"boolean", "maybe"}, {"ipList", "1.2.3"}}) {
    EXPECT_THAT(entry(type, value), HasSubstr("InvalidInputException: The value ")) << type;
  }
  for (const auto& [type, value] : {std::pair("numeric", "7.5"),
                                    {"date", "2026-01-01"},
                                    {"ip", "10.0.0.1"},
                                    {"boolean", "TRUE"},
                                    {"binary", "AAEC"},
                                    {"string", "x"}}) {
    EXPECT_THAT(entry(type, value), HasSubstr("allowed")) << type;
  }
}

}  // namespace
}  // namespace tidemill::iam::testing
