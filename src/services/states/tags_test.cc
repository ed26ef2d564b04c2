// Tags of state machines and activities.
#include "services/states/testing.h"

namespace tidemill::states {
namespace {

using ::testing::StartsWith;
using testing::machine;
using testing::World;

TEST(StatesTags, ThatCannotBeAreRefusedAtTheCreationAndLater) {
  const std::string pass = machine(R"("A":{"Type":"Pass","End":true})");
  World world;
  world.create("m", pass);
  world.run("CreateActivity", R"({"name":"a"})");
  const std::string activity = "arn:aws:states:us-east-1:000000000000:activity:a";
  const auto of = [](std::string_view arn, std::string_view member, json::Array value) {
    return json::write(json::Object{{"resourceArn", arn}, {std::string(member), std::move(value)}});
  };
  const auto refused = [&](const std::string& key, const std::string& value, std::string_view words) {
    const json::Array tags{json::Object{{"key", key}, {"value", value}}};
    const auto is_refusal = StartsWith(base::cat("ValidationException: ", words));
    EXPECT_THAT(world.run("CreateStateMachine", json::write(json::Object{{"name", "n"}, {"definition", pass},
                                                                         {"roleArn", World::kRole}, {"tags", tags}})),
                is_refusal);
    EXPECT_THAT(world.run("CreateActivity", json::write(json::Object{{"name", "b"}, {"tags", tags}})), is_refusal);
    EXPECT_THAT(world.run("TagResource", of(World::machine_arn("m"), "tags", tags)), is_refusal);
    EXPECT_THAT(world.run("TagResource", of(activity, "tags", tags)), is_refusal);
  };
  constexpr std::string_view kReserved = "Tag keys that begin with aws: are reserved for AWS.";
  for (const char* key : {"aws:a", "AWS:a"}) {
    refused(key, "1", kReserved);
    EXPECT_EQ(world.run("UntagResource", of(activity, "tagKeys", json::Array{key})),
              base::cat("ValidationException: ", kReserved));
  }
  refused("a!", "1", "Tags may only contain letters");
  refused("a", "{1}", "Tags may only contain letters");
  for (const std::string& arn : {World::machine_arn("m"), activity}) {
    EXPECT_EQ(world.run("ListTagsForResource", base::cat(R"({"resourceArn":")", arn, "\"}")), R"({"tags":[]})");
  }
  EXPECT_EQ(world.ask("ListActivities", "{}").find("activities")->array().size(), 1u);
}

}  // namespace
}  // namespace tidemill::states
