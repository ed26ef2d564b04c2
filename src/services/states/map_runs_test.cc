// Distributed maps: their histories, tolerances, batches and readers; crashes at every step.
#include <algorithm>

#include "services/states/map_testing.h"

namespace tidemill::states {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

using World = testing::MapWorld;
using testing::machine_of;
using testing::kReader;
using testing::kWriter;

TEST(MapRuns, RunTheirItemsAsExecutionsOfTheirOwn) {
  World world;
  ASSERT_THAT(world.create("m", machine_of(R"("ItemSelector":{"i.$":"$$.Map.Item.Index","v.$":"$$.Map.Item.Value"},)")),
              HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[7,8,9]");
  world.settle();
  EXPECT_EQ(world.output(arn), R"([{"i":0,"v":7},{"i":1,"v":8},{"i":2,"v":9}])");
  EXPECT_THAT(world.events(arn),
              ElementsAre("ExecutionStarted", "MapStateEntered Each", "MapStateStarted", "MapRunStarted",
                          "MapRunSucceeded", "MapStateSucceeded", "MapStateExited Each", "ExecutionSucceeded"));
  EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 3 0 0 3");
  const std::string run = world.map_run(arn);
  EXPECT_THAT(run, HasSubstr(":mapRun:m/each:"));
  const json::Value children = world.ask("ListExecutions", json::write(json::Object{{"mapRunArn", run}}));
  const json::Array& listed = children.find("executions")->array();
  ASSERT_EQ(listed.size(), 3u);
  const std::string child = listed[0].find("executionArn")->string();
  EXPECT_THAT(child, HasSubstr(":execution:m/each:"));
  EXPECT_EQ(world.told(child, "mapRunArn"), run);
  EXPECT_EQ(world.told(child, "redriveStatus"), "NOT_REDRIVABLE");
  EXPECT_THAT(world.events(child), ElementsAre("ExecutionStarted", "TaskStateEntered Do", "TaskScheduled",
                                               "TaskStarted", "TaskSucceeded", "TaskStateExited Do",
                                               "ExecutionSucceeded"));
}

TEST(MapRuns, OfNothingAndOfObjects) {
  World world;
  world.create("m", machine_of(""));
  const std::string nothing = world.begin("m", "[]");
  const std::string object = world.begin("m", R"({"a":1,"b":[2]})");
  world.settle();
  EXPECT_EQ(world.output(nothing), "[]");
  EXPECT_EQ(world.output(object), R"([{"Key":"a","Value":1},{"Key":"b","Value":[2]}])");
}

TEST(MapRuns, HaveExpressChildren) {
  World world;
  ASSERT_THAT(world.create("m", machine_of("", "EXPRESS")), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[1,2]");
  world.settle();
  EXPECT_EQ(world.output(arn), "[1,2]");
  EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 2 0 0 2");
}

TEST(MapRuns, RunNoExpressChildAgainBecauseItsEndCannotBeNoted) {
  World world;
  ASSERT_THAT(world.create("m", machine_of("", "EXPRESS")), HasSubstr("stateMachineArn"));
  world.answer_with = [&world](const tasks::TaskCall& call) {
    world.troubles.commits.next(10, store::Overloaded("the disk is full"));
    return tasks::Succeeded{call.parameters};
  };
  const std::string arn = world.begin("m", "[1,2]");
  world.settle();
  EXPECT_EQ(world.troubles.commits.left(), 0);
  EXPECT_EQ(world.calls.size(), 2u);
  EXPECT_EQ(world.output(arn), "[1,2]");
}

TEST(MapRuns, RunNoMoreAtOnceThanAllowedAndAreToldMore) {
  World world;
  world.create("m", machine_of(R"("MaxConcurrency":2,)"));
  world.holds_calls = true;
  const std::string arn = world.begin("m", "[1,2,3,4,5]");
  world.settle();
  EXPECT_EQ(world.calls.size(), 2u);
  EXPECT_EQ(world.item_counts(arn), "RUNNING 3 2 0 0 0 5");
  EXPECT_EQ(world.run("UpdateMapRun", json::write(json::Object{{"mapRunArn", world.map_run(arn)},
                                                              {"maxConcurrency", 4}})),
            "{}");
  world.settle();
  EXPECT_EQ(world.calls.size(), 4u);
  world.let_go();
  world.settle();
  EXPECT_EQ(world.output(arn), "[1,2,3,4,5]");
}

// "Bad" for 2 and 4.
void fail_some(World& world) {
  world.answer_with = [](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    const std::string text = json::write(call.parameters);
    if (text == "2" || text == "4") return tasks::Failed{.error = "Bad", .cause = "it is"};
    return tasks::Succeeded{call.parameters};
  };
}

TEST(MapRuns, FailWithTheFirstFailureUnlessItIsTolerated) {
  World world;
  fail_some(world);
  world.create("strict", machine_of(R"("MaxConcurrency":1,)"));
  const std::string strict = world.begin("strict", "[1,2,3,4,5]");
  world.settle();
  EXPECT_EQ(world.status(strict), "FAILED");
  EXPECT_EQ(world.told(strict, "error"), "States.ExceedToleratedFailureThreshold");
  EXPECT_EQ(world.told(strict, "cause"), "The specified tolerated failure threshold was exceeded");
  EXPECT_THAT(world.events(strict), ElementsAre("ExecutionStarted", "MapStateEntered Each", "MapStateStarted",
                                                "MapRunStarted", "MapRunFailed", "MapStateFailed", "ExecutionFailed"));
  EXPECT_EQ(world.item_counts(strict), "FAILED 3 0 1 1 0 5");
  world.create("two", machine_of(R"("ToleratedFailureCount":2,)"));
  const std::string two = world.begin("two", "[1,2,3,4,5]");
  world.create("half", machine_of(R"("ToleratedFailurePercentage":40,)"));
  const std::string half = world.begin("half", "[1,2,3,4,5]");
  world.create("less", machine_of(R"("ToleratedFailurePercentage":39.9,)"));
  const std::string less = world.begin("less", "[1,2,3,4,5]");
  world.create("first", machine_of(R"("ToleratedFailurePercentage":90,"ToleratedFailureCount":1,)"));
  const std::string first = world.begin("first", "[1,2,3,4,5]");
  world.settle();
  EXPECT_EQ(world.output(two), "[1,3,5]");
  EXPECT_EQ(world.output(half), "[1,3,5]");
  EXPECT_EQ(world.status(less), "FAILED");
  EXPECT_EQ(world.status(first), "FAILED");
}

// Looks for ends begin at the first child that runs.
TEST(MapRuns, SeeTheEndOfAChildThatIsFarBehindTheOthers) {
  World world;
  world.create("m", machine_of("", "STANDARD", R"({"Type":"Wait","SecondsPath":"$","End":true})"));
  std::string items = "0,3600";
  for (int i = 0; i < 400; ++i) items += ",0";
  items += ",7200";
  const std::string arn = world.begin("m", base::cat("[", items, "]"));
  world.settle();
  EXPECT_EQ(world.item_counts(arn), "RUNNING 0 2 401 0 0 403");
  world.advance(1h);
  EXPECT_EQ(world.item_counts(arn), "RUNNING 0 1 402 0 0 403");
  world.crash();
  world.advance(1h);
  EXPECT_EQ(world.output(arn), base::cat("[", items, "]"));
}

TEST(MapRuns, AreAbortedWithTheirParent) {
  for (const std::string_view type : {"STANDARD", "EXPRESS"}) {
    World world;
    world.create("m", machine_of(R"("MaxConcurrency":2,)", type,
                                 R"({"Type":"Wait","Seconds":60,"End":true})"));
    const std::string arn = world.begin("m", "[1,2,3]");
    world.settle();
    EXPECT_EQ(world.item_counts(arn), "RUNNING 1 2 0 0 0 3") << type;
    (void)world.run("StopExecution", json::write(json::Object{{"executionArn", arn}}));
    world.settle();
    EXPECT_EQ(world.status(arn), "ABORTED");
    EXPECT_EQ(world.item_counts(arn), "ABORTED 1 0 0 0 2 3") << type;
    world.advance(2min);
    EXPECT_EQ(world.item_counts(arn), "ABORTED 1 0 0 0 2 3") << type;
  }
}

TEST(MapRuns, ExpressChildrenThatAreStoppedCallNothingMore) {
  World world;
  constexpr std::string_view kDo = R"("Type":"Task","Resource":"arn:aws:states:::test:do")";
  world.create("m", base::cat(R"({"StartAt":"Each","States":{"Each":{"Type":"Map","End":true,"Label":"each",
      "ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"EXPRESS"},"StartAt":"Do","States":{
      "Do":{)", kDo, R"(,"Next":"Wait"},"Wait":{"Type":"Wait","Seconds":1,"Next":"Again"},"Again":{)", kDo,
      R"(,"End":true}}}}}})"));
  const std::string arn = world.begin("m", "[1]");
  world.settle();
  ASSERT_EQ(world.calls.size(), 1u);
  (void)world.run("StopExecution", json::write(json::Object{{"executionArn", arn}}));
  world.settle();
  world.advance(10s);
  EXPECT_EQ(world.calls.size(), 1u);
  EXPECT_EQ(world.item_counts(arn), "ABORTED 0 0 0 0 1 1");
}

TEST(MapRuns, GiveBatches) {
  World world;
  ASSERT_THAT(world.create("m", machine_of(R"("ItemBatcher":{"MaxItemsPerBatch":2,"BatchInput":{"n":1}},)")),
              HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[1,2,3]");
  world.create("bytes", machine_of(R"("ItemBatcher":{"MaxInputBytesPerBatch":30},)"));
  const std::string bytes = world.begin("bytes", R"(["aaaaaa","bbbbbb","cccccc"])");
  world.settle();
  EXPECT_EQ(world.output(arn), R"([{"BatchInput":{"n":1},"Items":[1,2]},{"BatchInput":{"n":1},"Items":[3]}])");
  EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 3 0 0 3");
  EXPECT_EQ(world.output(bytes), R"([{"Items":["aaaaaa","bbbbbb"]},{"Items":["cccccc"]}])");
}

// How many functions run until all is done: each time that long work gives way it is one more.
size_t settle_counted(World& world) {
  size_t count = 0;
  while (world.executor.run_one()) ++count;
  return count;
}

TEST(MapRuns, GiveWayWhileABatchOfManyItemsIsGathered) {
  constexpr size_t kItems = 8000;
  World world;
  world.create("m", machine_of(R"("ItemBatcher":{"MaxItemsPerBatch":10000},)"));
  std::string items = "[0";
  for (size_t item = 1; item < kItems; ++item) items += ",1";
  const std::string arn = world.begin("m", items + "]");
  // A simulation's slices are eight looks long, on average.
  EXPECT_GT(settle_counted(world), kItems / 16);
  EXPECT_EQ(world.item_counts(arn), base::cat("SUCCEEDED 0 0 ", kItems, " 0 0 ", kItems));
}

std::string redrive(World& world, const std::string& arn, std::string_view token = "") {
  json::Object request{{"executionArn", arn}};
  if (!token.empty()) request.set("clientToken", token);
  return world.run("RedriveExecution", json::write(json::Value(std::move(request))));
}

TEST(MapRuns, AreRedrivenWithTheirParentAndBeginOnlyWhatDidNotSucceedAgain) {
  for (const std::string_view type : {"STANDARD", "EXPRESS"}) {
    World world;
    fail_some(world);
    world.create("m", machine_of(R"("MaxConcurrency":1,)", type));
    const std::string arn = world.begin("m", "[1,2,3,4,5]");
    world.settle();
    ASSERT_EQ(world.item_counts(arn), "FAILED 3 0 1 1 0 5") << type;
    world.answer_with = [](const tasks::TaskCall& call) { return tasks::Succeeded{call.parameters}; };
    const size_t before = world.calls.size();
    world.crash();
    EXPECT_THAT(redrive(world, arn), HasSubstr("redriveDate"));
    world.settle();
    EXPECT_EQ(world.output(arn), "[1,2,3,4,5]") << type << world.told(arn, "cause");
    EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 5 0 0 5") << type;
    EXPECT_EQ(world.calls.size(), before + 4) << "what has succeeded is not run again";
    const json::Value run = world.describe_run(arn);
    EXPECT_EQ(run.find("redriveCount")->number_text(), "1");
    EXPECT_NE(run.find("redriveDate"), nullptr);
    EXPECT_THAT(world.events(arn),
                ElementsAre("ExecutionStarted", "MapStateEntered Each", "MapStateStarted", "MapRunStarted",
                            "MapRunFailed", "MapStateFailed", "ExecutionFailed", "ExecutionRedriven", "MapRunRedriven",
                            "MapRunSucceeded", "MapStateSucceeded", "MapStateExited Each", "ExecutionSucceeded"));
  }
}

TEST(MapRuns, RedriveTheirStandardChildrenWhereTheyFailed) {
  World world;
  world.answer_with = [](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    if (call.state_name == "Then") return tasks::Failed{.error = "Bad", .cause = ""};
    return tasks::Succeeded{call.parameters};
  };
  ASSERT_THAT(world.create("m", machine_of(R"("ToleratedFailureCount":0,)", "STANDARD",
                                           R"({"Type":"Task","Resource":"arn:aws:states:::test:do","Next":"Then"},
                                               "Then":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true})")),
              HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[1]");
  world.settle();
  const json::Value children =
      world.ask("ListExecutions", json::write(json::Object{{"mapRunArn", world.map_run(arn)}}));
  const std::string child = children.find("executions")->array().at(0).find("executionArn")->string();
  EXPECT_EQ(world.told(child, "redriveStatus"), "REDRIVABLE_BY_MAP_RUN");
  EXPECT_THAT(redrive(world, child), HasSubstr("ExecutionNotRedrivable"));
  world.answer_with = [](const tasks::TaskCall& call) { return tasks::Succeeded{call.parameters}; };
  (void)redrive(world, arn);
  world.settle();
  EXPECT_EQ(world.output(arn), "[1]");
  EXPECT_THAT(world.events(child),
              ElementsAre("ExecutionStarted", "TaskStateEntered Do", "TaskScheduled", "TaskStarted", "TaskSucceeded",
                          "TaskStateExited Do", "TaskStateEntered Then", "TaskScheduled", "TaskStarted", "TaskFailed",
                          "ExecutionFailed", "ExecutionRedriven", "TaskStateEntered Then", "TaskScheduled",
                          "TaskStarted", "TaskSucceeded", "TaskStateExited Then", "ExecutionSucceeded"));
  EXPECT_EQ(world.describe(child).find("redriveCount")->number_text(), "1");
}

TEST(MapRuns, ThatAreStillStoppingAreRedrivenOnceTheyHave) {
  World world;
  world.create("m", machine_of(R"("MaxConcurrency":2,)"));
  world.holds_calls = true;
  const std::string arn = world.begin("m", "[1,2,3]");
  world.settle();
  (void)world.run("StopExecution", json::write(json::Object{{"executionArn", arn}}));
  EXPECT_THAT(redrive(world, arn), HasSubstr("redriveDate"));  // at once, before the run has stopped
  world.let_go();
  world.settle();
  EXPECT_EQ(world.output(arn), "[1,2,3]") << world.status(arn);
  EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 3 0 0 3");
}

TEST(MapRuns, CanFailAndBeRedrivenAgainAndAgain) {
  World world;
  fail_some(world);
  world.create("m", machine_of(""));
  const std::string arn = world.begin("m", "[1,2,3,4,5]");
  world.settle();
  for (int i = 0; i < 3; ++i) {
    (void)redrive(world, arn);
    world.settle();
    EXPECT_EQ(world.status(arn), "FAILED");
  }
  world.answer_with = [](const tasks::TaskCall& call) { return tasks::Succeeded{call.parameters}; };
  (void)redrive(world, arn);
  world.settle();
  EXPECT_EQ(world.output(arn), "[1,2,3,4,5]");
  EXPECT_EQ(world.describe_run(arn).find("redriveCount")->number_text(), "4");
}

TEST(MapRuns, OneRedriveIsOneForItsClientToken) {
  World world;
  fail_some(world);
  world.create("m", machine_of(""));
  const std::string arn = world.begin("m", "[2]");
  world.settle();
  const std::string first = redrive(world, arn, "t");
  world.settle();
  world.advance(14min);
  EXPECT_EQ(redrive(world, arn, "t"), first);
  world.settle();
  EXPECT_EQ(world.describe(arn).find("redriveCount")->number_text(), "1");
  world.advance(2min);
  EXPECT_NE(redrive(world, arn, "t"), first);
  world.settle();
  EXPECT_EQ(world.describe(arn).find("redriveCount")->number_text(), "2");
}

// What a failed run has kept for its redrive goes when its parent goes on without it.
TEST(MapRuns, WhoseFailureIsCaughtAreNotRedriven) {
  World world;
  world.answer_with = [](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    return tasks::Failed{.error = json::write(call.parameters) == "1" ? "Bad" : "Worse", .cause = ""};
  };
  std::string definition = machine_of(
      R"("Catch":[{"ErrorEquals":["States.ALL"],"ResultPath":null,"Next":"After"}],)");
  const size_t end = definition.rfind("}}");
  definition.insert(end, R"(,"After":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true})");
  ASSERT_THAT(world.create("m", definition), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", "[1]");
  world.settle();
  ASSERT_EQ(world.told(arn, "error"), "Worse");
  world.answer_with = [](const tasks::TaskCall& call) { return tasks::Succeeded{call.parameters}; };
  (void)redrive(world, arn);
  world.settle();
  EXPECT_EQ(world.output(arn), "[1]");
  EXPECT_EQ(world.describe_run(arn).find("redriveCount")->number_text(), "0");
}

TEST(MapRuns, ARedriveSurvivesACrashAfterAnyStep) {
  for (const std::string_view type : {"STANDARD", "EXPRESS"}) {
    bool has_ended = false;
    for (uint64_t steps = 1; !has_ended && !::testing::Test::HasFailure(); steps += 2) {
      World world;
      fail_some(world);
      world.create("m", machine_of(R"("MaxConcurrency":2,)", type));
      const std::string arn = world.begin("m", "[1,2,3,4,5]");
      world.settle();
      world.answer_with = [](const tasks::TaskCall& call) { return tasks::Succeeded{call.parameters}; };
      (void)redrive(world, arn);
      uint64_t done = 0;
      while (done < steps && world.executor.run_one()) ++done;
      has_ended = done < steps;
      world.crash();
      world.advance(1min);
      EXPECT_EQ(world.output(arn), "[1,2,3,4,5]") << type << steps;
      EXPECT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 5 0 0 5") << type << steps;
    }
  }
}

TEST(MapRuns, ReadObjectsAndWriteResults) {
  World world;
  world.add_bucket();
  fail_some(world);
  world.objects["k"] = R"({"other":[0],"l":[1,2,3]})";
  ASSERT_THAT(world.create("m", machine_of(base::cat(kReader, kWriter, R"("ToleratedFailureCount":1,)"))),
              HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m");
  world.settle();
  ASSERT_EQ(world.status(arn), "SUCCEEDED") << world.told(arn, "cause");
  const json::Value output = World::parse(world.output(arn));
  const std::string manifest = output.find("ResultWriterDetails")->find("Key")->string();
  const std::string folder = manifest.substr(0, manifest.rfind('/') + 1);
  EXPECT_TRUE(folder.starts_with("out/"));
  EXPECT_EQ(world.objects[folder + "SUCCEEDED_0.jsonl"], "1\n3\n");
  EXPECT_THAT(world.objects[folder + "FAILED_0.jsonl"], HasSubstr(R"("Error":"Bad","Cause":"it is")"));
  EXPECT_THAT(world.objects[manifest],
              HasSubstr(base::cat(R"("SUCCEEDED":[{"Key":")", folder, R"(SUCCEEDED_0.jsonl","Size":4}])")));
}

TEST(MapRuns, ReadAndWriteUnderTheRoleOfTheirMachine) {
  World world;
  world.add_bucket();
  world.objects["k"] = R"({"l":[1,2]})";
  ASSERT_THAT(world.create("m", machine_of(base::cat(kReader, kWriter))), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m");
  world.settle();
  ASSERT_EQ(world.status(arn), "SUCCEEDED") << world.told(arn, "cause");
  ASSERT_GE(world.askers.size(), 3u);
  for (const wire::Principal& asker : world.askers) {
    ASSERT_EQ(asker.kind(), wire::Principal::Kind::role);
    EXPECT_EQ(asker.standing()->role_arn, World::kRole);
    EXPECT_EQ(asker.standing()->service, "states.amazonaws.com");
    EXPECT_EQ(asker.standing()->source_arn, World::machine_arn("m"));
  }
}

TEST(MapRuns, FailWithWhatCannotBeRead) {
  World world;
  world.add_bucket();
  world.create("m", machine_of(kReader));
  const std::string missing = world.begin("m");
  world.settle();
  EXPECT_EQ(world.told(missing, "error"), "States.ItemReaderFailed");
  world.objects["k"] = R"({"l":5})";
  const std::string number = world.begin("m");
  world.settle();
  EXPECT_EQ(world.told(number, "cause"), "Attempting to map over non-iterable node.");
  EXPECT_THAT(world.create("p", machine_of(
                  R"("ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket":"b","Key":"k"},
                     "ReaderConfig":{"InputType":"PARQUET"}},)")),
              HasSubstr("Tidemill does not support items in PARQUET at "
                        "/States/Each/ItemReader/ReaderConfig/InputType"));
}

TEST(MapRuns, FailWithReadersWhoseArgumentsSayNothing) {
  World world;
  world.add_bucket();
  const auto create = [&](std::string_view name, std::string_view resource, std::string_view more) {
    EXPECT_THAT(world.create(name, machine_of(base::cat(R"("ItemReader":{"Resource":"arn:aws:states:::s3:)", resource,
                                                        R"(","Parameters":{"Bucket.$":"$.bucket")", more, "},"))),
                HasSubstr("stateMachineArn"));
  };
  create("object", "getObject", R"(,"Key.$":"$.key"},"ReaderConfig":{"InputType":"JSON"})");
  create("manifest", "getObject", R"(,"Key.$":"$.key"},"ReaderConfig":{"InputType":"MANIFEST"})");
  create("list", "listObjectsV2", "}");
  const auto expect_failed = [&](std::string machine, std::string input) {
    const std::string arn = world.begin(machine, input);
    world.settle();
    EXPECT_EQ(world.status(arn), "FAILED") << machine << input;
    EXPECT_EQ(world.told(arn, "error"), "States.ItemReaderFailed") << machine << input;
  };
  for (const char* machine : {"object", "manifest"}) {
    expect_failed(machine, R"({"bucket":"b","key":""})");
    expect_failed(machine, R"({"bucket":"b","key":7})");
  }
  expect_failed("list", R"({"bucket":"","key":"k"})");
}

TEST(MapRuns, HaveOutputsOfALimitedSize) {
  World world;
  world.create("m", machine_of(""));
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Succeeded{std::string(100'000, 'x')}; };
  const std::string arn = world.begin("m", "[1,2,3]");
  world.settle();
  EXPECT_EQ(world.told(arn, "error"), "States.DataLimitExceeded");
}

struct Case {
  std::string_view type;
  bool has_reader = false;
};

// Each item's child is begun once: of one that is STANDARD, each call has the same name when it is made again.
void expect_whole(World& world, const std::string& arn, const Case& of, uint64_t at) {
  ASSERT_EQ(world.status(arn), "SUCCEEDED") << at;
  ASSERT_EQ(world.output(arn), "[1,2,3,4,5]") << at;
  ASSERT_EQ(world.item_counts(arn), "SUCCEEDED 0 0 5 0 0 5") << at;
  if (of.type == "EXPRESS") return;
  std::map<std::string, std::string> names;
  for (const tasks::TaskCall& call : world.calls) {
    const std::string item = json::write(call.parameters);
    const auto [known, is_new] = names.emplace(item, call.execution_arn + call.attempt_name);
    EXPECT_EQ(known->second, call.execution_arn + call.attempt_name) << at;
  }
  const json::Value children =
      world.ask("ListExecutions", json::write(json::Object{{"mapRunArn", world.map_run(arn)}}));
  EXPECT_EQ(children.find("executions")->array().size(), 5u) << at;
}

TEST(MapRuns, ACrashAfterAnyStepRunsEachItemOnce) {
  for (const Case& of : {Case{"STANDARD"}, Case{"STANDARD", true}, Case{"EXPRESS"}}) {
    const std::string fields = base::cat(of.has_reader ? kReader : std::string_view(), R"("MaxConcurrency":2,)");
    bool has_ended = false;
    for (uint64_t steps = 1; !has_ended && !::testing::Test::HasFailure(); steps += of.has_reader ? 3 : 2) {
      World world;
      world.add_bucket();
      world.objects["k"] = R"({"l":[1,2,3,4,5]})";
      world.create("m", machine_of(fields, of.type));
      const std::string arn = world.begin("m", "[1,2,3,4,5]");
      uint64_t done = 0;
      while (done < steps && world.executor.run_one()) ++done;
      has_ended = done < steps;
      world.crash();
      world.advance(1min);
      expect_whole(world, arn, of, steps);
    }
  }
}

TEST(MapRuns, ManyCrashesAndAnUnrulyStoreLoseNothing) {
  for (uint64_t seed = 1; seed <= 10 && !::testing::Test::HasFailure(); ++seed) {
    World world(seed, store::SimFaults{});
    world.add_bucket();
    world.objects["k"] = R"({"l":[1,2,3,4,5]})";
    world.create("m", machine_of(base::cat(kReader, R"("MaxConcurrency":3,)")));
    const std::string arn = world.begin("m");
    for (uint64_t i = 0; i < 12; ++i) {
      for (uint64_t step = 0; step < 30 + seed * 13 % 80 && world.executor.run_one(); ++step) {
      }
      world.crash();
      if (i % 3 == 0) world.advance(1s);
    }
    world.advance(1min);
    expect_whole(world, arn, {"STANDARD", true}, seed);
  }
}

}  // namespace
}  // namespace tidemill::states
