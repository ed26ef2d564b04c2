// Schedules over the simulated store and a clock that the test turns.
#include <random>
#include <set>
#include <system_error>

#include "services/scheduler/testing.h"
#include "wire/timestamp.h"

namespace tidemill::scheduler {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::World;
namespace ops = shapes::ops;
using Texts = std::vector<std::string>;

constexpr std::string_view kTime = "<aws.scheduler.scheduled-time>";

std::string attribute(const wire::sqs::Message& message, const std::string& name) {
  if (!message.message_attributes) return "";
  const auto found = message.message_attributes->find(name);
  return found == message.message_attributes->end() ? "" : found->second.string_value.value_or("");
}

TEST(SchedulerTest, RunsOnceAtItsTimeAndStaysUnlessItIsToGo) {
  World world;
  world.create_queue("q");
  world.create("stays", "at(2026-03-14T01:00:00)", World::queue("q", "stays"));
  auto goes = World::request("goes", "at(2026-03-14T02:00:00)", World::queue("q", "goes"));
  goes.action_after_completion = "DELETE";
  (void)world.ask<ops::CreateSchedule>(goes);
  world.advance(59min + 59s);
  EXPECT_THAT(world.bodies("q"), IsEmpty());
  world.advance(1s);
  EXPECT_THAT(world.bodies("q"), ElementsAre("stays"));
  world.advance(24h);
  EXPECT_THAT(world.bodies("q"), ElementsAre("goes"));
  EXPECT_EQ(world.ask<ops::GetSchedule>({.name = "stays"}).state, "ENABLED");
  EXPECT_EQ(world.refusal<ops::GetSchedule>({.name = "goes"}),
            "ResourceNotFoundException: Schedule goes does not exist.");
}

TEST(SchedulerTest, ARateBeginsAtOnceAndEndsWithItsEndDate) {
  World world;
  world.create_queue("q");
  auto request = World::request("s", "rate(5 minutes)", World::queue("q", std::string(kTime)));
  request.end_date = world.clock.now() + 11min;
  request.action_after_completion = "DELETE";
  (void)world.ask<ops::CreateSchedule>(request);
  world.settle();
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-14T00:00:00Z"));
  world.advance(1h);
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-14T00:05:00Z", "2026-03-14T00:10:00Z"));
  EXPECT_THAT(world.refusal<ops::GetSchedule>({.name = "s"}), HasSubstr("ResourceNotFoundException"));
}

TEST(SchedulerTest, ARateWithAStartBeginsThere) {
  World world;
  world.create_queue("q");
  auto request = World::request("s", "rate(1 day)", World::queue("q", std::string(kTime)));
  request.start_date = world.clock.now() + 36h;
  (void)world.ask<ops::CreateSchedule>(request);
  world.advance(72h);
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-15T12:00:00Z", "2026-03-16T12:00:00Z"));
}

TEST(SchedulerTest, AStartDateMoreThanFiveMinutesAgoIsRefusedUnlessItIsWhatItWas) {
  constexpr std::string_view kTooEarly =
      "ValidationException: The StartDate you specify cannot be earlier than 5 minutes ago.";
  World world;
  auto request = World::request("s", "rate(1 day)", World::queue("q", "x"));
  const base::Time begun = world.clock.now();
  request.start_date = begun - 5min - 1s;
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(request), kTooEarly);
  request.schedule_expression = "cron(0 8 * * ? *)";
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(request), kTooEarly);
  request.start_date = begun - 5min;
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(request), "");
  world.advance(1h);
  shapes::UpdateScheduleInput update{.name = "s", .schedule_expression = "rate(2 days)", .target = request.target};
  update.flexible_time_window = request.flexible_time_window;
  update.start_date = begun - 5min + 963ms;  // as far as all clients tell it
  EXPECT_EQ(world.refusal<ops::UpdateSchedule>(update), "");
  update.start_date = begun;
  EXPECT_EQ(world.refusal<ops::UpdateSchedule>(update), kTooEarly);
  auto once = World::request("once", "at(2026-03-15T01:00:00)", World::queue("q", "x"));
  once.start_date = begun - 24h;
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(once), "") << "of what runs once it means nothing";
}

TEST(SchedulerTest, CronFollowsTheClocksOfItsZone) {
  World world;
  world.create_queue("q");
  auto request = World::request("s", "cron(0 8 * * ? *)", World::queue("q", std::string(kTime)));
  request.schedule_expression_timezone = "Europe/Berlin";
  request.start_date = world.clock.now() + 24h * 13;
  (void)world.ask<ops::CreateSchedule>(request);
  world.advance(24h * 16);
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-27T07:00:00Z", "2026-03-28T07:00:00Z", "2026-03-29T06:00:00Z"));
}

TEST(SchedulerTest, SecondsWorkBeyondAws) {
  World world;
  world.create_queue("q");
  world.create("s", "cron(0/20 * * * * ? *)", World::queue("q", std::string(kTime)));
  world.advance(45s);
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-14T00:00:00Z", "2026-03-14T00:00:20Z", "2026-03-14T00:00:40Z"));
}

