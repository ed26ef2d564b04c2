// What the holder of a task's token says, and workers of activities: answers, heartbeats, and those that come too early.
#include <algorithm>

#include "services/states/keys.h"
#include "services/states/testing.h"
#include "store/queue.h"

namespace tidemill::states {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::machine;
using testing::World;
using namespace std::chrono_literals;

constexpr std::string_view kToken =
    R"("Type":"Task","Resource":"arn:aws:states:::test:do.waitForTaskToken","Parameters":{"t.$":"$$.Task.Token"})";

std::string answer_success(World& world, const std::string& token, std::string_view output) {
  return world.run("SendTaskSuccess", json::write(json::Object{{"taskToken", token}, {"output", output}}));
}

TEST(Callbacks, EndTheTaskWithTheAnswer) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kToken, R"(,"End":true})")));
  world.answer_with = [](const tasks::TaskCall&) {
    return tasks::Submitted{.output = json::Object{{"MessageId", "1"}}};
  };
  const std::string arn = world.begin("m");
  world.settle();
  const std::string token = world.calls.at(0).parameters.find("t")->string();
  EXPECT_EQ(token, world.calls.at(0).token);
  world.crash();
  EXPECT_EQ(answer_success(world, token, R"({"ok":true})"), "{}");
  world.settle();
  EXPECT_EQ(world.output(arn), R"({"ok":true})");
  EXPECT_THAT(world.events(arn), ElementsAre("ExecutionStarted", "TaskStateEntered A", "TaskScheduled", "TaskStarted",
                                             "TaskSubmitted", "TaskSucceeded", "TaskStateExited A",
                                             "ExecutionSucceeded"));
  EXPECT_EQ(answer_success(world, token, "1"), "TaskTimedOut: Task Timed Out: 'Provided task does not exist anymore'");
  EXPECT_EQ(answer_success(world, "nonsense", "1"), "InvalidToken: Invalid Token: 'Invalid token'");
  EXPECT_THAT(answer_success(world, token, "{"), StartsWith("InvalidOutput: "));
}

TEST(Callbacks, CountWhenTheyComeBeforeTheSubmission) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kToken, R"(,"End":true})")));
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Submitted{.output = json::Object()}; };
  world.holds_calls = true;
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(answer_success(world, world.calls.at(0).token, "1"), "{}");
  world.settle();
  EXPECT_EQ(world.status(arn), "RUNNING");
  world.let_go();
  world.settle();
  EXPECT_EQ(world.output(arn), "1");
  const auto events = world.events(arn);
  EXPECT_EQ(events.at(4), "TaskSubmitted");
  EXPECT_EQ(events.at(5), "TaskSucceeded");
}

TEST(Callbacks, CountThoughTheServerDiedBeforeTheSubmissionWasKnown) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kToken, R"(,"End":true})")));
  world.holds_calls = true;
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_EQ(answer_success(world, world.calls.at(0).token, "1"), "{}");
  world.crash();
  world.settle();
  EXPECT_EQ(world.output(arn), "1");
  EXPECT_EQ(world.calls.size(), 1u) << "who has answered is not asked again";
}

TEST(Callbacks, HeartbeatsPutTheEndOffAndAMissedOneIsATimeout) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kToken, R"(,"HeartbeatSeconds":10,"End":true,
      "Catch":[{"ErrorEquals":["States.HeartbeatTimeout"],"Next":"B"}]},"B":{"Type":"Pass","End":true})")));
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Submitted{.output = json::Object()}; };
  const std::string arn = world.begin("m");
  world.advance(9s);
  const std::string beat = json::write(json::Object{{"taskToken", world.calls.at(0).token}});
  EXPECT_EQ(world.run("SendTaskHeartbeat", beat), "{}");
  world.advance(9s);
  EXPECT_EQ(world.status(arn), "RUNNING");
  world.advance(1s);
  EXPECT_EQ(world.status(arn), "SUCCEEDED");
  EXPECT_THAT(world.output(arn), HasSubstr("States.Timeout"));
  EXPECT_THAT(world.run("SendTaskHeartbeat", beat), StartsWith("TaskTimedOut"));
}

TEST(Activities, AreWorkedOffByWhoPolls) {
  World world;
  world.run("CreateActivity", R"({"name":"a"})");
  const std::string activity = "arn:aws:states:us-east-1:000000000000:activity:a";
  world.create("m", machine(base::cat(R"("A":{"Type":"Task","Resource":")", activity, R"(","End":true})")));
  const std::string poll = json::write(json::Object{{"activityArn", activity}, {"workerName", "w"}});
  const auto waiting = world.start("GetActivityTask", poll);
  world.settle();
  EXPECT_FALSE(waiting->done);
  const std::string arn = world.begin("m", R"({"x":1})");
  world.settle();
  ASSERT_TRUE(waiting->done);
  const json::Value task = World::parse(waiting->answer);
  EXPECT_EQ(task.find("input")->string(), R"({"x":1})");
  EXPECT_EQ(answer_success(world, task.find("taskToken")->string(), "2"), "{}");
  world.settle();
  EXPECT_EQ(world.output(arn), "2");
  EXPECT_THAT(world.events(arn), ElementsAre("ExecutionStarted", "TaskStateEntered A", "ActivityScheduled",
                                             "ActivityStarted", "ActivitySucceeded", "TaskStateExited A",
                                             "ExecutionSucceeded"));
}

