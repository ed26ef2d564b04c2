// What executions tell CloudWatch Logs: levels, the form of events, crashes. The test plays Logs.
#include "services/states/execution_log.h"

#include "services/states/testing.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/logs.h"

namespace tidemill::states {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::machine;
using namespace std::chrono_literals;

constexpr std::string_view kGroupArn = "arn:aws:logs:us-east-1:000000000000:log-group:/states/m:*";

// With the log group "/states/m".
class World : public testing::World {
 public:
  World() {
    other_services = [this](wire::Registry& to) { add_logs_to(to); };
    add_logs_to(*registry);
  }

  std::vector<std::string> messages;
  std::string stream;  // that was made last
  bool is_down = false;

  std::string create_logging(std::string_view name, std::string_view definition, std::string_view level,
                             bool with_data = true, std::string_view type = "STANDARD",
                             std::string_view group = kGroupArn) {
    const json::Object destination{{"cloudWatchLogsLogGroup", json::Object{{"logGroupArn", group}}}};
    const json::Object logging{
        {"level", level}, {"includeExecutionData", with_data}, {"destinations", json::Array{destination}}};
    return run("CreateStateMachine", json::write(json::Object{{"name", name},
                                                              {"definition", definition},
                                                              {"roleArn", kRole},
                                                              {"type", type},
                                                              {"loggingConfiguration", logging}}));
  }
  std::vector<std::string> types() const {
    std::vector<std::string> result;
    for (const std::string& message : messages) result.push_back(parse(message).find("type")->string());
    return result;
  }

 private:
  void add_logs_to(wire::Registry& to) {
    namespace ops = wire::logs::ops;
    to.add<ops::DescribeLogGroups>([](wire::Context&, const ops::DescribeLogGroups::Request& request)
                                       -> Task<ops::DescribeLogGroups::Response> {
      ops::DescribeLogGroups::Response response;
      response.log_groups.emplace();
      if (std::string_view("/states/m").starts_with(*request.log_group_name_prefix)) {
        response.log_groups->push_back({.log_group_name = "/states/m"});
      }
      co_return response;
    });
    to.add<ops::CreateLogStream>(
        [this](wire::Context&, const ops::CreateLogStream::Request& request) -> Task<ops::CreateLogStream::Response> {
          stream = request.log_stream_name;
          co_return ops::CreateLogStream::Response{};
        });
    to.add<ops::PutLogEvents>(
        [this](wire::Context&, const ops::PutLogEvents::Request& request) -> Task<ops::PutLogEvents::Response> {
          if (is_down) throw wire::Error("ServiceUnavailableException", 503, "later");
          if (request.log_stream_name != stream) {
            throw wire::Error("ResourceNotFoundException", 400, "The specified log stream does not exist.");
          }
          for (const auto& event : request.log_events) messages.push_back(event.message);
          co_return ops::PutLogEvents::Response{};
        });
  }
};

const std::string kPass = machine(R"("A":{"Type":"Pass","End":true})");
const std::string kFail = machine(R"("A":{"Type":"Task","Resource":"arn:aws:states:::test:do","Next":"B",
    "Catch":[{"ErrorEquals":["States.ALL"],"Next":"B"}]},"B":{"Type":"Fail","Error":"E","Cause":"c"})");

TEST(ExecutionLog, HasTheEventsOfStandardExecutionsInStepFunctionsOwnForm) {
  World world;
  ASSERT_THAT(world.create_logging("m", kPass, "ALL"), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", R"({"x":1})", "n");
  world.settle();
  EXPECT_THAT(world.types(),
              ElementsAre("ExecutionStarted", "PassStateEntered", "PassStateExited", "ExecutionSucceeded"));
  EXPECT_EQ(world.messages.at(1), base::cat(R"({"id":"2","type":"PassStateEntered","details":{"name":"A",)",
                                            R"("input":"{\"x\":1}","inputDetails":{"truncated":"false"}},)",
                                            R"("previous_event_id":"0","event_timestamp":"1773446400000",)",
                                            R"("execution_arn":")", arn, R"(","redrive_count":"0"})"));
  EXPECT_THAT(world.stream, StartsWith("states/m/2026-03-14-00-00/"));
}

TEST(ExecutionLog, LeavesDataOutUnlessItIsAskedFor) {
  World world;
  world.create_logging("m", kPass, "ALL", false);
  world.begin("m", R"({"x":1})");
  world.settle();
  ASSERT_THAT(world.messages, SizeIs(4));
  EXPECT_THAT(world.messages.at(1), HasSubstr(R"("details":{"name":"A"})"));
  for (const std::string& message : world.messages) EXPECT_THAT(message, Not(HasSubstr("put")));
}