TEST(SchedulerTest, AFlexibleWindowSpreadsRunsWithinIt) {
  World world;
  world.create_queue("q");
  for (int i = 0; i < 20; ++i) {
    auto request = World::request(base::cat("s", i), "at(2026-03-14T01:00:00)", World::queue("q", std::string(kTime)));
    request.flexible_time_window = {.mode = "FLEXIBLE", .maximum_window_in_minutes = 60};
    (void)world.ask<ops::CreateSchedule>(request);
  }
  world.advance(1h - 1s);
  EXPECT_THAT(world.bodies("q"), IsEmpty());
  world.advance(31min);
  const size_t first_half = world.bodies("q").size();
  EXPECT_GT(first_half, 2u);
  EXPECT_LT(first_half, 18u);
  world.advance(30min);
  const Texts rest = world.bodies("q");
  EXPECT_EQ(first_half + rest.size(), 20u);
  EXPECT_EQ(rest.front(), "2026-03-14T01:00:00Z") << "the time is that of the schedule";
}

// A run for each minute, each within its own quarter of an hour.
World::Create every_minute(std::string_view name, shapes::Target to) {
  auto request = World::request(name, "cron(* * * * ? *)", std::move(to));
  request.flexible_time_window = {.mode = "FLEXIBLE", .maximum_window_in_minutes = 15};
  return request;
}

TEST(SchedulerTest, AWindowThatIsLongerThanThePeriodLosesNoRun) {
  World world;
  world.create_queue("q");
  (void)world.ask<ops::CreateSchedule>(every_minute("s", World::queue("q", std::string(kTime))));
  (void)world.ask<ops::CreateSchedule>(every_minute("f", World::target(World::kFunction, "{}")));
  world.advance(2h);
  const Texts runs = world.bodies("q");
  const std::set<std::string> different(runs.begin(), runs.end());
  EXPECT_EQ(different.size(), runs.size()) << "each once";
  EXPECT_GE(runs.size(), 105u) << "whose window has ended";
  EXPECT_LE(runs.size(), 121u);
  EXPECT_GE(world.invoked.size(), 105u);
  EXPECT_THAT(world.metrics.prometheus_text(), HasSubstr("tidemill_schedules_skipped_total 0"));
}

TEST(SchedulerTest, ADisabledScheduleWaitsUntilItIsUpdated) {
  World world;
  world.create_queue("q");
  auto request = World::request("s", "rate(1 hour)", World::queue("q", "x"));
  request.state = "DISABLED";
  request.description = "gone with the update";
  (void)world.ask<ops::CreateSchedule>(request);
  world.advance(24h);
  EXPECT_THAT(world.bodies("q"), IsEmpty());
  shapes::UpdateScheduleInput update{
      .name = "s", .schedule_expression = "cron(30 * * * ? *)", .target = World::queue("q", "y")};
  update.flexible_time_window.mode = "OFF";
  (void)world.ask<ops::UpdateSchedule>(update);
  EXPECT_FALSE(world.ask<ops::GetSchedule>({.name = "s"}).description) << "an update replaces everything";
  world.advance(2h);
  EXPECT_THAT(world.bodies("q"), ElementsAre("y", "y"));
  (void)world.ask<ops::DeleteSchedule>({.name = "s"});
  world.advance(2h);
  EXPECT_THAT(world.bodies("q"), IsEmpty());
}

TEST(SchedulerTest, ActsForItsGroup) {
  World world;
  (void)world.ask<ops::CreateScheduleGroup>({.name = "g"});
  auto request = World::request("s", "at(2026-03-14T01:00:00)", World::target(World::kFunction));
  request.group_name = "g";
  (void)world.ask<ops::CreateSchedule>(request);
  world.advance(1h);
  EXPECT_EQ(world.acted_for, "arn:aws:scheduler:us-east-1:000000000000:schedule-group/g");
}

TEST(SchedulerTest, PutsItsContextIntoTheInputAndTellsByDefault) {
  World world;
  const std::string arn = world.create(
      "s", "at(2026-03-14T01:00:00)",
      World::target(World::kFunction, R"({"arn":"<aws.scheduler.schedule-arn>","at":"<aws.scheduler.scheduled-time>",)"
                                      R"("n":<aws.scheduler.attempt-number>,"other":"<aws.scheduler.x>"})"));
  world.create("t", "at(2026-03-14T02:00:00)", World::target(World::kFunction));
  EXPECT_EQ(arn, "arn:aws:scheduler:us-east-1:000000000000:schedule/default/s");
  world.advance(2h);
  ASSERT_THAT(world.invoked, SizeIs(2));
  EXPECT_EQ(world.invoked[0],
            R"({"arn":")" + arn + R"(","at":"2026-03-14T01:00:00Z","n":1,"other":"<aws.scheduler.x>"})");
  EXPECT_THAT(world.invoked[1],
              AllOf(HasSubstr(R"("detail-type":"Scheduled Event","source":"aws.scheduler","account":"000000000000")"),
                    HasSubstr(R"("time":"2026-03-14T02:00:00Z","region":"us-east-1","resources":["arn:aws:scheduler:)"),
                    HasSubstr(R"("detail":"{}"})")));
}

