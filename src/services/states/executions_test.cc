// Executions from beginning to end: what they do with time, failures and crashes; long, nested and Express ones.
#include "services/states/testing.h"
#include "store/keys.h"
#include "store/paused.h"

namespace tidemill::states {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::machine;
using testing::World;
using namespace std::chrono_literals;

constexpr std::string_view kTask = R"("Type":"Task","Resource":"arn:aws:states:::test:do")";

TEST(Executions, WaitAndGoOnOnceTheTimeHasCome) {
  World world;
  world.create("m", machine(R"("A":{"Type":"Wait","Seconds":10,"Next":"B"},"B":{"Type":"Pass","End":true})"));
  const std::string arn = world.begin("m");
  world.advance(9s);
  EXPECT_EQ(world.status(arn), "RUNNING");
  world.advance(1s);
  EXPECT_EQ(world.status(arn), "SUCCEEDED");
}

TEST(Executions, SurviveACrashWhileTheyWait) {
  World world;
  world.create("m", machine(R"("A":{"Type":"Wait","Seconds":10,"Next":"B"},"B":{"Type":"Pass","End":true})"));
  const std::string arn = world.begin("m", R"({"x":1})");
  world.settle();
  world.crash();
  world.advance(10s);
  EXPECT_EQ(world.output(arn), R"({"x":1})");
}

TEST(Executions, TryAFailedTaskAgainAsItsRetriersSay) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kTask, R"(,"End":true,"Retry":[{"ErrorEquals":["Busy"],
      "IntervalSeconds":2,"BackoffRate":2,"MaxAttempts":2}]})")));
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Failed{.error = "Busy", .cause = "later"}; };
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.calls.size(), 1u);
  world.advance(2s);
  EXPECT_EQ(world.calls.size(), 2u);
  world.crash();  // counts of attempts survive
  world.advance(4s);
  EXPECT_EQ(world.calls.size(), 3u);
  EXPECT_EQ(world.status(arn), "FAILED");
  EXPECT_EQ(world.told(arn, "cause"), "later");
}

TEST(Executions, CallAgainAfterACrashOnlyWhatHasNoCommittedResult) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kTask, R"(,"Next":"B"},"B":{)", kTask, R"(,"End":true})")));
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.status(arn), "SUCCEEDED");
  EXPECT_EQ(world.calls.size(), 2u);

  world.holds_calls = true;
  const std::string second = world.begin("m");
  world.settle();
  ASSERT_EQ(world.calls.size(), 3u);
  const std::string name = world.calls.back().attempt_name;
  world.crash();
  world.settle();
  ASSERT_EQ(world.calls.size(), 4u);
  EXPECT_EQ(world.calls.back().attempt_name, name) << "the same attempt has the same name";
  world.let_go();
  world.settle();
  EXPECT_EQ(world.status(second), "SUCCEEDED");
  EXPECT_EQ(world.calls.size(), 5u);
}

// The store takes no writes any more once the task has been called, for a while.
void refuse_writes_after_the_call(World& world) {
  world.answer_with = [&world](const tasks::TaskCall& call) {
    if (world.calls.size() == 1) world.troubles.commits.next(10, store::CommitUnsure("the disk is full"));
    return tasks::Succeeded{call.parameters};
  };
}

TEST(Executions, CallNothingAgainBecauseItsResultCannotBeCommitted) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kTask, R"(,"Next":"B"},"B":{"Type":"Pass","End":true})")));
  refuse_writes_after_the_call(world);
  const std::string arn = world.begin("m", R"({"x":1})");
  world.settle();
  EXPECT_EQ(world.troubles.commits.left(), 0);
  EXPECT_EQ(world.output(arn), R"({"x":1})");
  EXPECT_EQ(world.calls.size(), 1u);
}

// Its result was committed though nobody knew of it: nothing is left to commit, and the next attempt is another.
TEST(Executions, CallAgainWhatIsToBeTriedAgainThoughItsCommitWasUnsure) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kTask, R"(,"End":true,"Retry":[{"ErrorEquals":["Busy"],
      "IntervalSeconds":2,"MaxAttempts":1}]})")));
  world.answer_with = [&world](const tasks::TaskCall&) -> tasks::TaskOutcome {
    if (world.calls.size() > 1) return tasks::Succeeded{json::Value(7)};
    world.troubles.answers.next(1, store::CommitUnsure("the disk is full"));
    return tasks::Failed{.error = "Busy", .cause = "later"};
  };
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.troubles.answers.left(), 0);
  world.advance(2s);
  EXPECT_EQ(world.output(arn), "7");
  EXPECT_EQ(world.calls.size(), 2u);
}

