#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rights/denial.h"
#include "rights/dynamodb_facts.h"
#include "rights/explanations.h"
#include "rights/known.h"

namespace tidemill::rights {
namespace {

using lang::policies::Decision;
using lang::policies::Outcome;
using lang::policies::PolicyKind;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

lang::policies::Values names_in(std::string_view expression, std::map<std::string, std::string> names = {}) {
  lang::policies::Values found;
  add_names(expression, &names, found);
  return found;
}

TEST(Rights, AnExpressionNamesItsTopLevelAttributes) {
  EXPECT_THAT(names_in("SET a = :v, b.c = if_not_exists(d[0], :w) REMOVE #n", {{"#n", "name"}}),
              ElementsAre("a", "b", "d", "name"));
  EXPECT_THAT(names_in("size (a) > :n AND NOT contains(#x.y, :v) or b between :l and :h", {{"#x", "x"}}),
              ElementsAre("a", "x", "b"));
  EXPECT_THAT(names_in(""), ElementsAre());
}

Actor user() {
  Actor actor;
  actor.caller = {.kind = lang::policies::PrincipalKind::user, .account = "1", .arn = "arn:aws:iam::1:user/u"};
  return actor;
}

std::string denied(const Ask& ask, const Decision& decision) { return denial_message(user(), ask, decision); }

TEST(Rights, DenialsReadAsTheirServicesWriteThem) {
  const Decision nobody{.outcome = Outcome::implicitly_denied, .kind = PolicyKind::identity};
  EXPECT_EQ(denied({"sqs:SendMessage", "arn:aws:sqs:r:1:q"}, nobody),
            "User: arn:aws:iam::1:user/u is not authorized to perform: sqs:sendmessage on resource: arn:aws:sqs:r:1:q "
            "because no identity-based policy allows the sqs:sendmessage action");
  EXPECT_THAT(denied({"sns:Publish", "arn:aws:sns:r:1:t"}, nobody), EndsWith("allows the SNS:Publish action"));
  EXPECT_THAT(denied({"s3:GetObject", "arn:aws:s3:::b/k"}, nobody),
              HasSubstr(R"(on resource: "arn:aws:s3:::b/k" because)"));
  EXPECT_THAT(denied({"iam:GetRole", "arn:aws:iam::1:role/p/r"}, nobody), HasSubstr("on resource: role r because"));
  EXPECT_THAT(denied({"sts:AssumeRole", "arn:aws:iam::1:role/r"}, nobody),
              EndsWith("on resource: arn:aws:iam::1:role/r"));
}

TEST(Rights, AnExplicitDenialNamesItsManagedPolicy) {
  const Decision managed{Outcome::explicitly_denied, PolicyKind::boundary, "arn:aws:iam::1:policy/p"};
  EXPECT_THAT(denied({"ssm:GetParameter", "*"}, managed),
              EndsWith("with an explicit deny in a permissions boundary: arn:aws:iam::1:policy/p"));
  const Decision own{Outcome::explicitly_denied, PolicyKind::identity, "inline"};
  EXPECT_THAT(denied({"ssm:GetParameter", "*"}, own), EndsWith("with an explicit deny in an identity-based policy"));
}

TEST(Rights, TheLastRequestsAreExplained) {
  Explanations explanations;
  const auto add = [&](std::string id, Outcome outcome) {
    const auto judgment = std::make_shared<const Judgment>(Judgment{.ask = {"a:B", "*"}, .outcome = outcome});
    explanations.add({std::move(id), nullptr, "AKIA", {judgment}});
  };
  EXPECT_FALSE(explanations.last_denied());
  add("denied", Outcome::implicitly_denied);
  add("allowed", Outcome::allowed);
  EXPECT_EQ(explanations.last_denied()->request_id, "denied");
  EXPECT_THAT(json::write(document_of(*explanations.find("denied"))),
              HasSubstr(R"("allowed_by":{"Effect":"Allow","Action":"a:B","Resource":"*"})"));
  for (size_t i = 0; i < kExplainedMax; ++i) add(std::to_string(i), Outcome::allowed);
  EXPECT_FALSE(explanations.find("allowed"));
  EXPECT_TRUE(explanations.find("0"));
  EXPECT_FALSE(explanations.last_denied());
}

TEST(Rights, OfARequestThatAsksForThousandsAFewAreExplainedAndAlwaysWhatDenied) {
  Explanations explanations;
  std::vector<std::shared_ptr<const Judgment>> judgments;
  for (int i = 0; i < 1000; ++i) {
    judgments.push_back(std::make_shared<const Judgment>(Judgment{.ask = {"s3:DeleteObject", std::to_string(i)},
                                                                  .outcome = Outcome::allowed}));
  }
  judgments.push_back(std::make_shared<const Judgment>(Judgment{.ask = {"s3:DeleteObject", "closed"}}));
  explanations.add({"many", nullptr, "AKIA", judgments});
  const auto found = explanations.last_denied();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->judgments.size(), kJudgmentsExplainedMax);
  EXPECT_EQ(found->judgments.front()->ask.resource, "0");
  EXPECT_EQ(found->judgments.back()->ask.resource, "closed");
  EXPECT_THAT(json::write(document_of(*found)), HasSubstr(R"("left_out":901)"));
}

TEST(Rights, ADeedIsExplainedWithTheOperationOfItsRequest) {
  const wire::OperationInfo mapping{.service = "lambda", .name = "CreateEventSourceMapping"};
  const wire::OperationInfo inner{.service = "sqs", .name = "GetQueueUrl"};
  const auto allowed = std::make_shared<const Judgment>(Judgment{.ask = {"a:B", "*"}, .outcome = Outcome::allowed});
  const auto denied = std::make_shared<const Judgment>(Judgment{.ask = {"a:C", "*"}});
  Explanations explanations;
  explanations.add({"one", &mapping, "AKIA", {allowed}});
  explanations.add({"one", &inner, "AKIA", {allowed}});
  explanations.add({"one", nullptr, "role", {denied}});
  EXPECT_EQ(explanations.find("one")->operation, &mapping);
  EXPECT_EQ(explanations.last_denied()->operation, &mapping);
  EXPECT_EQ(explanations.last_denied()->principal, "role");
  explanations.add({"two", nullptr, "role", {denied}});
  EXPECT_EQ(explanations.find("two")->operation, nullptr);
}

TEST(Rights, WhatWasAskedSeveralTimesIsExplainedOnce) {
  const auto judged = [](std::string resource) {
    return std::make_shared<const Judgment>(
        Judgment{.ask = {"events:PutEvents", std::move(resource)}, .outcome = Outcome::allowed});
  };
  const json::Value document = document_of({"three", nullptr, "AKIA", {judged("bus"), judged("other"), judged("bus")}});
  EXPECT_EQ(document.find("asked")->array().size(), 2U);
}

TEST(Rights, ExplanationsHoldNoMoreThanTheirBytes) {
  Explanations explanations;
  const auto large = std::make_shared<const Judgment>(
      Judgment{.ask = {"s3:DeleteObject", std::string(kExplainedBytesMax / 4, 'k')}, .outcome = Outcome::allowed});
  for (int i = 0; i < 5; ++i) explanations.add({std::to_string(i), nullptr, "AKIA", {large}});
  EXPECT_FALSE(explanations.find("1"));
  EXPECT_TRUE(explanations.find("2"));
  EXPECT_TRUE(explanations.find("4"));
}

TEST(Rights, WhatIsKnownHoldsNoMoreThanItsBytes) {
  KnownMap<int> known;
  const auto value = std::make_shared<const int>(1);
  for (int i = 0; i < 5; ++i) known.put(std::to_string(i), value, KnownMap<int>::kBytesMax / 4);
  EXPECT_FALSE(known.find("0"));
  EXPECT_TRUE(known.find("4"));
  known.put("large", value, KnownMap<int>::kBytesMax * 2);
  EXPECT_EQ(known.size(), 1u);
}

// What many of one thing share is kept once.
TEST(Rights, ABucketsObjectsHaveOneSide) {
  EXPECT_EQ(side_key("arn:aws:s3:::b/some/key"), "arn:aws:s3:::b");
  EXPECT_EQ(side_key("arn:aws:s3:::b"), "arn:aws:s3:::b");
  EXPECT_EQ(side_key("arn:aws:dynamodb:r:1:table/t/index/i"), "arn:aws:dynamodb:r:1:table/t");
  EXPECT_EQ(side_key("arn:aws:dynamodb:r:1:table/t/stream/s"), "arn:aws:dynamodb:r:1:table/t/stream/s");
  EXPECT_EQ(side_key("arn:aws:logs:r:1:log-group:g:log-stream:s"), side_key("arn:aws:logs:r:1:log-group:h:*"));
  EXPECT_NE(side_key("arn:aws:logs:r:1:log-group:g:*"), side_key("arn:aws:logs:r:2:log-group:g:*"));
  EXPECT_EQ(side_key("arn:aws:sqs:r:1:q"), "arn:aws:sqs:r:1:q");
  EXPECT_EQ(side_key("*"), "*");
}

}  // namespace
}  // namespace tidemill::rights