TEST(SchedulerTest, TriesAgainWithTheSameExecutionUntilItSucceeds) {
  World world;
  int failures = 3;
  world.answer_with = [&] { return failures-- > 0 ? "ServiceException" : ""; };
  world.create("s", "at(2026-03-14T01:00:00)",
               World::target(World::kFunction, R"(["<aws.scheduler.execution-id>",<aws.scheduler.attempt-number>])"));
  world.advance(2h);
  ASSERT_THAT(world.invoked, SizeIs(4));
  const std::string id = world.invoked[0].substr(0, 39);
  EXPECT_EQ(world.invoked[3], id + ",4]");
  EXPECT_EQ(world.invoked[0], id + ",1]");
}

TEST(SchedulerTest, WhatIsGivenUpGoesToTheDeadLetterQueueWithWhy) {
  World world;
  world.create_queue("dead");
  world.answer_with = [] { return "ServiceException"; };
  auto to = World::target(World::kFunction, R"({"n":<aws.scheduler.attempt-number>})");
  to.dead_letter_config = {{.arn = World::queue_arn("dead")}};
  to.retry_policy = {{.maximum_retry_attempts = 2}};
  const std::string arn = world.create("s", "at(2026-03-14T01:00:00)", to);
  auto nowhere = World::queue("none", "hello");
  nowhere.dead_letter_config = to.dead_letter_config;
  world.create("t", "at(2026-03-14T03:00:00)", nowhere);
  world.advance(2h);
  EXPECT_THAT(world.invoked, SizeIs(3));
  auto dead = world.messages("dead");
  ASSERT_THAT(dead, SizeIs(1));
  EXPECT_EQ(attribute(dead[0], "ERROR_CODE"), "ServiceException");
  EXPECT_EQ(attribute(dead[0], "ERROR_MESSAGE"), "out of order");
  EXPECT_EQ(attribute(dead[0], "EXHAUSTED_RETRY_CONDITION"), "MaximumRetryAttempts");
  EXPECT_EQ(attribute(dead[0], "RETRY_ATTEMPTS"), "2");
  EXPECT_EQ(attribute(dead[0], "SCHEDULE_ARN"), arn);
  EXPECT_EQ(attribute(dead[0], "TARGET_ARN"), World::kFunction);
  EXPECT_EQ(attribute(dead[0], "SCHEDULED_TIME"), "2026-03-14T01:00:00Z");
  world.advance(1h);
  dead = world.messages("dead");
  ASSERT_THAT(dead, SizeIs(1));
  EXPECT_EQ(dead[0].body, "hello");
  EXPECT_EQ(attribute(dead[0], "ERROR_CODE"), "QueueDoesNotExist");
  EXPECT_EQ(attribute(dead[0], "EXHAUSTED_RETRY_CONDITION"), "");
  EXPECT_EQ(attribute(dead[0], "RETRY_ATTEMPTS"), "0");
}

TEST(SchedulerTest, ByDefaultItTriesForADay) {
  World world;
  world.create_queue("dead");
  world.answer_with = [] { return "ServiceException"; };
  auto to = World::target(World::kFunction, "{}");
  to.dead_letter_config = {{.arn = World::queue_arn("dead")}};
  world.create("s", "at(2026-03-14T00:00:01)", to);
  world.advance(23h);
  EXPECT_THAT(world.messages("dead"), IsEmpty());
  world.advance(2h);
  const auto dead = world.messages("dead");
  ASSERT_THAT(dead, SizeIs(1));
  EXPECT_EQ(attribute(dead[0], "EXHAUSTED_RETRY_CONDITION"), "MaximumEventAgeInSeconds");
  EXPECT_GT(world.invoked.size(), 160u);
  EXPECT_LE(world.invoked.size(), 186u);
}

TEST(SchedulerTest, AUniversalTargetIsAnyOperationByItsName) {
  World world;
  world.create("s", "at(2026-03-14T01:00:00)",
               World::target("arn:aws:scheduler:::aws-sdk:sqs:createQueue",
                             R"({"QueueName":"made-<aws.scheduler.attempt-number>"})"));
  world.advance(1h);
  EXPECT_EQ(world.refusal<wire::sqs::ops::GetQueueUrl>({.queue_name = "made-1"}), "");
}

TEST(SchedulerTest, AUniversalTargetsServiceIsCalledAsInSdks) {
  World world;
  const auto refusal = [&](std::string_view service_and_action) {
    const std::string arn = base::cat("arn:aws:scheduler:::aws-sdk:", service_and_action);
    return world.refusal<ops::CreateSchedule>(World::request("s", "at(2026-03-14T01:00:00)", World::target(arn, "{}")));
  };
  for (const char* service : {"states", "events", "logs", "monitoring", "cognito-idp"}) {
    EXPECT_EQ(refusal(base::cat(service, ":startIt")),
              base::cat("ValidationException: ", service, " is not a supported service for a target."));
  }
  EXPECT_EQ(refusal("sfn:startExecution"), "");
}

