#include "services/s3/public_policy.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace tidemill::s3 {
namespace {

bool is_public(std::string_view who, std::string_view condition = "{}", std::string_view effect = "Allow") {
  return is_public_policy(base::cat(R"({"Statement":[{"Effect":")", effect, R"(","Action":"s3:*","Resource":"*",)", who,
                                    R"(,"Condition":)", condition, "}]}"));
}

TEST(PublicPolicy, IsOneThatLetsEverybody) {
  EXPECT_TRUE(is_public(R"("Principal":"*")"));
  EXPECT_TRUE(is_public(R"("Principal":{"AWS":"*"})"));
  EXPECT_TRUE(is_public(R"("Principal":{"AWS":["111111111111","*"]})"));
  EXPECT_TRUE(is_public(R"("NotPrincipal":{"AWS":"111111111111"})"));
  EXPECT_FALSE(is_public(R"("Principal":{"AWS":"111111111111"})"));
  EXPECT_FALSE(is_public(R"("Principal":{"Service":"logging.s3.amazonaws.com"})"));
  EXPECT_FALSE(is_public(R"("Principal":"*")", "{}", "Deny"));
  EXPECT_FALSE(is_public_policy("no policy"));
  EXPECT_FALSE(is_public_policy("{}"));
}

TEST(PublicPolicy, IsNoneThatHoldsCallersToFixedValues) {
  const auto with = [](std::string_view condition) { return is_public(R"("Principal":"*")", condition); };
  EXPECT_FALSE(with(R"({"StringEquals":{"aws:SourceAccount":"111111111111"}})"));
  EXPECT_FALSE(with(R"({"ArnLike":{"aws:SourceArn":"arn:aws:s3:::b"}})"));
  EXPECT_FALSE(with(R"({"IpAddress":{"aws:SourceIp":["203.0.113.0/24","2001:db8::/32"]}})"));
  EXPECT_TRUE(with(R"({"IpAddress":{"aws:SourceIp":"0.0.0.0/0"}})"));
  EXPECT_TRUE(with(R"({"StringLike":{"aws:SourceAccount":"1*"}})"));
  EXPECT_TRUE(with(R"({"StringNotEquals":{"aws:SourceAccount":"111111111111"}})"));
  EXPECT_TRUE(with(R"({"StringEqualsIfExists":{"aws:SourceAccount":"111111111111"}})"));
  EXPECT_TRUE(with(R"({"Bool":{"aws:SecureTransport":"true"}})"));
  EXPECT_TRUE(with(R"({"StringLike":{"aws:Referer":"https://example.com/"}})"));
}

}  // namespace
}  // namespace tidemill::s3
