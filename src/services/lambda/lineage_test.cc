#include "services/lambda/lineage.h"

#include <gtest/gtest.h>

namespace tidemill::lambda {
namespace {

constexpr std::string_view kArn = "arn:aws:lambda:eu-west-1:123456789012:function:a";
constexpr std::string_view kOther = "arn:aws:lambda:eu-west-1:123456789012:function:b";

TEST(LineageTest, CallsAreCountedAlongTheChain) {
  Lineage first("Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1");
  EXPECT_EQ(first.add(kArn), 1);
  Lineage second(first.header());
  EXPECT_EQ(second.add(kOther), 1);
  EXPECT_EQ(second.add(kArn), 2);
  const Lineage third(second.header());
  EXPECT_EQ(third.count(kArn), 2);
  EXPECT_EQ(third.count(kOther), 1);
  EXPECT_TRUE(third.header().starts_with(
      "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage="));
}

TEST(LineageTest, AHeaderWrittenAsInUrlsIsUnderstood) {
  Lineage lineage;
  lineage.add(kArn);
  lineage.add(kOther);
  std::string header = lineage.header();
  header.replace(header.find('|'), 1, "%7C");
  EXPECT_EQ(Lineage(header).count(kArn), 1);
  EXPECT_EQ(Lineage(header).count(kOther), 1);
}

TEST(LineageTest, WhatCannotBeReadIsLeftOut) {
  for (const char* header : {"", ";;;", "Lineage", "Lineage=", "Lineage=|||", "Lineage=xyz:3", "Lineage=a87bd80c:-4",
                             "Lineage=a87bd80c:99999999999999999999", "Root=\r\nEvil: 1", "Parent=12345",
                             "Sampled=maybe"}) {
    EXPECT_EQ(Lineage(header).header(), "") << header;
  }
}

TEST(LineageTest, AChainRemembersSoManyFunctionsAndNoMore) {
  Lineage lineage;
  for (int i = 0; i < 100; ++i) lineage.add("arn:" + std::to_string(i));
  EXPECT_EQ(lineage.count("arn:0"), 1);
  EXPECT_EQ(lineage.count("arn:99"), 0);
  EXPECT_LT(lineage.header().size(), 1000U);
}

}  // namespace
}  // namespace tidemill::lambda
