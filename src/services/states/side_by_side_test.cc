// Flows of one execution that go on side by side: what they do at the same time is committed together.
#include "services/states/testing.h"

namespace tidemill::states {
namespace {

using ::testing::HasSubstr;
using testing::World;

constexpr size_t kItems = 200;

std::string items() {
  json::Array all;
  for (size_t i = 0; i < kItems; ++i) all.push_back(i);
  return json::write(json::Value(std::move(all)));
}

constexpr std::string_view kEach = R"json({"StartAt":"Each","States":{"Each":{"Type":"Map","End":true,
  "ItemProcessor":{"StartAt":"Do","States":{"Do":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true}}}}}})json";

uint64_t commits(const World& world) { return world.disk.last_version.value; }

TEST(SideBySide, IterationsShareTransactions) {
  World world;
  ASSERT_THAT(world.create("m", kEach), HasSubstr("stateMachineArn"));
  const uint64_t before = commits(world);
  const std::string arn = world.begin("m", items());
  world.settle();
  EXPECT_EQ(world.output(arn), items());
  EXPECT_EQ(world.calls.size(), kItems);
  // Each item's call, and its end, would be two transactions at least.
  EXPECT_LT(commits(world) - before, kItems);
}

TEST(SideBySide, EachIterationIsToldAsIfItWereAlone) {
  World world;
  ASSERT_THAT(world.create("m", kEach), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", items());
  world.settle();
  std::map<std::string, size_t> counts;
  int64_t expected = 0;
  for (const json::Value& event : world.history(arn)) {
    EXPECT_EQ(event.find("id")->to_int64(), ++expected);
    ++counts[event.find("type")->string()];
  }
  for (const char* type : {"MapIterationStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSucceeded",
                           "TaskStateExited", "MapIterationSucceeded"}) {
    EXPECT_EQ(counts[type], kItems) << type;
  }
}

// A branch goes one state on while its siblings do, however many it has before it.
TEST(SideBySide, BranchesGoOnTogether) {
  World world;
  std::string chain;
  for (int i = 0; i < 20; ++i) {
    chain += base::cat(R"("P)", i, R"(-X":{"Type":"Pass","Next":")", i == 19 ? "T-X" : base::cat("P", i + 1, "-X"),
                       R"("},)");
  }
  const auto branch = [&](std::string_view name) {
    std::string text = base::cat(R"({"StartAt":"P0-X","States":{)", chain,
                                 R"("T-X":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true}}})");
    for (size_t at = text.find("-X"); at != std::string::npos; at = text.find("-X")) text.replace(at, 2, name);
    return text;
  };
  ASSERT_THAT(
      world.create("m", base::cat(R"({"StartAt":"Both","States":{"Both":{"Type":"Parallel","End":true,"Branches":[)",
                                  branch("a"), ",", branch("b"), "]}}}")),
      HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "1");
  world.settle();
  EXPECT_EQ(world.output(arn), "[1,1]");
  std::vector<std::string> entered;
  for (const std::string& event : world.events(arn)) {
    if (event.starts_with("PassStateEntered")) entered.push_back(event.substr(sizeof("PassStateEntered")));
  }
  ASSERT_EQ(entered.size(), 40u);
  for (size_t i = 0; i < entered.size(); i += 2) {
    EXPECT_EQ(entered[i], base::cat("P", i / 2, "a"));
    EXPECT_EQ(entered[i + 1], base::cat("P", i / 2, "b"));
  }
}

// Of many calls that end together one fails, and is caught.
TEST(SideBySide, OneThatFailsStopsNoOther) {
  World world;
  world.answer_with = [](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    if (json::write(call.parameters) == "7") return tasks::Failed{.error = "Bad", .cause = "it is"};
    return tasks::Succeeded{call.parameters};
  };
  ASSERT_THAT(world.create("m", R"json({"StartAt":"Each","States":{"Each":{"Type":"Map","End":true,
    "ItemProcessor":{"StartAt":"Do","States":{"Do":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true,
      "Catch":[{"ErrorEquals":["Bad"],"ResultPath":null,"Next":"Sorry"}]},
      "Sorry":{"Type":"Pass","Result":-1,"End":true}}}}}})json"),
              HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[5,6,7,8]");
  world.settle();
  EXPECT_EQ(world.output(arn), "[5,6,-1,8]");
}

}  // namespace
}  // namespace tidemill::states