TEST(SchedulerTest, ATargetWhoseServiceAnEarlierVersionTookByItsEndpointRunsAllTheSame) {
  World world;
  world.create("s", "at(2026-03-14T01:00:00)",
               World::target("arn:aws:scheduler:::aws-sdk:sfn:startExecution",
                             base::cat(R"({"StateMachineArn":")", World::kMachine, R"(","Input":"{}"})")));
  const ScheduleAddress address{std::string(World::kAccount), std::string(World::kRegion), "default", "s"};
  (void)world.await(world.store->transact([&](store::Transaction& txn) -> Task<bool> {
    Schedule schedule = co_await load_schedule(txn, address);
    schedule.target.arn = "arn:aws:scheduler:::aws-sdk:states:startExecution";
    txn.put(schedule_key(address), encode_schedule(schedule));
    co_return true;
  }));
  world.advance(1h);
  EXPECT_THAT(world.started, SizeIs(1));
}

// Each of them is too old after a minute.
TEST(SchedulerTest, HoweverManyCallAnOperationAtOnceNoneIsPutOffIfItEndsAtOnce) {
  constexpr size_t kSchedules = 200;
  World world;
  world.create_queue("q");
  auto to = World::target("arn:aws:scheduler:::aws-sdk:sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":"x"})");
  for (size_t i = 0; i < kSchedules; ++i) world.create(base::cat("s", i), "at(2026-03-14T01:00:00)", to);
  world.advance(1h);
  EXPECT_THAT(world.bodies("q"), SizeIs(kSchedules));
}

TEST(SchedulerTest, CallsThatTakeLongAreInTheWayOfNoOtherAccount) {
  World world;
  world.runs_for = 15min;
  const auto to = [](std::string_view payload) {
    return World::target("arn:aws:scheduler:::aws-sdk:lambda:invoke",
                         base::cat(R"({"FunctionName":"f","Payload":")", payload, R"("})"));
  };
  for (size_t i = 0; i < engine::kSendsPerTargetMax + 1; ++i) {
    world.create(base::cat("s", i), "at(2026-03-14T01:00:00)", to("1"));
  }
  wire::Context others(*world.platform, "111111111111", std::string(World::kRegion), "request", "tester");
  const auto request = World::request("theirs", "at(2026-03-14T01:00:01)", to("2"));
  (void)world.await(world.registry->call<ops::CreateSchedule>(others, request));
  world.advance(1h + 1s);
  EXPECT_THAT(world.invoked, SizeIs(engine::kSendsPerTargetMax + 1));
  EXPECT_EQ(world.invoked.back(), "2");
  world.advance(15min);
  EXPECT_THAT(world.invoked, SizeIs(engine::kSendsPerTargetMax + 2)) << "and each has its turn";
}

TEST(SchedulerTest, AMachinesExecutionIsNamedByItsRunSoThatItBeginsOnce) {
  World world;
  world.create("s", "at(2026-03-14T01:00:00)", World::target(World::kMachine, R"({"at":"<aws.scheduler.scheduled-time>"})"));
  world.machine_answers = [] { return std::string("ExecutionAlreadyExists"); };
  world.advance(25h);
  ASSERT_EQ(world.started.size(), 1u) << "that it exists already is no failure";
  EXPECT_THAT(world.started[0], ::testing::MatchesRegex(R"([-0-9a-f]{36} \{"at":"2026-03-14T01:00:00Z"\})"));
}

TEST(SchedulerTest, ARunThatIsSentAgainAfterACrashIsTheSameExecution) {
  constexpr uint64_t kSeeds = 20;
  uint64_t again = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    World world(seed);
    world.create("s", "at(2026-03-14T01:00:00)", World::target(World::kMachine, "{}"));
    world.clock.advance_to(world.clock.now() + 1h, [] {});
    for (int step = 0; step < 10'000 && world.started.empty(); ++step) world.executor.run_one();
    ASSERT_THAT(world.started, SizeIs(1));
    world.crash();  // what was to be recorded of it is on disk or not
    world.settle();
    ASSERT_LE(world.started.size(), 2u);
    EXPECT_EQ(world.started.front(), world.started.back());
    if (world.started.size() == 2) ++again;
  }
  EXPECT_GT(again, 0u) << "no crash was early enough";
}

// Of what failed the first time it is known, too, that it is to be tried again: by a delivery.
TEST(SchedulerTest, ARunThatCannotBeRecordedForNowIsNotSentAgainForThat) {
  for (const bool fails_first : {false, true}) {
    World world;
    world.create("s", "at(2026-03-14T01:00:00)", World::target(World::kFunction, "{}"));
    world.settle();
    world.answer_with = [&] { return fails_first && world.invoked.size() == 1 ? "ServiceException" : ""; };
    world.troubles.commits.next(3, std::system_error(std::make_error_code(std::errc::no_space_on_device)));
    world.advance(3h);
    EXPECT_EQ(world.troubles.commits.left(), 0);
    EXPECT_THAT(world.invoked, SizeIs(fails_first ? 2 : 1));
  }
}

