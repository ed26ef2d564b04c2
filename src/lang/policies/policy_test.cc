#include "lang/policies/policy.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "lang/policies/decide.h"
#include "lang/policies/positions.h"

namespace tidemill::lang::policies {
namespace {

std::string wrong(std::string_view document) {
  const auto policy = Policy::parse(document);
  return policy ? "" : policy.error();
}

TEST(Policies, SayWhatIsWrongWithADocument) {
  EXPECT_EQ(wrong("{"), "the document is no JSON object");
  EXPECT_EQ(wrong("[]"), "the document is no JSON object");
  EXPECT_EQ(wrong("{}"), "there is no Statement");
  EXPECT_EQ(wrong(R"({"Version":"2020-01-01","Statement":[]})"), "unknown Version");
  EXPECT_EQ(wrong(R"({"Statement":[1]})"), "Statement 1: is no object");
  EXPECT_EQ(wrong(R"({"Statement":{"Effect":"allow","Action":"*"}})"), "Statement: Effect is neither Allow nor Deny");
  EXPECT_EQ(wrong(R"({"Statement":{"Effect":"Allow","Action":"*","NotAction":"*"}})"),
            "Statement: has both Action and NotAction");
  EXPECT_EQ(wrong(R"({"Statement":{"Effect":"Allow","Action":[]}})"), "Statement: Action is empty");
  EXPECT_EQ(wrong(R"({"Statement":{"Effect":"Allow"}})"), "Statement: there is no Action");
  EXPECT_EQ(wrong(R"({"Statement":{"Effect":"Allow","Action":"*","Rsource":"*"}})"),
            "Statement: unknown element Rsource");
  EXPECT_EQ(wrong(R"({"Statement":{"Effect":"Allow","Action":"*","Principal":"me"}})"),
            "Statement: Principal names nobody");
  const std::string condition = "Statement: Condition has an operator that is none, or values that are no texts";
  for (const char* bad :
       {R"({"NullIfExists":{"k":"true"}})", R"({"StringSame":{"k":"v"}})", R"({"Bool":{"k":{}}})", "[]"}) {
    EXPECT_EQ(wrong(base::cat(R"({"Statement":{"Effect":"Allow","Action":"*","Condition":)", bad, "}}")), condition)
        << bad;
  }
  EXPECT_EQ(wrong(std::string(kDocumentBytesMax + 1, ' ')), "the document is too long");
}

TEST(Policies, OfResourcesSayWhomTheyMean) {
  const auto said = [](std::string_view document) {
    const auto policy = Policy::parse_of_resource(document);
    return policy ? "" : policy.error();
  };
  EXPECT_EQ(said(R"({"Statement":[]})"), "");
  EXPECT_EQ(said(R"({"Statement":{"Effect":"Allow","Principal":"*","Action":"*"}})"), "");
  EXPECT_EQ(said(R"({"Statement":{"Effect":"Deny","NotPrincipal":{"AWS":"111111111111"},"Action":"*"}})"), "");
  EXPECT_EQ(said(R"({"Statement":[{"Effect":"Allow","Principal":"*","Action":"*"},{"Effect":"Allow","Action":"*"}]})"),
            "Statement 2: there is no Principal");
  EXPECT_EQ(said("{}"), "there is no Statement");
}

TEST(Policies, TellWhetherFactsMatter) {
  const auto uses = [](std::string_view document) { return Policy::parse(document)->uses_facts(); };
  EXPECT_FALSE(uses(R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})"));
  EXPECT_TRUE(uses(R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"${k}"}})"));
  EXPECT_FALSE(uses(R"({"Version":"2008-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"${k}"}})"));
  EXPECT_TRUE(
      uses(R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Null":{"k":"true"}}}})"));
}