TEST(Executions, TimeTasksOutWithoutBeingTimedOutThemselves) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kTask, R"(,"TimeoutSeconds":5,"End":true})")));
  world.holds_calls = true;
  const std::string arn = world.begin("m");
  world.advance(5s);
  EXPECT_EQ(world.status(arn), "FAILED");
  EXPECT_EQ(world.told(arn, "error"), "States.Timeout");
  EXPECT_THAT(world.events(arn), ElementsAre("ExecutionStarted", "TaskStateEntered A", "TaskScheduled", "TaskStarted",
                                             "TaskTimedOut", "ExecutionFailed"));
  world.let_go();
  world.settle();
  EXPECT_EQ(world.events(arn).size(), 6u) << "what comes later changes nothing";
}

TEST(Executions, AreTimedOutByTheirMachine) {
  World world;
  world.create("m", R"({"StartAt":"A","TimeoutSeconds":5,"States":{"A":{"Type":"Wait","Seconds":10,"End":true}}})");
  const std::string arn = world.begin("m");
  world.advance(5s);
  EXPECT_EQ(world.status(arn), "TIMED_OUT");
  EXPECT_EQ(world.told(arn, "error"), "");
  EXPECT_THAT(world.events(arn), ElementsAre("ExecutionStarted", "WaitStateEntered A", "ExecutionTimedOut"));
}

TEST(Executions, AreStoppedAndRedrivenFromWhereTheyWere) {
  World world;
  world.create("m", machine(base::cat(R"("A":{"Type":"Pass","Next":"B"},"B":{)", kTask, R"(,"End":true})")));
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Failed{.error = "Down", .cause = ""}; };
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.status(arn), "FAILED");
  EXPECT_EQ(world.told(arn, "redriveStatus"), "REDRIVABLE");
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Succeeded{json::Value(1)}; };
  world.crash();
  EXPECT_THAT(world.run("RedriveExecution", json::write(json::Object{{"executionArn", arn}})),
              HasSubstr("redriveDate"));
  world.settle();
  EXPECT_EQ(world.output(arn), "1");
  const auto events = world.events(arn);
  EXPECT_EQ(std::ranges::count(events, "PassStateEntered A"), 1) << "what has succeeded is not run again";
  EXPECT_EQ(std::ranges::count(events, "ExecutionRedriven"), 1);
}

std::vector<std::string> listed(World& world, std::string_view status) {
  const json::Value page = world.ask("ListExecutions", json::write(json::Object{
                                                           {"stateMachineArn", World::machine_arn("m")},
                                                           {"statusFilter", status}}));
  std::vector<std::string> names;
  for (const json::Value& one : page.find("executions")->array()) names.push_back(one.find("name")->string());
  EXPECT_EQ(page.find("nextToken"), nullptr);
  return names;
}

// By a list of its own: one that runs is found among any number of those that have ended.
TEST(Executions, AreListedByTheirStatusWhateverBecomesOfThem) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kTask, R"(,"End":true})")));
  world.answer_with = [](const tasks::TaskCall& call) -> tasks::TaskOutcome {
    if (json::write(call.parameters) == "0") return tasks::Failed{.error = "E", .cause = ""};
    return tasks::Succeeded{call.parameters};
  };
  const std::string failing = world.begin("m", "0", "failing");
  (void)world.begin("m", "1", "fine");
  world.settle();
  world.holds_calls = true;
  (void)world.begin("m", "1", "running");
  world.settle();
  EXPECT_THAT(listed(world, "FAILED"), ElementsAre("failing"));
  EXPECT_THAT(listed(world, "SUCCEEDED"), ElementsAre("fine"));
  EXPECT_THAT(listed(world, "RUNNING"), ElementsAre("running"));
  (void)world.run("RedriveExecution", json::write(json::Object{{"executionArn", failing}}));
  world.settle();
  EXPECT_THAT(listed(world, "FAILED"), ElementsAre());
  EXPECT_THAT(listed(world, "RUNNING"), ::testing::UnorderedElementsAre("running", "failing"));
  world.let_go();
  world.advance(std::chrono::hours(24) * 91);
  for (const std::string_view status : {"RUNNING", "SUCCEEDED", "FAILED"}) {
    EXPECT_THAT(listed(world, status), ElementsAre()) << status;
  }
}