TEST(ExecutionLog, HasWhatItsLevelTakesIn) {
  for (const std::string_view type : {"STANDARD", "EXPRESS"}) {
    World world;
    world.answer_with = [](const tasks::TaskCall&) { return tasks::Failed{.error = "Down", .cause = "d"}; };
    world.create_logging("errors", kFail, "ERROR", true, type);
    world.begin("errors");
    world.settle();
    EXPECT_THAT(world.types(), ElementsAre("TaskFailed", "FailStateEntered", "ExecutionFailed")) << type;
    world.messages.clear();
    world.create_logging("fatal", kFail, "FATAL", true, type);
    world.begin("fatal");
    world.settle();
    EXPECT_THAT(world.types(), ElementsAre("ExecutionFailed")) << type;
    world.messages.clear();
    world.create_logging("off", kFail, "OFF", true, type);
    world.begin("off");
    world.settle();
    EXPECT_THAT(world.messages, SizeIs(0)) << type;
  }
}

TEST(ExecutionLog, OfASynchronousExpressExecutionIsWholeWhenItAnswers) {
  World world;
  world.create_logging("e", kPass, "ALL", true, "EXPRESS");
  const json::Object request{{"stateMachineArn", World::machine_arn("e")}, {"input", R"({"x":1})"}};
  const json::Value answer = world.ask("StartSyncExecution", json::write(request));
  EXPECT_THAT(world.types(),
              ElementsAre("ExecutionStarted", "PassStateEntered", "PassStateExited", "ExecutionSucceeded"));
  EXPECT_THAT(world.messages.front(),
              HasSubstr(base::cat(R"("execution_arn":")", answer.find("executionArn")->string(), "\"")));
}

TEST(ExecutionLog, OfAnExpressExecutionIsWrittenWhileItRunsAndTellsThatItTimedOut) {
  World world;
  world.create_logging("e", machine(R"("A":{"Type":"Wait","Seconds":600,"End":true})"), "ALL", true, "EXPRESS");
  world.begin("e");
  world.settle();
  EXPECT_THAT(world.types(), ElementsAre("ExecutionStarted", "WaitStateEntered"));
  world.advance(5min);
  EXPECT_THAT(world.types(), ElementsAre("ExecutionStarted", "WaitStateEntered", "ExecutionTimedOut"));
}

TEST(ExecutionLog, CountsRedrives) {
  World world;
  world.answer_with = [](const tasks::TaskCall&) { return tasks::Failed{.error = "Down", .cause = ""}; };
  world.create_logging("m", machine(R"("A":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true})"),
                       "FATAL");
  const std::string arn = world.begin("m");
  world.settle();
  (void)world.run("RedriveExecution", json::write(json::Object{{"executionArn", arn}}));
  world.settle();
  ASSERT_THAT(world.messages, SizeIs(2));
  EXPECT_THAT(world.messages.at(0), HasSubstr(R"("redrive_count":"0")"));
  EXPECT_THAT(world.messages.at(1), HasSubstr(R"("redrive_count":"1")"));
}

TEST(ExecutionLog, CutsDataThatALogEventCannotHold) {
  World world;
  world.create_logging("m", kPass, "ALL");
  std::string quotes;
  for (int i = 0; i < 100'000; ++i) quotes += "\\\"";
  world.begin("m", base::cat("\"", quotes, "\""));
  world.settle();
  ASSERT_THAT(world.messages, SizeIs(4));
  const json::Value event = World::parse(world.messages.at(1));
  const json::Value* details = event.find("details");
  EXPECT_EQ(details->find("inputDetails")->find("truncated")->string(), "true");
  EXPECT_LE(json::write(*details->find("input")).size(), kLoggedDataBytesMax + 2);
  EXPECT_GE(json::write(*details->find("input")).size(), kLoggedDataBytesMax - 4);
}

TEST(ExecutionLog, LosesNothingThoughLogsIsDownAndTheServerDies) {
  World world;
  world.create_logging("m", kPass, "ALL");
  world.is_down = true;
  world.begin("m");
  world.settle();
  world.crash();
  EXPECT_THAT(world.messages, SizeIs(0));
  world.is_down = false;
  world.advance(1min);
  EXPECT_THAT(world.types(),
              ElementsAre("ExecutionStarted", "PassStateEntered", "PassStateExited", "ExecutionSucceeded"));
}

TEST(ExecutionLog, ACrashAfterAnyStepLeavesNoEventOut) {
  bool has_ended = false;
  for (uint64_t steps = 1; !has_ended && !::testing::Test::HasFailure(); ++steps) {
    World world;
    world.create_logging("m", machine(R"("A":{"Type":"Pass","Next":"B"},"B":{"Type":"Pass","End":true})"), "ALL");
    world.begin("m");
    uint64_t done = 0;
    while (done < steps && world.executor.run_one()) ++done;
    has_ended = done < steps;
    world.crash();
    world.advance(1min);
    std::set<std::string> ids;
    for (const std::string& message : world.messages) ids.insert(World::parse(message).find("id")->string());
    EXPECT_THAT(ids, ElementsAre("1", "2", "3", "4", "5", "6")) << steps;
  }
}

TEST(ExecutionLog, IsRefusedInAGroupOfAnotherAccountOrRegion) {
  World world;
  world.create("m", kPass);
  for (const std::string_view place : {"us-east-1:111111111111", "eu-west-1:000000000000"}) {
    const std::string group = base::cat("arn:aws:logs:", place, ":log-group:/states/m:*");
    constexpr std::string_view kRefusal =
        "InvalidLoggingConfiguration: Invalid Logging Configuration: The log group must be of the account and region "
        "of the state machine.";
    EXPECT_EQ(world.create_logging("n", kPass, "ALL", true, "STANDARD", group), kRefusal);
    const json::Object destination{{"cloudWatchLogsLogGroup", json::Object{{"logGroupArn", group}}}};
    const json::Object logging{{"level", "ALL"}, {"destinations", json::Array{destination}}};
    EXPECT_EQ(world.run("UpdateStateMachine", json::write(json::Object{{"stateMachineArn", World::machine_arn("m")},
                                                                       {"loggingConfiguration", logging}})),
              kRefusal);
  }
}

// As a definition may name one that is older than that refusal.
TEST(ExecutionLog, IsNotWrittenToAGroupOfAnotherAccountOrRegion) {
  World world;
  const auto put = [&](std::string account, std::string region) -> Task<bool> {
    co_await put_log_lines(*world.platform, std::move(account), std::move(region), std::string(kGroupArn), "stream",
                           {{0, "line"}});
    co_return true;
  };
  world.await(put("111111111111", "us-east-1"));
  world.await(put("000000000000", "eu-west-1"));
  EXPECT_THAT(world.messages, SizeIs(0));
  world.await(put("000000000000", "us-east-1"));
  EXPECT_THAT(world.messages, ElementsAre("line"));
}

struct Gate : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_deed(const wire::Context& context, wire::Deed deed) override {
    const wire::Standing& standing = *context.principal.standing();
    asked.push_back(base::cat(standing.role_arn, " for ", standing.source_arn, " ", deed.action, " ", deed.resource));
    if (standing.role_arn == denied) throw wire::Error("AccessDeniedException", 400, "not yours");
    co_return;
  }

  std::string_view denied;
  std::vector<std::string> asked;
};

