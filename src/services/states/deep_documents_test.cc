// Documents that nest deeper than can be read back are never kept, and an execution of which something cannot be read ends
// all the same.
#include "services/states/testing.h"

namespace tidemill::states {
namespace {

using ::testing::HasSubstr;
using testing::machine;
using testing::World;
using namespace std::chrono_literals;

constexpr std::string_view kTask = R"("Type":"Task","Resource":"arn:aws:states:::test:do")";

std::string nested(int levels) {
  const auto count = static_cast<size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

std::string failure_of(std::string_view states, std::string_view input = "{}") {
  World world;
  world.create("m", machine(states));
  const std::string arn = world.begin("m", input);
  world.settle();
  world.crash();  // whatever it has come to can be read
  world.settle();
  const std::string status = world.status(arn);
  return status == "FAILED" ? world.told(arn, "error") : status;
}

constexpr const char* kLimit = "States.DataLimitExceeded";

TEST(DeepDocuments, OfALoopEndTheExecution) {
  EXPECT_EQ(failure_of(R"("A":{"Type":"Pass","Parameters":{"a":{"b":{"c.$":"$"}}},"Next":"B"},
                          "B":{"Type":"Choice","Choices":[{"Variable":"$.none","IsPresent":true,"Next":"C"}],"Default":"A"},
                          "C":{"Type":"Succeed"})"),
            kLimit);
}

TEST(DeepDocuments, OfVariablesCountTheObjectAroundThem) {
  const auto assigned = [](int levels) {
    return failure_of(R"("A":{"Type":"Pass","Assign":{"v.$":"$"},"Next":"B"},"B":{"Type":"Wait","Seconds":1000,"End":true})",
                      nested(levels));
  };
  EXPECT_EQ(assigned(json::kDepthMax - 1), "RUNNING");
  EXPECT_EQ(assigned(json::kDepthMax), kLimit);
}

TEST(DeepDocuments, AreNeitherArgumentsNorItemsNorInputsOfFlows) {
  const std::string input = base::cat(R"({"i":)", nested(json::kDepthMax - 1), "}");
  EXPECT_EQ(failure_of(base::cat(R"("A":{)", kTask, R"(,"Parameters":{"x.$":"$"},"End":true})"), input), kLimit);
  EXPECT_EQ(failure_of(R"("A":{"Type":"Parallel","Parameters":{"x.$":"$"},"Branches":[{"StartAt":"B","States":{"B":
                       {"Type":"Wait","Seconds":1000,"End":true}}}],"End":true})",
                       input),
            kLimit);
  EXPECT_EQ(failure_of(R"("A":{"Type":"Map","ItemsPath":"$.i","ItemSelector":{"a":{"b":{"c.$":"$$.Map.Item.Value"}}},
                       "ItemProcessor":{"StartAt":"B","States":{"B":{"Type":"Wait","Seconds":1000,"End":true}}},"End":true})",
                       input),
            kLimit);
  EXPECT_EQ(failure_of(R"x("A":{"Type":"Map","ItemsPath":"States.Array(States.Array($))",
                       "ItemProcessor":{"StartAt":"B","States":{"B":{"Type":"Wait","Seconds":1000,"End":true}}},"End":true})x",
                       input),
            kLimit);
}

TEST(DeepDocuments, OfTasksAreFailuresThatAreCaught) {
  World world;
  world.create("m", machine(base::cat(R"("A":{)", kTask, R"(,"Catch":[{"ErrorEquals":["States.DataLimitExceeded"],
                                      "Next":"B"}],"End":true},"B":{"Type":"Pass","End":true})")));
  world.answer_with = [](const tasks::TaskCall&) {
    return tasks::Succeeded{*json::parse(nested(json::kDepthMax + 1), json::kDepthMax + 1)};
  };
  const std::string arn = world.begin("m");
  world.settle();
  EXPECT_THAT(world.output(arn), HasSubstr("nested deeper than 512 levels"));
}

// ---- what was kept before the limit was looked at ----

struct Damaged {
  World world;
  std::string arn;

  Damaged() {
    world.create("m", machine(R"("A":{"Type":"Wait","Seconds":90000000,"End":true})"));
    arn = world.begin("m");
    world.settle();
    const ExecutionAddress address = parse_execution_arn(arn);
    const ExecutionRecord record = decode_execution(address, world.disk.data.at(execution_key(address)));
    prefix = live_prefix(record.id);
    for (auto& [key, value] : world.disk.data) {
      if (key.starts_with(prefix + "f")) value += nested(json::kDepthMax + 1);
    }
    world.crash();
  }
  [[nodiscard]] bool is_anything_left() const {
    const auto found = world.disk.data.lower_bound(prefix);
    return found != world.disk.data.end() && found->first.starts_with(prefix);
  }

  std::string prefix;
};

TEST(DamagedExecutions, CanBeStopped) {
  Damaged damaged;
  const std::string request = json::write(json::Object{{"executionArn", damaged.arn}, {"error", "E"}});
  EXPECT_THAT(damaged.world.run("StopExecution", request), HasSubstr("stopDate"));
  EXPECT_EQ(damaged.world.status(damaged.arn), "ABORTED");
  EXPECT_EQ(damaged.world.told(damaged.arn, "error"), "E");
  EXPECT_EQ(damaged.world.events(damaged.arn).back(), "ExecutionAborted");
  EXPECT_FALSE(damaged.is_anything_left());
  EXPECT_EQ(damaged.world.told(damaged.arn, "redriveStatus"), "NOT_REDRIVABLE");
  EXPECT_EQ(damaged.world.told(damaged.arn, "redriveStatusReason"), "Execution has no state left");
  const std::string again = json::write(json::Object{{"executionArn", damaged.arn}});
  EXPECT_THAT(damaged.world.run("RedriveExecution", again), HasSubstr("Execution has no state left"));
}

TEST(DamagedExecutions, TimeOutAtTheirGreatestAgeAndAreForgotten) {
  Damaged damaged;
  damaged.world.advance(kExecutionAgeMax);
  EXPECT_EQ(damaged.world.status(damaged.arn), "TIMED_OUT");
  damaged.world.advance(kExecutionKeptFor);
  EXPECT_THAT(damaged.world.run("DescribeExecution", json::write(json::Object{{"executionArn", damaged.arn}})),
              HasSubstr("ExecutionDoesNotExist"));
}

}  // namespace
}  // namespace tidemill::states
