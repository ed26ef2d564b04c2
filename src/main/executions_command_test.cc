#include "main/executions_command.h"

#include <gtest/gtest.h>

namespace tidemill {
namespace {

using namespace std::chrono_literals;

ExecutionsOptions parse(std::vector<std::string_view> arguments) {
  return parse_executions_options(arguments, [](const std::string&) { return std::nullopt; });
}

TEST(ExecutionsCommand, ListsWhatRunsUnlessToldOtherwise) {
  EXPECT_EQ(parse({}).machine, "");
  EXPECT_EQ(parse({}).status, "RUNNING");
  EXPECT_FALSE(parse({}).watch);
  EXPECT_EQ(parse({"tea", "--status", "FAILED"}).status, "FAILED");
  EXPECT_EQ(parse({"tea", "--status", "FAILED"}).machine, "tea");
  EXPECT_TRUE(parse({"--watch"}).watch);
}

TEST(ExecutionsCommand, AnArnIsAskedForInItsRegion) {
  EXPECT_EQ(parse({"arn:aws:states:eu-west-1:000000000000:stateMachine:tea"}).client.region, "eu-west-1");
  EXPECT_EQ(parse({"tea"}).client.region, "us-east-1");
}

TEST(ExecutionsCommand, WhatMakesNoSenseIsRefused) {
  for (const auto& wrong : std::vector<std::vector<std::string_view>>{
           {"a", "b"}, {"--status"}, {"--status", "GONE"}, {"--watch", "--status", "FAILED"}, {"--all"}}) {
    EXPECT_THROW(parse(wrong), UsageError);
  }
}

TEST(ExecutionsCommand, AgesHaveUnits) {
  EXPECT_EQ(age_text(0ms), "0.0 s");
  EXPECT_EQ(age_text(59'900ms), "59.9 s");
  EXPECT_EQ(age_text(90s), "1.5 min");
  EXPECT_EQ(age_text(5400s), "1.5 h");
  EXPECT_EQ(age_text(36h), "1.5 d");
}

}  // namespace
}  // namespace tidemill