TEST(Executions, OfOneNameAndInputAreOneWhileTheyRun) {
  World world;
  world.create("m", machine(R"("A":{"Type":"Wait","Seconds":10,"End":true})"));
  const std::string arn = world.begin("m", "{}", "one");
  EXPECT_EQ(world.begin("m", "{}", "one"), arn);
  EXPECT_EQ(world.begin("m", R"({"x":1})", "one"), "ExecutionAlreadyExists: Execution Already Exists: '" + arn + "'");
  world.advance(10s);
  EXPECT_THAT(world.begin("m", "{}", "one"), StartsWith("ExecutionAlreadyExists"));
  EXPECT_THAT(world.begin("n"), StartsWith("StateMachineDoesNotExist: State Machine Does Not Exist: 'arn:"));
}

TEST(Executions, AreForgottenNinetyDaysAfterTheirEnd) {
  World world;
  world.create("m", machine(R"("A":{"Type":"Pass","End":true})"));
  const std::string arn = world.begin("m");
  world.settle();
  world.advance(std::chrono::hours(24) * 90);
  EXPECT_THAT(world.run("DescribeExecution", json::write(json::Object{{"executionArn", arn}})),
              StartsWith("ExecutionDoesNotExist"));
}

TEST(Executions, TellCloudWatchHowTheyEnd) {
  World world;
  world.create("m", machine(R"("A":{"Type":"Wait","Seconds":2,"Next":"B"},"B":{"Type":"Fail","Error":"E"})"));
  world.begin("m");
  world.advance(2s);
  const std::string arn = World::machine_arn("m");
  const auto measured = world.measured("AWS/States");
  EXPECT_EQ(measured.at("ExecutionsStarted " + arn), "1 of 1");
  EXPECT_EQ(measured.at("ExecutionsFailed " + arn), "1 of 1");
  EXPECT_EQ(measured.at("ExecutionTime " + arn), "2000 of 1");
}