TEST(Activities, OfAnotherAccountOrRegionAreGivenNoTasks) {
  World world;
  for (const std::string_view place : {"us-east-1:111111111111", "eu-west-1:000000000000"}) {
    const std::string activity = base::cat("arn:aws:states:", place, ":activity:a");
    const std::string name = base::cat("m-", place.substr(0, 2));
    world.create(name, machine(base::cat(R"("A":{"Type":"Task","Resource":")", activity, R"(","End":true})")));
    const std::string arn = world.begin(name, "1");
    world.settle();
    EXPECT_EQ(world.told(arn, "error"), "States.TaskFailed");
    EXPECT_EQ(world.told(arn, "cause"), base::cat("The activity ", activity,
                                                  " must be of the account and region of the state machine."));
    EXPECT_THAT(world.events(arn), ElementsAre("ExecutionStarted", "TaskStateEntered A", "ActivityScheduled",
                                               "ActivityScheduleFailed", "ExecutionFailed"));
  }
}

constexpr std::string_view kActivityArn = "arn:aws:states:us-east-1:000000000000:activity:a";
constexpr std::string_view kPoll = R"({"activityArn":"arn:aws:states:us-east-1:000000000000:activity:a"})";

// With a machine "m" whose one state is the activity "a".
class ActivityWorld : public World {
 public:
  ActivityWorld() {
    run("CreateActivity", R"({"name":"a"})");
    create("m", machine(base::cat(R"("A":{"Type":"Task","Resource":")", kActivityArn, R"(","End":true})")));
  }
  // Where looks for offers begin.
  std::string front() { return await(store::Queue(activity_prefix(kActivityArn)).front(*store->snapshot())); }
};

TEST(Activities, AnOfferIsTheAffairOfOneWorker) {
  ActivityWorld world;
  std::vector<World::RequestPtr> workers;
  for (int i = 0; i < 20; ++i) workers.push_back(world.start("GetActivityTask", kPoll));
  world.settle();
  const uint64_t conflicts = world.store->metrics().conflicts;
  for (int i = 0; i < 3; ++i) world.begin("m", "1");
  world.settle();
  EXPECT_EQ(std::ranges::count_if(workers, [](const auto& worker) { return worker->done; }), 3);
  EXPECT_EQ(world.store->metrics().conflicts, conflicts) << "the others lost no race for it";
  for (int i = 0; i < 17; ++i) world.begin("m", "1");
  world.settle();
  EXPECT_EQ(std::ranges::count_if(workers, [](const auto& worker) { return worker->done; }), 20);
}

TEST(Activities, AWorkerThatLeavesLetsTheNextOneLook) {
  ActivityWorld world;
  base::Scope client;
  (void)world.start("GetActivityTask", kPoll, client);
  const auto next = world.start("GetActivityTask", kPoll);
  world.settle();
  world.leave(client);
  world.begin("m", "1");
  world.settle();
  EXPECT_TRUE(next->done);
}

// Their keys are dead for a while: looks must not step over all of them.
TEST(Activities, LooksBeginBehindWhatWasTakenOrWithdrawn) {
  ActivityWorld world;
  world.begin("m", "1");
  world.settle();
  const std::string none = activity_prefix(kActivityArn);
  EXPECT_EQ(world.front(), none);
  EXPECT_THAT(world.run("GetActivityTask", kPoll), HasSubstr("taskToken"));
  const std::string behind_first = world.front();
  EXPECT_GT(behind_first, none);
  world.advance(1h);
  const std::string withdrawn = world.begin("m", "1");
  world.settle();
  const std::string stop = json::write(json::Object{{"executionArn", withdrawn}});
  EXPECT_THAT(world.run("StopExecution", stop), HasSubstr("stopDate"));
  const auto poll = world.start("GetActivityTask", kPoll);
  world.settle();
  EXPECT_GT(world.front(), behind_first);
  world.begin("m", "1");
  world.settle();
  EXPECT_TRUE(poll->done);
}

TEST(Activities, ThrottleWorkersBeyondAsManyAsMayWait) {
  World world;
  world.run("CreateActivity", R"({"name":"a"})");
  const std::string poll = R"({"activityArn":"arn:aws:states:us-east-1:000000000000:activity:a"})";
  for (size_t i = 0; i < ActivityPolls::kWaitingMax; ++i) (void)world.start("GetActivityTask", poll);
  world.settle();
  EXPECT_THAT(world.run("GetActivityTask", poll), StartsWith("Overloaded: too many workers"));
  world.advance(60s);
  const auto waiting = world.start("GetActivityTask", poll);
  world.settle();
  EXPECT_FALSE(waiting->done) << waiting->answer;
}

}  // namespace
}  // namespace tidemill::states