TEST(SchedulerTest, ARunThatItsTargetTakesIsNoDeliveryOnTheWay) {
  World world;
  world.create_queue("q");
  world.create("s", "rate(1 minute)", World::queue("q", "x"));
  world.advance(10min);
  EXPECT_THAT(world.bodies("q"), SizeIs(11));
  EXPECT_FALSE(world.timers->ran().contains("delivery.schedule"));
}

TEST(SchedulerTest, ARunAtAQueueIsOneCommitWithItsMessageSoThatNoCrashRepeatsIt) {
  constexpr int kSteps = 80;
  for (int steps = 0; steps < kSteps; ++steps) {
    World world;
    world.create_queue("q");
    world.create("s", "at(2026-03-14T01:00:00)", World::queue("q", "x"));
    world.clock.advance_to(world.clock.now() + 1h, [] {});
    for (int step = 0; step < steps; ++step) world.executor.run_one();
    world.crash();
    world.settle();
    EXPECT_THAT(world.bodies("q"), ElementsAre("x")) << "crashed after " << steps << " steps";
  }
}

TEST(SchedulerTest, AFifoQueueGetsItsGroup) {
  World world;
  wire::sqs::CreateQueueInput fifo{.queue_name = "q.fifo"};
  fifo.attributes = {{{"FifoQueue", "true"}, {"ContentBasedDeduplication", "true"}}};
  (void)world.ask<wire::sqs::ops::CreateQueue>(fifo);
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(World::request("s", "rate(1 minute)", World::queue("q.fifo", "x"))),
            "ValidationException: Parameters SqsParameters must be specified for the target.");
  auto to = World::queue("q.fifo", "x");
  to.sqs_parameters = {{.message_group_id = "g"}};
  world.create("s", "at(2026-03-14T01:00:00)", to);
  world.advance(1h);
  EXPECT_THAT(world.bodies("q.fifo"), ElementsAre("x"));
}

TEST(SchedulerTest, RefusesByName) {
  World world;
  const auto refusal = [&](auto change) {
    auto request = World::request("s", "rate(1 minute)", World::queue("q", "x"));
    change(request);
    return world.refusal<ops::CreateSchedule>(request);
  };
  EXPECT_EQ(refusal([](auto& r) { r.schedule_expression = "rate(1 minutes)"; }),
            "ValidationException: Invalid Schedule Expression rate(1 minutes).");
  EXPECT_EQ(refusal([](auto& r) { r.schedule_expression_timezone = "Mars/Olympus"; }),
            "ValidationException: Invalid ScheduleExpressionTimezone Mars/Olympus.");
  EXPECT_EQ(refusal([](auto& r) { r.schedule_expression_timezone = "../../../etc/passwd"; }),
            "ValidationException: Invalid ScheduleExpressionTimezone ../../../etc/passwd.");
  EXPECT_EQ(refusal([](auto& r) { r.group_name = "g"; }),
            "ResourceNotFoundException: Schedule group g does not exist.");
  EXPECT_EQ(refusal([](auto& r) { r.flexible_time_window.mode = "FLEXIBLE"; }),
            "ValidationException: MaximumWindowInMinutes must be provided when FlexibleTimeWindowMode is set to "
            "FLEXIBLE.");
  EXPECT_EQ(refusal([](auto& r) { r.target.arn = "arn:aws:ecs:us-east-1:000000000000:cluster/c"; }),
            "ValidationException: Tidemill does not support targets of ecs.");
  EXPECT_EQ(refusal([](auto& r) { r.target.arn = "arn:aws:scheduler:us-east-1:000000000000:aws-sdk:sqs:sendMessage"; }),
            "ValidationException: scheduler is not a supported service for a target.");
  EXPECT_EQ(refusal([](auto& r) { r.target.arn = "q"; }),
            "ValidationException: Provided Arn is not in correct format.");
  EXPECT_EQ(refusal([](auto& r) { r.target.arn = "arn:aws:scheduler:::aws-sdk:glue:startJobRun"; }),
            "ValidationException: Tidemill does not support the target's operation glue:StartJobRun.");
  EXPECT_EQ(refusal([](auto& r) { r.target.arn = "arn:aws:scheduler:::aws-sdk:sqs:receiveMessage"; }),
            "ValidationException: receiveMessage API is not supported.");
  EXPECT_EQ(refusal([](auto& r) { r.target = World::target(World::kFunction, "no json"); }),
            "ValidationException: JSON syntax error in input for the target.");
  EXPECT_EQ(refusal([](auto& r) { r.target.kinesis_parameters = {{.partition_key = "p"}}; }),
            "ValidationException: Parameters KinesisParameters not supported for the target.");
  EXPECT_EQ(refusal([](auto& r) { r.target.sqs_parameters = {{.message_group_id = "g"}}; }),
            "ValidationException: Parameters MessageGroupId not valid for the target.")
      << "of a queue that is none of FIFO";
  EXPECT_EQ(refusal([](auto& r) { r.target.arn = "arn:aws:sqs:eu-west-1:000000000000:q"; }),
            "ValidationException: The target ARN provided does not match the current region us-east-1.");
  EXPECT_EQ(refusal([](auto& r) { r.flexible_time_window.maximum_window_in_minutes = 5; }),
            "ValidationException: MaximumWindowInMinutes must not be provided when FlexibleTimeWindowMode is set to "
            "OFF.");
  EXPECT_EQ(refusal([&](auto& r) { r.start_date = r.end_date = world.clock.now() + 1h; }),
            "ValidationException: The StartDate you specify must come before the EndDate.");
  EXPECT_EQ(refusal([](auto& r) { r.target = World::target("arn:aws:scheduler:::aws-sdk:sqs:sendMessage"); }),
            "ValidationException: You must provide an input to set this target for your schedule.");
  EXPECT_THAT(refusal([](auto& r) { r.name = "no spaces"; }), HasSubstr("'name' failed to satisfy constraint"));
}