// The two forms that AWS's documentation of its simulator shows, and a list of several.
TEST(Policies, TellWhereTheirStatementsStand) {
  const auto one = statement_positions(
      R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:*","Resource":"*","Condition":)"
      R"({"DateGreaterThan":{"aws:CurrentTime":"2018-08-16T12:00:00Z"}}}})");
  ASSERT_EQ(one.size(), 1);
  EXPECT_EQ(one[0].start, (TextPosition{1, 38}));
  EXPECT_EQ(one[0].end, (TextPosition{1, 167}));
  const auto listed = statement_positions(R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "a \"quoted\" ] text",
            "Effect": "Allow",
            "Action": ["a:b", "c:d"],
            "Resource": "*"
        },
        {"Effect": "Deny", "Action": "*", "Resource": "*"} ]
})");
  ASSERT_EQ(listed.size(), 2);
  EXPECT_EQ(listed[0].start, (TextPosition{3, 19}));
  EXPECT_EQ(listed[0].end, (TextPosition{9, 10}));
  EXPECT_EQ(listed[1].start, (TextPosition{9, 10}));
  EXPECT_EQ(listed[1].end, (TextPosition{10, 59}));
  for (const char* broken : {"", "{", R"({"Statement")", R"({"Statement":[)", R"({"Statement":[}]})", R"({"a":"\)"}) {
    EXPECT_LE(statement_positions(broken).size(), 1) << broken;
  }
}

TEST(Policies, NameTheKeysThatTheyAskFor) {
  const auto policy = Policy::parse(
      R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*",)"
      R"("Resource":"arn:aws:s3:::b/${aws:username}","Condition":{"StringEquals":{"aws:SourceVpc":"${aws:PrincipalTag/vpc, 'none'}"}}}})");
  EXPECT_EQ(policy->statements()[0].keys(),
            (std::vector<std::string>{"aws:username", "aws:SourceVpc", "aws:PrincipalTag/vpc"}));
}

TEST(Policies, AreExplainedInTheWordsOfAws) {
  const auto said = [](Outcome outcome, PolicyKind kind) { return reason({outcome, kind}, "sqs:sendmessage"); };
  EXPECT_EQ(said(Outcome::implicitly_denied, PolicyKind::identity),
            " because no identity-based policy allows the sqs:sendmessage action");
  EXPECT_EQ(said(Outcome::implicitly_denied, PolicyKind::boundary),
            " because no permissions boundary allows the sqs:sendmessage action");
  EXPECT_EQ(said(Outcome::explicitly_denied, PolicyKind::identity),
            " with an explicit deny in an identity-based policy");
  EXPECT_EQ(said(Outcome::explicitly_denied, PolicyKind::resource),
            " with an explicit deny in a resource-based policy");
  EXPECT_EQ(said(Outcome::explicitly_denied, PolicyKind::trust), " with an explicit deny in the role trust policy");
}

TEST(Policies, TakeWhatIsUnknownForWhatLetsNothingThrough) {
  Facts facts;
  facts.set_unknown("Some:Key");
  const Caller nobody;
  const auto judged = [&](std::string_view effect, std::string_view condition) {
    const auto policy = Policy::parse(base::cat(R"({"Statement":{"Effect":")", effect,
                                                R"(","Action":"*","Resource":"*","Condition":{)", condition, "}}}"));
    const Verdict verdict = policy->judge({nobody, "sqs:SendMessage", "arn", facts});
    return verdict.allows || verdict.denies;
  };
  for (const char* condition : {R"("StringEquals":{"some:key":"a"})", R"("StringNotEquals":{"some:key":"a"})",
                                R"("ForAllValues:StringEquals":{"some:KEY":"a"})", R"("Null":{"some:key":"true"})",
                                R"("ForAnyValue:StringLike":{"some:key":"*"})", R"("BoolIfExists":{"some:key":"true"})"}) {
    EXPECT_FALSE(judged("Allow", condition)) << condition;
    EXPECT_TRUE(judged("Deny", condition)) << condition;
  }
  EXPECT_TRUE(judged("Allow", R"("Null":{"another:key":"true"})"));
}

TEST(Policies, TakeNoTimeToSpeakOfForPatternsOfStars) {
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a";
  const auto policy = Policy::parse(
      base::cat(R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"arn:aws:s3:::)", stars, "b\"}}"));
  const Caller nobody;
  const Facts facts;
  EXPECT_FALSE(policy->judge({nobody, "s3:GetObject", "arn:aws:s3:::" + std::string(2000, 'a'), facts}).allows);
}

}  // namespace
}  // namespace tidemill::lang::policies