TEST(ExecutionLog, IsRefusedToAMachineWhoseRoleMayNotDeliverLogs) {
  constexpr std::string_view kRefusal =
      "AccessDeniedException: The state machine IAM Role is not authorized to access the Log Destination";
  constexpr std::string_view kOther = "arn:aws:iam::000000000000:role/other";
  World world;
  Gate gate;
  world.platform->authorizer = &gate;
  gate.denied = World::kRole;
  const auto update = [&](std::string member, json::Value value) {
    return world.run("UpdateStateMachine",
                     json::write(json::Object{{"stateMachineArn", World::machine_arn("m")}, {member, value}}));
  };
  const json::Object destination{{"cloudWatchLogsLogGroup", json::Object{{"logGroupArn", kGroupArn}}}};
  const json::Object logging{{"level", "ALL"}, {"destinations", json::Array{destination}}};
  for (const std::string_view type : {"STANDARD", "EXPRESS"}) {
    EXPECT_EQ(world.create_logging("m", kPass, "ALL", true, type), kRefusal);
  }
  EXPECT_THAT(world.create_logging("m", kPass, "OFF"), HasSubstr("stateMachineArn"));
  EXPECT_EQ(update("loggingConfiguration", logging), kRefusal);
  EXPECT_THAT(update("roleArn", kOther), HasSubstr("updateDate"));
  EXPECT_THAT(gate.asked, SizeIs(3)) << "one that does not log needs nothing";
  EXPECT_THAT(update("loggingConfiguration", logging), HasSubstr("updateDate"));
  EXPECT_EQ(gate.asked.back(), base::cat(kOther, " for ", World::machine_arn("m"), " logs:CreateLogDelivery *"));
  EXPECT_EQ(update("roleArn", World::kRole), kRefusal);
  world.platform->authorizer = nullptr;
}

TEST(ExecutionLog, IsRefusedWithoutAGroupThatIsThere) {
  World world;
  EXPECT_EQ(world.create_logging("m", kPass, "ALL", true, "STANDARD",
                                 "arn:aws:logs:us-east-1:000000000000:log-group:other:*"),
            "InvalidLoggingConfiguration: Invalid Logging Configuration: The log group 'other' does not exist.");
  EXPECT_EQ(world.create_logging("m", kPass, "ALL", true, "STANDARD", "arn:aws:s3:::b"),
            "InvalidLoggingConfiguration: Invalid Logging Configuration: Must set valid CloudWatch Log Group ARN.");
  EXPECT_EQ(world.run("CreateStateMachine",
                      json::write(json::Object{{"name", "m"}, {"definition", kPass}, {"roleArn", World::kRole},
                                               {"loggingConfiguration", json::Object{{"level", "ALL"}}}})),
            "InvalidLoggingConfiguration: Invalid Logging Configuration: Must specify exactly one Log Destination.");
  world.create("m", kPass);
  EXPECT_THAT(world.run("UpdateStateMachine",
                        json::write(json::Object{{"stateMachineArn", World::machine_arn("m")},
                                                 {"loggingConfiguration", json::Object{{"level", "ERROR"}}}})),
              StartsWith("InvalidLoggingConfiguration"));
}

}  // namespace
}  // namespace tidemill::states