TEST(SchedulerTest, TheSameClientMayAskTwice) {
  World world;
  auto request = World::request("s", "rate(1 minute)", World::queue("q", "x"));
  request.client_token = "token";
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(request), "");
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(request), "");
  auto other = request;
  other.description = "another";
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(other),
            "ConflictException: The client token of this request has been used with other parameters for schedule s.");
  request.client_token = "another";
  EXPECT_EQ(world.refusal<ops::CreateSchedule>(request), "ConflictException: Schedule s already exists.");
}

// A rate would run at once again: clients that have seen no answer send the same token.
TEST(SchedulerTest, AnUpdateThatComesTwiceBeginsOnce) {
  World world;
  world.create_queue("q");
  world.create("s", "rate(1 hour)", World::queue("q", "x"));
  shapes::UpdateScheduleInput update{
      .name = "s", .schedule_expression = "rate(2 hours)", .target = World::queue("q", "y"), .client_token = "token"};
  update.flexible_time_window.mode = "OFF";
  world.advance(10min);
  for (int i = 0; i < 2; ++i) {
    (void)world.ask<ops::UpdateSchedule>(update);
    world.advance(10min);
  }
  EXPECT_THAT(world.bodies("q"), ElementsAre("x", "y"));
  update.description = "another";
  EXPECT_EQ(world.refusal<ops::UpdateSchedule>(update),
            "ConflictException: The client token of this request has been used with other parameters for schedule s.");
  update.client_token = "another";
  EXPECT_EQ(world.refusal<ops::UpdateSchedule>(update), "");
}

TEST(SchedulerTest, TheSameClientMayMakeAGroupTwiceWhateverItsTagsBecame) {
  World world;
  const shapes::CreateScheduleGroupInput request{
      .name = "g", .tags = {{{.key = "k", .value = "v"}}}, .client_token = "token"};
  const std::string arn = *world.ask<ops::CreateScheduleGroup>(request).schedule_group_arn;
  (void)world.ask<ops::TagResource>({.resource_arn = arn, .tags = {{.key = "l", .value = "w"}}});
  EXPECT_EQ(world.refusal<ops::CreateScheduleGroup>(request), "");
  auto other = request;
  other.tags = std::nullopt;
  EXPECT_EQ(world.refusal<ops::CreateScheduleGroup>(other), "ConflictException: Schedule group g already exists.");
  EXPECT_EQ(world.refusal<ops::CreateScheduleGroup>({.name = "default"}),
            "ValidationException: This operation cannot be performed on schedule group default.");
}

TEST(SchedulerTest, ListsPageByPageWithPrefixesStatesAndGroups) {
  World world;
  (void)world.ask<ops::CreateScheduleGroup>({.name = "g"});
  for (int i = 0; i < 25; ++i) {
    auto request = World::request(base::cat("s", i), "rate(365 days)", World::queue("q", "x"));
    request.start_date = world.clock.now() + 1h;
    if (i % 5 == 0) request.group_name = "g";
    if (i % 2 == 0) request.state = "DISABLED";
    (void)world.ask<ops::CreateSchedule>(request);
  }
  const auto names = [&](shapes::ListSchedulesInput request) {
    Texts all;
    do {
      auto page = world.ask<ops::ListSchedules>(request);
      for (const auto& summary : page.schedules) all.push_back(*summary.name);
      request.next_token = page.next_token;
    } while (request.next_token);
    return all;
  };
  shapes::ListSchedulesInput request;
  request.max_results = 7;
  EXPECT_THAT(names(request), SizeIs(25));
  request.group_name = "g";
  EXPECT_THAT(names(request), ElementsAre("s0", "s10", "s15", "s20", "s5"));
  request.state = "ENABLED";
  EXPECT_THAT(names(request), ElementsAre("s15", "s5"));
  request = {};
  request.name_prefix = "s2";
  EXPECT_THAT(names(request), ElementsAre("s2", "s21", "s22", "s23", "s24", "s20"));
  request.group_name = "none";
  EXPECT_EQ(world.refusal<ops::ListSchedules>(request),
            "ResourceNotFoundException: Schedule group none does not exist.");
}