TEST(Executions, OfALoopEndAtTheQuotaOfEvents) {
  World world;
  world.create("m", machine(R"("A":{"Type":"Pass","Next":"B"},"C":{"Type":"Succeed"},
      "B":{"Type":"Choice","Choices":[{"Variable":"$.stop","IsPresent":true,"Next":"C"}],"Default":"A"})"));
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.told(arn, "error"), "States.Runtime");
  EXPECT_THAT(world.told(arn, "cause"), HasSubstr("maximum number of history events (25000)"));
  const json::Array events = world.history(arn);
  EXPECT_LE(events.size(), 25'000u);
  EXPECT_GE(events.size(), 24'998u);
}

TEST(Executions, HaveManyBranchesWhoseTasksEndAtTheSameTime) {
  World world;
  std::string branches;
  for (int i = 0; i < 300; ++i) {
    branches += base::cat(i == 0 ? "" : ",", R"({"StartAt":"B)", i, R"(","States":{"B)", i, R"(":{)", kTask,
                          R"(,"End":true}}})");
  }
  world.create("m", machine(base::cat(R"("A":{"Type":"Parallel","Branches":[)", branches, R"(],"End":true})")));
  world.holds_calls = true;
  const std::string arn = world.begin("m", "1");
  world.settle();
  EXPECT_EQ(world.calls.size(), 300u);
  world.let_go();
  world.settle();
  EXPECT_EQ(world.status(arn), "SUCCEEDED");
  EXPECT_EQ(world.calls.size(), 300u);
}

TEST(Executions, ShowLargeEventsInPagesOfBoundedSize) {
  World world;
  std::string states;
  for (int i = 0; i < 60; ++i) {
    states += base::cat(i == 0 ? "\"A" : ",\"S", i == 0 ? std::string() : std::to_string(i),
                        R"(":{"Type":"Pass","Next":"S)", i + 1, R"("})");
  }
  world.create("m", machine(states + R"(,"S60":{"Type":"Succeed"})"));
  const std::string arn = world.begin("m", base::cat("\"", std::string(200'000, 'x'), "\""));
  world.settle();
  for (const bool reverse : {false, true}) {
    json::Object request{{"executionArn", arn}, {"maxResults", 1000}, {"reverseOrder", reverse}};
    size_t events = 0;
    size_t pages = 0;
    for (bool is_last = false; !is_last; ++pages) {
      const json::Value page = world.ask("GetExecutionHistory", json::write(json::Value(request)));
      events += page.find("events")->array().size();
      const json::Value* next = page.find("nextToken");
      is_last = next == nullptr;
      if (next) request.set("nextToken", *next);
    }
    EXPECT_EQ(events, 124u);
    EXPECT_EQ(pages, 4u);
  }
}

// Branches and iterations begin with what their state has: it stands once in the store, and in memory.
TEST(Executions, OfManyBranchesKeepTheirInputOnce) {
  World world;
  constexpr size_t kBytes = 100'000;
  const std::string input = base::cat("\"", std::string(kBytes, 'x'), "\"");
  const std::string task = base::cat("{", kTask, R"(,"End":true})");
  std::string branches;
  for (int i = 0; i < 50; ++i) {
    branches += base::cat(i == 0 ? "" : ",", R"({"StartAt":"B)", i, R"(","States":{"B)", i, R"(":)", task, "}}");
  }
  world.create("m", machine(base::cat(R"("A":{"Type":"Parallel","Branches":[)", branches, R"(],"End":true})")));
  world.create("each", machine(base::cat(R"("A":{"Type":"Map","ItemProcessor":{"StartAt":"B","States":{"B":)", task,
                                         R"(}},"End":true})")));
  world.holds_calls = true;
  const std::string arn = world.begin("m", input);
  const std::string each = world.begin("each", base::cat("[", input, ",", input, "]"));
  world.settle();
  ASSERT_EQ(world.calls.size(), 52u);
  size_t bytes = 0;
  const std::string prefix{static_cast<char>(store::KeySpace::execution), 'r'};
  const auto snapshot = world.store->snapshot();
  world.await([](store::Snapshot& reader, std::string of, size_t& sum) -> Task<bool> {
    co_await reader.scan(store::Range::prefix(of), store::Direction::forward,
                         [&](std::string_view, std::string_view value) { return (sum += value.size()) > 0; });
    co_return true;
  }(*snapshot, prefix, bytes));
  EXPECT_LT(bytes, 7 * kBytes);
  world.crash();  // found again
  world.calls.clear();
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Succeeded{json::Value(1)}; };
  world.settle();
  ASSERT_EQ(world.calls.size(), 52u);
  for (const tasks::TaskCall& call : world.calls) EXPECT_EQ(json::write(call.parameters), input);
  world.let_go();
  world.settle();
  EXPECT_EQ(world.output(arn).size(), 2 * 50 + 1u) << world.told(arn, "cause");
  EXPECT_EQ(world.output(each), "[1,1]");
}

// Some hundred thousand steps: more than a loop may be held for, so it is begun again elsewhere.
constexpr std::string_view kLong =
    "{% $sum($map([1..2000], function($x) { $count([1..50].($ + $x)) })) %}";

TEST(LongEvaluations, AreBegunAgainWithNothingDoneTwice) {
  World world;
  const std::string output = base::cat(R"("Output":")", kLong, "\"");
  ASSERT_THAT(world.create("m", base::cat(R"({"QueryLanguage":"JSONata","StartAt":"A","States":{
      "A":{"Type":"Pass",)", output, R"(,"Assign":{"n":"{% 1 %}"},"Next":"B"},
      "B":{"Type":"Task","Resource":"arn:aws:states:::test:do",)", output, R"(,"Next":"C"},
      "C":{"Type":"Wait","Seconds":1,)", output, R"(,"End":true}}})")),
              HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m");
  world.settle();
  world.advance(1s);
  EXPECT_EQ(world.output(arn), "100000") << world.told(arn, "cause");
  EXPECT_EQ(world.calls.size(), 1u);
  EXPECT_THAT(world.events(arn),
              ElementsAre("ExecutionStarted", "PassStateEntered A", "PassStateExited A", "TaskStateEntered B",
                          "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited B", "WaitStateEntered C",
                          "WaitStateExited C", "ExecutionSucceeded"));
}

TEST(LongEvaluations, OfExpressExecutionsAndOfItemsGoOnElsewhere) {
  World world;
  ASSERT_THAT(world.create("e", base::cat(R"({"QueryLanguage":"JSONata","StartAt":"A","States":{
      "A":{"Type":"Pass","Output":")", kLong, R"(","Next":"B"},"B":{"Type":"Pass","Output":")", kLong,
                                          R"(","End":true}}})"), "EXPRESS"),
              HasSubstr("stateMachineArn"));
  const json::Object request{{"stateMachineArn", World::machine_arn("e")}};
  for (int i = 0; i < 2; ++i) {  // the first finds out that they take long
    const json::Value answer = world.ask("StartSyncExecution", json::write(request));
    EXPECT_EQ(answer.find("output")->string(), "100000");
  }
  ASSERT_THAT(world.create("d", base::cat(R"({"QueryLanguage":"JSONata","StartAt":"A","States":{"A":{"Type":"Map",
      "ItemSelector":{"n":")", kLong, R"("},"ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED",
      "ExecutionType":"STANDARD"},"StartAt":"B","States":{"B":{"Type":"Pass","End":true}}},"End":true}}})")),
              HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("d", "[1,2]");
  world.settle();
  EXPECT_EQ(world.output(arn), R"([{"n":100000},{"n":100000}])") << world.told(arn, "cause");
}

