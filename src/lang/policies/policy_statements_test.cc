#include "lang/policies/policy_statements.h"

#include <gtest/gtest.h>

namespace tidemill::lang {
namespace {

const std::vector<std::string> kOne{"111111111111"};
const std::vector<std::string> kActions{"SQS:SendMessage", "SQS:DeleteMessage"};

TEST(PolicyStatements, AddsAndRemovesByLabel) {
  PolicyStatements policy("", {{"Version", "2008-10-17"}});
  EXPECT_TRUE(policy.empty());
  policy.add(allow_accounts("first", kOne, kActions, "arn:aws:sqs:r:a:q"));
  EXPECT_TRUE(policy.has("first"));
  EXPECT_FALSE(policy.has("second"));
  EXPECT_EQ(policy.text(),
            R"({"Version":"2008-10-17","Statement":[{"Sid":"first","Effect":"Allow",)"
            R"("Principal":{"AWS":"arn:aws:iam::111111111111:root"},)"
            R"("Action":["SQS:SendMessage","SQS:DeleteMessage"],"Resource":"arn:aws:sqs:r:a:q"}]})");
  EXPECT_FALSE(policy.remove("second"));
  EXPECT_TRUE(policy.remove("first"));
  EXPECT_TRUE(policy.empty());
}

TEST(PolicyStatements, KeepsWhatElseTheDocumentSays) {
  PolicyStatements policy(R"({"Id":"mine","Statement":{"Sid":"one","Effect":"Deny"}})", {});
  EXPECT_TRUE(policy.has("one"));  // a statement alone needs no list
  policy.add(allow_accounts("two", kOne, kActions, "r"));
  EXPECT_TRUE(policy.remove("one"));
  EXPECT_TRUE(policy.text().starts_with(R"({"Id":"mine","Statement":[{"Sid":"two")")) << policy.text();
}

TEST(PolicyStatements, TakesTheOtherDocumentForWhatIsNone) {
  for (const char* text : {"", "null", "[]", "{", "\"x\""}) {
    EXPECT_EQ(PolicyStatements(text, {{"Version", "1"}}).text(), R"({"Version":"1"})") << text;
  }
}

}  // namespace
}  // namespace tidemill::lang
