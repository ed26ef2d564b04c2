#include "main/logs_command.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace tidemill {
namespace {

using namespace std::chrono_literals;

LogsOptions parse(std::vector<std::string_view> arguments, std::map<std::string, std::string> environment = {}) {
  return parse_logs_options(arguments, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  });
}

TEST(LogsCommand, AFunctionIsEnough) {
  const LogsOptions options = parse({"feed"});
  EXPECT_EQ(options.function, "feed");
  EXPECT_FALSE(options.follow);
  EXPECT_EQ(options.since, 10min);
  EXPECT_EQ(options.client.endpoint, "http://127.0.0.1:4566");
}

TEST(LogsCommand, FlagsComeInAnyOrderAndBeforeTheEnvironment) {
  const LogsOptions options = parse({"--since", "2h", "feed", "--follow", "--endpoint=http://h:1/", "--region", "eu-west-1"},
                                    {{"AWS_ENDPOINT_URL", "http://other"}, {"AWS_ACCESS_KEY_ID", "111122223333"}});
  EXPECT_TRUE(options.follow);
  EXPECT_EQ(options.since, 2h);
  EXPECT_EQ(options.client.endpoint, "http://h:1");
  EXPECT_EQ(options.client.region, "eu-west-1");
  EXPECT_EQ(options.client.access_key, "111122223333");
  EXPECT_EQ(parse({"f"}, {{"AWS_ENDPOINT_URL", "http://other"}}).client.endpoint, "http://other");
  EXPECT_EQ(parse({"f"}, {{"AWS_ENDPOINT_URL", "http://other"}, {"TIDEMILL_ENDPOINT", "http://mill"}}).client.endpoint,
            "http://mill");
}

TEST(LogsCommand, AnArnIsAskedForInItsRegion) {
  const char* arn = "arn:aws:lambda:eu-west-1:000000000000:function:feed:1";
  EXPECT_EQ(parse({arn, "--region", "us-west-2"}).client.region, "eu-west-1");
  EXPECT_EQ(parse({arn}).function, arn);
  EXPECT_EQ(parse({"000000000000:function:feed", "--region", "us-west-2"}).client.region, "us-west-2");
  EXPECT_THROW(parse({"arn:aws:lambda:eu\r\nX:000000000000:function:feed"}), UsageError);
}

TEST(LogsCommand, StreamsTellTheVersion) {
  EXPECT_TRUE(is_of_versions("2026/11/22/[3]0f", {}));
  EXPECT_TRUE(is_of_versions("2026/11/22/[3]0f", {"1", "3"}));
  EXPECT_TRUE(is_of_versions("2026/11/22/feed[$LATEST]0f", {"$LATEST"}));
  EXPECT_FALSE(is_of_versions("2026/11/22/[13]0f", {"1", "3"}));
}

TEST(LogsCommand, AgesHaveUnits) {
  EXPECT_EQ(parse_age("90"), 90s);
  EXPECT_EQ(parse_age("90s"), 90s);
  EXPECT_EQ(parse_age("1d"), 24h);
  for (const char* wrong : {"", "m", "1w", "-1m", "99999999999d"}) EXPECT_THROW((void)parse_age(wrong), UsageError) << wrong;
}

TEST(LogsCommand, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(parse({}), UsageError);
  EXPECT_THROW(parse({"a", "b"}), UsageError);
  EXPECT_THROW(parse({"a", "--tail"}), UsageError);
  EXPECT_THROW(parse({"a", "--since"}), UsageError);
  EXPECT_THROW(parse({"a", "--region", "eu\r\nX: y"}), UsageError);
}

}  // namespace
}  // namespace tidemill