TEST(SchedulerTest, GroupsHaveTagsAndAreListedWithTheDefaultOne) {
  World world;
  for (const char* name : {"b", "a"}) (void)world.ask<ops::CreateScheduleGroup>({.name = name});
  EXPECT_EQ(world.refusal<ops::CreateScheduleGroup>({.name = "a"}),
            "ConflictException: Schedule group a already exists.");
  Texts names;
  shapes::ListScheduleGroupsInput list;
  list.max_results = 1;
  do {
    auto page = world.ask<ops::ListScheduleGroups>(list);
    for (const auto& group : page.schedule_groups) names.push_back(*group.name);
    list.next_token = page.next_token;
  } while (list.next_token);
  EXPECT_THAT(names, ElementsAre("default", "a", "b"));
  const std::string arn = *world.ask<ops::GetScheduleGroup>({.name = "a"}).arn;
  EXPECT_EQ(arn, "arn:aws:scheduler:us-east-1:000000000000:schedule-group/a");
  (void)world.ask<ops::TagResource>(
      {.resource_arn = arn, .tags = {{.key = "k", .value = "v"}, {.key = "l", .value = "w"}}});
  (void)world.ask<ops::UntagResource>({.resource_arn = arn, .tag_keys = {"k"}});
  const auto tags = *world.ask<ops::ListTagsForResource>({.resource_arn = arn}).tags;
  ASSERT_THAT(tags, SizeIs(1));
  EXPECT_EQ(tags[0].key, "l");
  EXPECT_EQ(
      world.refusal<ops::TagResource>({.resource_arn = arn, .tags = {{.key = "tidemill:missed", .value = "maybe"}}}),
      "ValidationException: The tag tidemill:missed must be run or skip.");
  EXPECT_EQ(world.refusal<ops::ListTagsForResource>(
                {.resource_arn = "arn:aws-cn:scheduler:us-east-1:000000000000:schedule-group/a"}),
            "ResourceNotFoundException: Schedule group a does not exist.")
      << "of another partition";
  EXPECT_EQ(world.refusal<ops::DeleteScheduleGroup>({.name = "default"}),
            "ValidationException: This operation cannot be performed on schedule group default.");
}

TEST(SchedulerTest, TagsThatCannotBeAreRefusedAtTheCreationAndLater) {
  constexpr const char* kReserved = "ValidationException: Tag keys that begin with aws: are reserved for AWS.";
  World world;
  const std::string arn = *world.ask<ops::CreateScheduleGroup>({.name = "a"}).schedule_group_arn;
  for (const char* key : {"aws:a", "AWS:a"}) {
    const std::vector<shapes::Tag> tags{{.key = key, .value = "1"}};
    EXPECT_EQ(world.refusal<ops::CreateScheduleGroup>({.name = "b", .tags = tags}), kReserved);
    EXPECT_EQ(world.refusal<ops::TagResource>({.resource_arn = arn, .tags = tags}), kReserved);
    EXPECT_EQ(world.refusal<ops::UntagResource>({.resource_arn = arn, .tag_keys = {key}}), kReserved);
  }
  const auto refused = [&](const std::vector<shapes::Tag>& tags, const std::string& words) {
    EXPECT_EQ(world.refusal<ops::CreateScheduleGroup>({.name = "b", .tags = tags}), "ValidationException: " + words);
    EXPECT_EQ(world.refusal<ops::TagResource>({.resource_arn = arn, .tags = tags}), "ValidationException: " + words);
  };
  const std::string characters = "Tags can only include letters, digits, spaces, and _ . : / = + - @";
  refused({{.key = "a!", .value = "1"}}, characters);
  refused({{.key = "a", .value = "{1}"}}, characters);
  refused({{.key = "a", .value = "1"}, {.key = "a", .value = "2"}}, "Duplicate tag keys are not allowed.");
  EXPECT_TRUE(world.ask<ops::ListTagsForResource>({.resource_arn = arn}).tags->empty());
}

TEST(SchedulerTest, ADeletedGroupTakesItsSchedulesWithIt) {
  World world;
  world.create_queue("q");
  (void)world.ask<ops::CreateScheduleGroup>({.name = "g"});
  for (int i = 0; i < 450; ++i) {
    auto request = World::request(base::cat("s", i), "at(2026-03-14T01:00:00)", World::queue("q", "x"));
    request.group_name = "g";
    (void)world.ask<ops::CreateSchedule>(request);
  }
  (void)world.ask<ops::DeleteScheduleGroup>({.name = "g"});
  world.settle();
  EXPECT_THAT(world.refusal<ops::GetScheduleGroup>({.name = "g"}), HasSubstr("ResourceNotFoundException"));
  EXPECT_THAT(world.ask<ops::ListSchedules>({}).schedules, IsEmpty());
  world.advance(2h);
  EXPECT_THAT(world.bodies("q"), IsEmpty());
}

