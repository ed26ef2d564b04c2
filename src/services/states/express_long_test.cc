// Express executions whose expressions take long: begun again elsewhere as if they had not been tried.
#include "services/states/testing.h"

namespace tidemill::states {
namespace {

using ::testing::HasSubstr;
using testing::World;

constexpr std::string_view kLong = "$sum($map([1..2000], function($x) { $count([1..50].($ + $x)) }))";  // 100000

std::string query(std::string_view expression) { return base::cat(R"("{% )", expression, R"( %}")"); }

std::string machine_of(std::string_view states) {
  return base::cat(R"({"QueryLanguage":"JSONata","StartAt":"A","States":{)", states, "}}");
}

std::string run_sync(World& world, std::string_view states, std::string_view input = "{}") {
  EXPECT_THAT(world.create("e", machine_of(states), "EXPRESS"), HasSubstr("stateMachineArn"));
  const json::Object request{{"stateMachineArn", World::machine_arn("e")}, {"input", input}};
  const json::Value answer = world.ask("StartSyncExecution", json::write(request));
  const json::Value* const output = answer.find("output");
  return output ? output->string() : json::write(answer);
}

TEST(LongExpress, OneIsNotEvaluatedWhereItWasTried) {
  World world;
  EXPECT_EQ(run_sync(world, base::cat(R"("A":{"Type":"Pass","Output":)", query(kLong), R"(,"End":true})")), "100000");
  EXPECT_EQ(world.service->evaluations().begun(), 1u);
}

TEST(LongExpress, WhatIsShortStaysWhereItIs) {
  World world;
  EXPECT_EQ(run_sync(world, base::cat(R"("A":{"Type":"Pass","Output":)", query("1 + 1"), R"(,"End":true})")), "2");
  EXPECT_EQ(world.service->evaluations().begun(), 0u);
}

// Some of a step has been done when its expression takes long: iterations have begun, variables are assigned, a call
// has ended.
TEST(LongExpress, HalfDoneStepsAreDoneOnce) {
  World world;
  const std::string selector = base::cat("$states.context.Map.Item.Index = 2 ? ", kLong, " : 0");
  const std::string states = base::cat(
      R"("A":{"Type":"Pass","Assign":{"n":1},"Next":"B"},
         "B":{"Type":"Map","Items":[1,2,3],"ItemSelector":{"n":)",
      query(selector), R"(},"Next":"C",
              "ItemProcessor":{"StartAt":"D","States":{"D":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true,
                "Arguments":)",
      query("$states.input.n"), R"(,"Output":)", query(base::cat("$states.result + ", kLong)),
      R"(}}}},
         "C":{"Type":"Pass","End":true,"Assign":{"n":)",
      query(base::cat("$n + ", kLong)), R"(},"Output":)", query("$states.input ~> $append($n)"), "}");
  EXPECT_EQ(run_sync(world, states), "[100000,100000,200000,1]");
  EXPECT_EQ(world.calls.size(), 3u);
}

TEST(LongExpress, LargeOnesAreNotTriedFirst) {
  World world;
  const std::string input = base::cat(R"({"x":")", std::string(20'000, 'x'), R"("})");
  EXPECT_EQ(run_sync(world, base::cat(R"("A":{"Type":"Pass","Output":)", query("1 + 1"), R"(,"End":true})"), input),
            "2");
  EXPECT_EQ(world.service->evaluations().begun(), 1u);
}

}  // namespace
}  // namespace tidemill::states
