// The files of map runs that end before all their items have been begun.
#include "services/states/map_testing.h"

namespace tidemill::states {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kReader;
using testing::kWriter;
using testing::machine_of;
using World = testing::MapWorld;

// The third item is one that fails.
void play(World& world) {
  world.add_bucket();
  world.answer_with = [](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    if (json::write(call.parameters) == "3") return tasks::Failed{.error = "Bad", .cause = "it is"};
    return tasks::Succeeded{call.parameters};
  };
  world.objects["k"] = R"({"l":[1,2,3,4,5,6]})";
  ASSERT_THAT(world.create("m", machine_of(base::cat(kReader, kWriter, R"("MaxConcurrency":1,)"))),
              HasSubstr("stateMachineArn"));
}

std::string folder_of(World& world, const std::string& arn) {
  const std::string run = world.map_run(arn);
  return base::cat("out/", run.substr(run.rfind(':') + 1), "/");
}

// "4 PENDING", of each line.
std::vector<std::string> records(World& world, const std::string& key) {
  std::vector<std::string> found;
  std::string_view text = world.objects[key];
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const json::Value record = World::parse(std::string(text.substr(0, end)));
    found.push_back(base::cat(record.find("Input")->string(), " ", record.find("Status")->string()));
    text.remove_prefix(end + 1);
  }
  return found;
}

void expect_files(World& world, const std::string& arn, uint64_t at) {
  ASSERT_EQ(world.told(arn, "error"), "States.ExceedToleratedFailureThreshold") << at;
  const std::string folder = folder_of(world, arn);
  EXPECT_EQ(world.objects[folder + "SUCCEEDED_0.jsonl"], "1\n2\n") << at;
  EXPECT_THAT(records(world, folder + "FAILED_0.jsonl"), ElementsAre("3 FAILED")) << at;
  EXPECT_THAT(records(world, folder + "PENDING_0.jsonl"), ElementsAre("4 PENDING", "5 PENDING", "6 PENDING")) << at;
  EXPECT_THAT(world.objects[folder + "manifest.json"],
              HasSubstr(base::cat(R"("PENDING":[{"Key":")", folder, R"(PENDING_0.jsonl","Size":)")))
      << at;
}

TEST(MapResults, HaveWhatWasNotBegunWhenTheRunFailed) {
  World world;
  play(world);
  const std::string arn = world.begin("m");
  world.settle();
  expect_files(world, arn, 0);
  // What a redrive then begins is what stood there.
  world.answer_with = [](const tasks::TaskCall& call) { return tasks::Succeeded{call.parameters}; };
  (void)world.run("RedriveExecution", json::write(json::Object{{"executionArn", arn}}));
  world.settle();
  ASSERT_EQ(world.status(arn), "SUCCEEDED") << world.told(arn, "cause");
  const std::string folder = folder_of(world, arn);
  EXPECT_EQ(world.objects[folder + "SUCCEEDED_0.jsonl"], "1\n2\n3\n4\n5\n6\n");
  EXPECT_THAT(world.objects[folder + "manifest.json"], HasSubstr(R"("PENDING":[])"));
}

TEST(MapResults, AreTheSameThroughACrashAfterAnyStep) {
  bool has_ended = false;
  for (uint64_t steps = 1; !has_ended && !::testing::Test::HasFailure(); steps += 3) {
    World world;
    play(world);
    const std::string arn = world.begin("m");
    uint64_t done = 0;
    while (done < steps && world.executor.run_one()) ++done;
    has_ended = done < steps;
    world.crash();
    world.settle();
    expect_files(world, arn, steps);
  }
}

TEST(MapResults, HaveOnlyWhatCouldBeRead) {
  World world;
  play(world);
  world.objects["k"] = R"({"l":[1,2,3,4,5)";
  const std::string arn = world.begin("m");
  world.settle();
  ASSERT_EQ(world.told(arn, "error"), "States.ExceedToleratedFailureThreshold");
  EXPECT_THAT(records(world, folder_of(world, arn) + "PENDING_0.jsonl"), ElementsAre("4 PENDING"));
}

// An attempt of a transaction that conflicts must leave nothing behind that the next one goes by.
TEST(MapResults, ComeThoughTransactionsConflict) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    store::SimFaults faults = store::SimFaults::none();
    faults.conflict_probability = 0.4;
    World world(seed, faults);
    ASSERT_THAT(world.create("m", machine_of(R"("MaxConcurrency":2,)")), HasSubstr("stateMachineArn"));
    const std::string arn = world.begin("m", "[1,2,3]");
    world.settle();
    EXPECT_EQ(world.output(arn), "[1,2,3]") << seed;
  }
}

}  // namespace
}  // namespace tidemill::states
