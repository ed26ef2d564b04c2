#include "wire/arn.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

TEST(ArnTest, AnArnIsPartedIntoItsFieldsAndPutTogetherAgain) {
  const std::string text = "arn:aws:lambda:eu-west-1:123456789012:function:resize:live";
  const auto arn = parse_arn(text);
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->partition, "aws");
  EXPECT_EQ(arn->service, "lambda");
  EXPECT_EQ(arn->region, "eu-west-1");
  EXPECT_EQ(arn->account, "123456789012");
  EXPECT_EQ(arn->resource, "function:resize:live");
  EXPECT_EQ(arn->text(), text);
}

TEST(ArnTest, ABucketHasNeitherRegionNorAccount) {
  const auto arn = parse_arn("arn:aws:s3:::photos");
  ASSERT_TRUE(arn);
  EXPECT_EQ(*arn, (Arn{.service = "s3", .resource = "photos"}));
  EXPECT_EQ(arn->text(), "arn:aws:s3:::photos");
}

TEST(ArnTest, WhatLacksAFieldIsNoArn) {
  for (const char* text : {"", "arn", "arn:aws:sqs:eu-west-1:123456789012", "arn:aws:sqs:eu-west-1:123456789012:",
                           "arn::sqs:::a", "arn:aws::::a", "urn:aws:sqs:eu-west-1:123456789012:a", "jobs"}) {
    EXPECT_FALSE(parse_arn(text)) << text;
  }
}

TEST(ArnTest, AnArnOfAServiceIsOfNoOtherAndOfThisPartition) {
  EXPECT_TRUE(parse_arn_of("sqs", "arn:aws:sqs:eu-west-1:123456789012:a"));
  EXPECT_FALSE(parse_arn_of("sns", "arn:aws:sqs:eu-west-1:123456789012:a"));
  EXPECT_FALSE(parse_arn_of("sqs", "arn:aws-cn:sqs:cn-north-1:123456789012:a"));
}

}  // namespace
}  // namespace tidemill::wire
