// Executions through crashes: one after every step of the process, and many with a store that draws conflicts and slow
// commits.
#include <algorithm>

#include "services/states/testing.h"

namespace tidemill::states {
namespace {

using ::testing::HasSubstr;
using testing::World;
using namespace std::chrono_literals;

// A branch that counts with a wait in it, one that maps with a task for each item, and a task that fails once.
constexpr std::string_view kDefinition = R"json({"StartAt":"Both","States":{
  "Both":{"Type":"Parallel","Next":"Last","Branches":[
    {"StartAt":"Set","States":{
      "Set":{"Type":"Pass","Assign":{"n":1},"Next":"Sleep"},
      "Sleep":{"Type":"Wait","Seconds":5,"Next":"Add"},
      "Add":{"Type":"Pass","Parameters":{"n.$":"States.MathAdd($n, 1)"},"End":true}}},
    {"StartAt":"Each","States":{
      "Each":{"Type":"Map","ItemsPath":"$.items","MaxConcurrency":2,"End":true,
        "ItemProcessor":{"StartAt":"Do","States":{
        "Do":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true,
          "Retry":[{"ErrorEquals":["Once"],"IntervalSeconds":1,"MaxAttempts":1}]}}}}}}]},
  "Last":{"Type":"Task","Resource":"arn:aws:states:::test:last","End":true}}})json";
constexpr std::string_view kInput = R"({"items":[1,2,3]})";

// The second item's first attempt fails, whenever that is.
void play(World& world) {
  world.answer_with = [&world](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    const bool is_second = call.parameters.is_number() && call.parameters.number_text() == "2";
    const bool is_first_attempt = std::ranges::none_of(world.calls, [&](const tasks::TaskCall& other) {
      return other.parameters.is_number() && other.parameters.number_text() == "2" &&
             other.attempt_name != call.attempt_name;
    });
    if (is_second && is_first_attempt) return tasks::Failed{.error = "Once", .cause = "at first"};
    return tasks::Succeeded{json::Object{{"did", call.parameters}}};
  };
}

struct Seen {
  std::string status;
  std::string output;
  std::vector<std::string> events;  // sorted: what goes on at the same time has no order
  bool are_numbered = true;
};

Seen look(World& world, const std::string& arn) {
  Seen seen{.status = world.status(arn), .output = world.output(arn), .events = world.events(arn)};
  std::ranges::sort(seen.events);
  int64_t expected = 0;
  for (const json::Value& event : world.history(arn)) {
    seen.are_numbered = seen.are_numbered && event.find("id")->to_int64() == ++expected;
    seen.are_numbered = seen.are_numbered && *event.find("previousEventId")->to_int64() < expected;
  }
  return seen;
}

Seen undisturbed() {
  World world;
  play(world);
  EXPECT_THAT(world.create("m", kDefinition), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", kInput);
  world.advance(1min);
  return look(world, arn);
}

void expect_same(const Seen& seen, const Seen& expected, uint64_t at) {
  EXPECT_EQ(seen.status, "SUCCEEDED") << at;
  EXPECT_EQ(seen.output, expected.output) << at;
  EXPECT_EQ(seen.events, expected.events) << at;
  EXPECT_TRUE(seen.are_numbered) << at;
}

TEST(StatesSimulation, ACrashAfterAnyStepChangesNothingOfTheHistory) {
  const Seen expected = undisturbed();
  ASSERT_EQ(expected.status, "SUCCEEDED");
  ASSERT_TRUE(expected.are_numbered);
  bool has_ended = false;
  for (uint64_t steps = 1; !has_ended && !::testing::Test::HasFailure(); ++steps) {
    World world;
    play(world);
    world.create("m", kDefinition);
    const std::string arn = world.begin("m", kInput);
    uint64_t done = 0;
    while (done < steps && world.executor.run_one()) ++done;
    has_ended = done < steps;
    world.crash();
    world.advance(1min);
    expect_same(look(world, arn), expected, steps);
  }
}

TEST(StatesSimulation, ManyCrashesAndAnUnrulyStoreChangeNothing) {
  const Seen expected = undisturbed();
  for (uint64_t seed = 1; seed <= 20 && !::testing::Test::HasFailure(); ++seed) {
    World world(seed, store::SimFaults{});
    play(world);
    world.create("m", kDefinition);
    std::vector<std::string> arns;
    for (int i = 0; i < 5; ++i) arns.push_back(world.begin("m", kInput));
    for (uint64_t i = 0; i < 15; ++i) {
      for (uint64_t step = 0; step < 20 + seed * 7 % 60 && world.executor.run_one(); ++step) {
      }
      world.crash();
      if (i % 3 == 0) world.advance(1s);
    }
    world.advance(1min);
    EXPECT_EQ(world.status(arns.front()), "SUCCEEDED") << seed;
    EXPECT_EQ(look(world, arns.back()).output, expected.output) << seed;
    for (const std::string& arn : arns) EXPECT_TRUE(look(world, arn).are_numbered) << seed;
  }
}

}  // namespace
}  // namespace tidemill::states