TEST(LongEvaluations, OfTooManyStepsAreErrorsOfTheirExpression) {
  World world;
  world.create("m", R"({"QueryLanguage":"JSONata","StartAt":"A","States":{"A":{"Type":"Pass",
      "Output":"{% ($f := function($x) { $f($x + 1) }; $f(1)) %}","End":true}}})");
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.told(arn, "error"), "States.QueryEvaluationError");
}

TEST(Executions, EndWhenWhatTheyHandOnIsTooLarge) {
  World world;
  world.create("m", machine(R"("A":{"Type":"Task","Resource":"arn:aws:states:::test:grow","End":true})"));
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Succeeded{std::string(300'000, 'x')}; };
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(world.told(arn, "error"), "States.DataLimitExceeded");
  EXPECT_THAT(world.told(arn, "cause"), HasSubstr("exceeding the maximum number of bytes service limit"));
}

// As many calls of one machine as may be under way, and more.
TEST(Executions, OfOneMachineDoNotKeepTheTasksOfAnotherWaiting) {
  constexpr size_t kItems = 40;  // that a map runs at once
  World world;
  world.create("many", machine(base::cat(R"("A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"B","States":{"B":{)",
                                         kTask, R"(,"End":true}}}})")));
  world.create("one", machine(base::cat(R"("A":{)", kTask, R"(,"End":true})")));
  std::string input = "[1";
  for (size_t i = 1; i < kItems; ++i) input += ",1";
  world.holds_calls = true;
  for (size_t i = 0; i <= kCallsMax / kItems; ++i) (void)world.begin("many", input + "]");
  world.settle();
  EXPECT_EQ(world.calls.size(), kCallsMax);
  const std::string one = world.begin("one");
  world.settle();
  ASSERT_EQ(world.calls.size(), kCallsMax + 1);
  EXPECT_EQ(world.calls.back().execution_arn, one);
}

constexpr std::string_view kNested = R"("Type":"Task","Resource":"arn:aws:states:::states:startExecution.sync")";

// The test plays the integration: it begins the child that the parent's task names.
struct Nested {
  World world;
  std::string child;

  explicit Nested(std::string_view childs_states, std::string_view more = "") {
    world.create("child", machine(childs_states));
    world.create("parent", machine(base::cat(R"("A":{)", kNested, more, R"(,"End":true})")));
    child = world.begin("child");
    world.settle();
    world.answer_with = [this](const tasks::TaskCall&) {
      return tasks::Submitted{.output = json::Object{{"ExecutionArn", child}}, .execution_arn = child};
    };
  }
};

TEST(NestedExecutions, EndTheTaskThatWaitsForThem) {
  Nested nested(R"("A":{"Type":"Wait","Seconds":10,"Next":"B"},"B":{"Type":"Pass","Result":7,"End":true})");
  const std::string arn = nested.world.begin("parent");
  nested.world.settle();
  EXPECT_EQ(nested.world.status(arn), "RUNNING");
  nested.world.crash();
  nested.world.advance(10s);
  EXPECT_EQ(nested.world.status(arn), "SUCCEEDED");
  EXPECT_THAT(nested.world.output(arn), HasSubstr(R"("Output":"7")"));
}

TEST(NestedExecutions, ThatHaveEndedAlreadyEndItAtOnce) {
  Nested nested(R"("A":{"Type":"Fail","Error":"E"})");
  const std::string arn = nested.world.begin("parent");
  nested.world.settle();
  EXPECT_EQ(nested.world.status(arn), "FAILED");
  EXPECT_EQ(nested.world.told(arn, "error"), "States.TaskFailed");
}

TEST(NestedExecutions, EndEveryTaskThatWaitsForThem) {
  Nested nested(R"("A":{"Type":"Wait","Seconds":10,"End":true})");
  World& world = nested.world;
  world.create("each", machine(base::cat(R"("A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"B","States":{"B":{)",
                                         kNested, R"(,"End":true}}}})")));
  const std::string each = world.begin("each", "[1,2]");
  const std::string parent = world.begin("parent");
  world.settle();
  EXPECT_EQ(world.status(each), "RUNNING");
  world.crash();
  world.advance(10s);
  EXPECT_EQ(world.status(each), "SUCCEEDED");
  EXPECT_EQ(world.status(parent), "SUCCEEDED");
}

TEST(NestedExecutions, AreStoppedWithTheTaskThatWaitsForThem) {
  Nested nested(R"("A":{"Type":"Wait","Seconds":1000,"End":true})", R"(,"TimeoutSeconds":5)");
  const std::string arn = nested.world.begin("parent");
  nested.world.advance(5s);
  EXPECT_EQ(nested.world.told(arn, "error"), "States.Timeout");
  EXPECT_EQ(nested.world.status(nested.child), "ABORTED");
}

TEST(NestedExecutions, AreStoppedThoughTheTaskWasGivenUpWhileTheyWereBegun) {
  Nested nested(R"("A":{"Type":"Wait","Seconds":1000,"End":true})");
  World& world = nested.world;
  world.holds_calls = true;
  const std::string arn = world.begin("parent");
  world.settle();
  (void)world.run("StopExecution", json::write(json::Object{{"executionArn", arn}}));
  world.settle();
  EXPECT_EQ(world.status(nested.child), "RUNNING");
  world.let_go();
  world.settle();
  EXPECT_EQ(world.status(nested.child), "ABORTED");
}

// The second attempt finds the execution that the first one has begun.
TEST(NestedExecutions, AreNotStoppedIfALaterAttemptWaitsForThem) {
  Nested nested(R"("A":{"Type":"Wait","Seconds":1000,"End":true})",
                R"(,"TimeoutSeconds":5,
                    "Retry":[{"ErrorEquals":["States.Timeout"],"IntervalSeconds":1,"MaxAttempts":1}])");
  World& world = nested.world;
  world.holds_calls = true;
  const std::string arn = world.begin("parent");
  world.settle();
  world.holds_calls = false;
  world.advance(6s);
  ASSERT_EQ(world.calls.size(), 2u);
  world.let_go();
  world.settle();
  EXPECT_EQ(world.status(nested.child), "RUNNING");
  EXPECT_EQ(world.status(arn), "RUNNING");
}

// The second and the third share a transaction that was made though nobody knew, and each finds that out alone.
TEST(NestedExecutions, EndTheTasksOfWhichItWasUnsureWhetherTheyWait) {
  Nested nested(R"("A":{"Type":"Wait","Seconds":10,"End":true})");
  World& world = nested.world;
  world.create("each", machine(base::cat(R"("A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"B",
      "States":{"B":{)", kNested, R"(,"End":true}}}})")));
  world.holds_calls = true;
  const std::string arn = world.begin("each", "[1,2,3]");
  world.settle();
  world.troubles.answers.next(1, store::CommitUnsure("the disk is full"), 1);
  world.let_go();
  world.settle();
  EXPECT_EQ(world.troubles.answers.left(), 0);
  EXPECT_EQ(world.status(arn), "RUNNING");
  world.advance(10s);
  EXPECT_EQ(world.status(arn), "SUCCEEDED");
}

TEST(Express, RunToTheirEndForTheirCaller) {
  World world;
  world.create("e", machine(base::cat(R"("A":{)", kTask, R"(,"Next":"B"},"B":{"Type":"Wait","Seconds":1,"End":true})")),
               "EXPRESS");
  const json::Object request{{"stateMachineArn", World::machine_arn("e")}, {"input", R"({"x":1})"}};
  const auto run = world.start("StartSyncExecution", json::write(request));
  world.advance(1s);
  ASSERT_TRUE(run->done);
  const json::Value answer = World::parse(run->answer);
  EXPECT_EQ(answer.find("status")->string(), "SUCCEEDED") << run->answer;
  EXPECT_EQ(answer.find("output")->string(), R"({"x":1})");
}

TEST(Express, ThrottleCallersBeyondAsManyAsMayWait) {
  World world;
  world.create("e", machine(R"("A":{"Type":"Wait","Seconds":1,"End":true})"), "EXPRESS");
  const std::string request = json::write(json::Object{{"stateMachineArn", World::machine_arn("e")}});
  for (size_t i = 0; i < states::Express::kAwaitedMax; ++i) (void)world.start("StartSyncExecution", request);
  world.settle();
  EXPECT_THAT(world.run("StartSyncExecution", request), HasSubstr("Overloaded: too many callers"));
  world.advance(1s);
  const auto later = world.start("StartSyncExecution", request);
  world.advance(1s);
  EXPECT_THAT(later->answer, HasSubstr("SUCCEEDED"));
}

TEST(Express, OfOneMachineDoNotKeepThoseOfAnotherWaiting) {
  World world;
  world.create("many", machine(base::cat(R"("A":{)", kTask, R"(,"End":true})")), "EXPRESS");
  world.create("one", machine(base::cat(R"("A":{)", kTask, R"(,"End":true})")), "EXPRESS");
  world.holds_calls = true;
  for (size_t i = 0; i <= kExpressRunningMax; ++i) (void)world.begin("many");
  world.settle();
  EXPECT_EQ(world.calls.size(), kExpressRunningMax);
  const std::string one = world.begin("one");
  world.settle();
  ASSERT_EQ(world.calls.size(), kExpressRunningMax + 1);
  EXPECT_EQ(world.calls.back().execution_arn, one);
}

TEST(Express, HaveNoQuotaOfEvents) {
  World world;
  world.create("e", machine(R"("A":{"Type":"Map","ItemProcessor":{"StartAt":"B","States":{"B":{"Type":"Pass","End":true}}},"ResultPath":null,"End":true})"),
               "EXPRESS");
  std::string input = "[1";
  for (int i = 0; i < 10'000; ++i) input += ",1";
  const json::Object request{{"stateMachineArn", World::machine_arn("e")}, {"input", input + "]"}};
  const auto run = world.start("StartSyncExecution", json::write(request));
  world.settle();
  ASSERT_TRUE(run->done);
  EXPECT_EQ(World::parse(run->answer).find("status")->string(), "SUCCEEDED") << run->answer.substr(0, 300);
}

TEST(Express, RunAgainAfterACrashWhenNobodyWaits) {
  World world;
  world.create("e", machine(base::cat(R"("A":{)", kTask, R"(,"End":true})")), "EXPRESS");
  world.holds_calls = true;
  EXPECT_THAT(world.begin("e"), HasSubstr(":express:e:"));
  world.settle();
  EXPECT_EQ(world.calls.size(), 1u);
  world.crash();
  world.settle();
  EXPECT_EQ(world.calls.size(), 2u);
  world.let_go();
  world.settle();
  world.crash();
  world.settle();
  EXPECT_EQ(world.calls.size(), 2u) << "one that has ended is forgotten";
}

TEST(Express, DoNotRunAgainBecauseTheirEndCannotBeNoted) {
  World world;
  world.create("e", machine(base::cat(R"("A":{)", kTask, R"(,"End":true})")), "EXPRESS");
  refuse_writes_after_the_call(world);
  EXPECT_THAT(world.begin("e"), HasSubstr(":express:e:"));
  world.settle();
  EXPECT_EQ(world.troubles.commits.left(), 0);
  EXPECT_EQ(world.calls.size(), 1u);
  world.crash();
  world.settle();
  EXPECT_EQ(world.calls.size(), 1u) << "its end is noted";
}

}  // namespace
}  // namespace tidemill::states