// What fell due while the server was down.

TEST(SchedulerMissedTest, TheLastMissedRunIsMadeUpForOnce) {
  World world;
  world.create_queue("q");
  world.create("s", "cron(0 * * * ? *)", World::queue("q", std::string(kTime)));
  world.create("once", "at(2026-03-14T02:00:00)", World::queue("q", "once"));
  world.settle();
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-14T00:00:00Z"));
  world.down_for(5h + 20min);
  EXPECT_THAT(world.bodies("q"), ::testing::UnorderedElementsAre("2026-03-14T05:00:00Z", "once"));
  world.advance(1h);
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-14T06:00:00Z"));
  EXPECT_THAT(world.metrics.prometheus_text(), HasSubstr("tidemill_schedules_skipped_total 1"));
}

TEST(SchedulerMissedTest, ItIsSkippedBeyondItsAgeOrIfItsGroupSaysSo) {
  World world;
  world.create_queue("q");
  shapes::CreateScheduleGroupInput group{.name = "g"};
  group.tags = {{{.key = "tidemill:missed", .value = "skip"}}};
  (void)world.ask<ops::CreateScheduleGroup>(group);
  auto skips = World::request("s", "cron(0 * * * ? *)", World::queue("q", "skips"));
  skips.group_name = "g";
  (void)world.ask<ops::CreateSchedule>(skips);
  auto short_lived = World::queue("q", "short");
  short_lived.retry_policy = {{.maximum_event_age_in_seconds = 600}};
  world.create("t", "cron(30 * * * ? *)", short_lived);
  world.settle();  // the run of this very moment
  (void)world.bodies("q");
  world.down_for(3h + 50min);
  EXPECT_THAT(world.bodies("q"), IsEmpty());
  world.advance(45min);
  EXPECT_THAT(world.bodies("q"), ElementsAre("skips", "short"));
}

TEST(SchedulerMissedTest, NothingIsThatWaitedWithinItsWindowWhenTheServerWasStartedAgain) {
  World world;
  world.create_queue("q");
  (void)world.ask<ops::CreateSchedule>(every_minute("s", World::queue("q", std::string(kTime))));
  std::set<std::string> runs;
  for (int i = 0; i < 6; ++i) {
    world.advance(20min);
    for (std::string& run : world.bodies("q")) EXPECT_TRUE(runs.insert(run).second) << run;
    world.crash();
  }
  EXPECT_GE(runs.size(), 105u) << "whose window has ended";
  EXPECT_THAT(world.metrics.prometheus_text(), HasSubstr("tidemill_schedules_skipped_total 0"));
}

TEST(SchedulerMissedTest, WithinAWindowToo) {
  World world;
  world.create_queue("q");
  (void)world.ask<ops::CreateSchedule>(every_minute("s", World::queue("q", std::string(kTime))));
  world.advance(1h);
  (void)world.bodies("q");
  world.down_for(5h);
  EXPECT_THAT(world.bodies("q"), ElementsAre("2026-03-14T06:00:00Z"));
  EXPECT_THAT(world.metrics.prometheus_text(), HasSubstr("tidemill_schedules_skipped_total 1"));
  world.advance(1h);
  EXPECT_GE(world.bodies("q").size(), 45u);
}

// Seeds drive schedules through conflicts, slow commits and crashes: every run reaches its queue.
TEST(SchedulerSimulation, NoRunIsLostInCrashes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed, store::SimFaults{});
    world.create_queue("q");
    constexpr int kSchedules = 5;
    for (int i = 0; i < kSchedules; ++i) {
      world.create(base::cat("s", i), "rate(10 seconds)", World::queue("q", base::cat(i, " ", kTime)));
    }
    std::set<std::string> seen;
    std::mt19937_64 random(seed);
    for (int step = 0; step < 30; ++step) {
      bool done = false;
      world.clock.advance_to(world.clock.now() + 7s, [&] { done = true; });
      for (int i = static_cast<int>(random() % 200); i > 0; --i) world.executor.run_one();
      if (random() % 3 == 0) world.crash();
      world.settle();
      for (const std::string& body : world.bodies("q")) seen.insert(body);
    }
    world.advance(10s);
    for (const std::string& body : world.bodies("q")) seen.insert(body);
    EXPECT_GE(seen.size(), static_cast<size_t>(kSchedules) * 20) << "seed " << seed;
    // No hole between the first and the last of each.
    for (int i = 0; i < kSchedules; ++i) {
      std::optional<base::Time> before;
      for (const std::string& body : seen) {
        if (!body.starts_with(base::cat(i, " "))) continue;
        const auto time = wire::parse_timestamp(body.substr(2), wire::TimestampFormat::date_time);
        if (before) EXPECT_EQ(*time - *before, base::Duration(10s)) << "seed " << seed << " " << body;
        before = time;
      }
    }
  }
}

}  // namespace
}  // namespace tidemill::scheduler
