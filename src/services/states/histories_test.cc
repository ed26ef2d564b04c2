// The histories of a table of definitions: which events an execution of each leaves, and what comes of it.
#include "services/states/testing.h"

namespace tidemill::states {
namespace {

using ::testing::HasSubstr;
using testing::machine;
using testing::World;

struct Case {
  std::string_view name;
  std::string states;
  std::string_view input;
  std::string_view status;
  std::string_view output;  // or the error
  std::vector<std::string> events;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"Pass", R"("A":{"Type":"Pass","Next":"B"},"B":{"Type":"Pass","Result":{"y":2},"ResultPath":"$.b","End":true})",
       R"({"x":1})", "SUCCEEDED", R"({"x":1,"b":{"y":2}})",
       {"ExecutionStarted", "PassStateEntered A", "PassStateExited A", "PassStateEntered B", "PassStateExited B",
        "ExecutionSucceeded"}},
      {"Choice", R"("A":{"Type":"Choice","Choices":[{"Variable":"$.x","NumericGreaterThan":0,"Next":"B"}],
        "Default":"C"},
        "B":{"Type":"Succeed"},"C":{"Type":"Fail","Error":"No","Cause":"not positive"})",
       R"({"x":1})", "SUCCEEDED", R"({"x":1})",
       {"ExecutionStarted", "ChoiceStateEntered A", "ChoiceStateExited A", "SucceedStateEntered B",
        "SucceedStateExited B", "ExecutionSucceeded"}},
      {"Fail", R"("A":{"Type":"Fail","Error":"No","Cause":"never"})", "{}", "FAILED", "No",
       {"ExecutionStarted", "FailStateEntered A", "ExecutionFailed"}},
      {"NoChoice", R"("A":{"Type":"Choice","Choices":[{"Variable":"$.x","NumericEquals":2,"Next":"B"}]},
        "B":{"Type":"Succeed"})",
       R"({"x":1})", "FAILED", "States.NoChoiceMatched",
       {"ExecutionStarted", "ChoiceStateEntered A", "ExecutionFailed"}},
      {"Task", R"("A":{"Type":"Task","Resource":"arn:aws:states:::test:echo","Parameters":{"v.$":"$.x"},"End":true})",
       R"({"x":1})", "SUCCEEDED", R"({"v":1})",
       {"ExecutionStarted", "TaskStateEntered A", "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited A",
        "ExecutionSucceeded"}},
      {"Function", R"("A":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:000000000000:function:f","End":true})",
       R"({"x":1})", "SUCCEEDED", R"({"x":1})",
       {"ExecutionStarted", "TaskStateEntered A", "LambdaFunctionScheduled", "LambdaFunctionStarted",
        "LambdaFunctionSucceeded", "TaskStateExited A", "ExecutionSucceeded"}},
      {"Parallel", R"("A":{"Type":"Parallel","End":true,"Branches":[
          {"StartAt":"B","States":{"B":{"Type":"Pass","Result":1,"End":true}}},
          {"StartAt":"C","States":{"C":{"Type":"Pass","Result":2,"End":true}}}]})",
       "{}", "SUCCEEDED", "[1,2]",
       {"ExecutionStarted", "ParallelStateEntered A", "ParallelStateStarted", "PassStateEntered B", "PassStateExited B",
        "PassStateEntered C", "PassStateExited C", "ParallelStateSucceeded", "ParallelStateExited A",
        "ExecutionSucceeded"}},
      {"FailingBranch", R"("A":{"Type":"Parallel","End":true,"Branches":[
          {"StartAt":"B","States":{"B":{"Type":"Wait","Seconds":60,"End":true}}},
          {"StartAt":"C","States":{"C":{"Type":"Fail","Error":"Bad","Cause":"c"}}}]})",
       "{}", "FAILED", "Bad",
       {"ExecutionStarted", "ParallelStateEntered A", "ParallelStateStarted", "WaitStateEntered B",
        "FailStateEntered C", "WaitStateAborted", "ParallelStateFailed", "ExecutionFailed"}},
      {"Map", R"("A":{"Type":"Map","End":true,"MaxConcurrency":1,"ItemProcessor":{"StartAt":"B","States":{
          "B":{"Type":"Pass","Parameters":{"i.$":"$$.Map.Item.Index","v.$":"$"},"End":true}}}})",
       "[5,6]", "SUCCEEDED", R"([{"i":0,"v":5},{"i":1,"v":6}])",
       {"ExecutionStarted", "MapStateEntered A", "MapStateStarted", "MapIterationStarted A", "PassStateEntered B",
        "PassStateExited B", "MapIterationSucceeded A", "MapIterationStarted A", "PassStateEntered B",
        "PassStateExited B", "MapIterationSucceeded A", "MapStateSucceeded", "MapStateExited A",
        "ExecutionSucceeded"}},
      {"MapOfAnObject", R"("A":{"Type":"Map","End":true,"MaxConcurrency":1,"ItemProcessor":{"StartAt":"B","States":{
          "B":{"Type":"Pass","End":true}}}})",
       R"({"a":1})", "SUCCEEDED", R"([{"Key":"a","Value":1}])",
       {"ExecutionStarted", "MapStateEntered A", "MapStateStarted", "MapIterationStarted A", "PassStateEntered B",
        "PassStateExited B", "MapIterationSucceeded A", "MapStateSucceeded", "MapStateExited A",
        "ExecutionSucceeded"}},
      {"EmptyMap", R"("A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"B","States":{
          "B":{"Type":"Pass","End":true}}}})",
       "[]", "SUCCEEDED", "[]",
       {"ExecutionStarted", "MapStateEntered A", "MapStateStarted", "MapStateSucceeded", "MapStateExited A",
        "ExecutionSucceeded"}},
      {"FailingIteration", R"("A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"B","States":{
          "B":{"Type":"Choice","Choices":[{"Variable":"$","NumericEquals":1,"Next":"C"}],"Default":"D"},
          "C":{"Type":"Fail","Error":"Bad"},"D":{"Type":"Wait","Seconds":60,"End":true}}}})",
       "[0,1]", "FAILED", "Bad",
       {"ExecutionStarted", "MapStateEntered A", "MapStateStarted", "MapIterationStarted A", "MapIterationStarted A",
        "ChoiceStateEntered B", "ChoiceStateExited B", "ChoiceStateEntered B", "ChoiceStateExited B",
        "WaitStateEntered D", "FailStateEntered C", "MapIterationFailed A", "WaitStateAborted",
        "MapIterationAborted A", "MapStateFailed", "ExecutionFailed"}},
      {"CaughtBranch", R"("A":{"Type":"Parallel","Next":"E","ResultPath":"$.r","Branches":[
          {"StartAt":"C","States":{"C":{"Type":"Fail","Error":"Bad","Cause":"c"}}}],
          "Catch":[{"ErrorEquals":["Bad"],"ResultPath":"$.caught","Next":"D"}]},
        "D":{"Type":"Succeed"},"E":{"Type":"Pass","End":true})",
       R"({"x":1})", "SUCCEEDED", R"({"x":1,"caught":{"Error":"Bad","Cause":"c"}})",
       {"ExecutionStarted", "ParallelStateEntered A", "ParallelStateStarted", "FailStateEntered C",
        "ParallelStateFailed", "ParallelStateExited A", "SucceedStateEntered D", "SucceedStateExited D",
        "ExecutionSucceeded"}},
      {"Variables", R"("A":{"Type":"Pass","Assign":{"n.$":"$.x"},"Next":"B"},
        "B":{"Type":"Pass","Parameters":{"was.$":"$n"},"End":true})",
       R"({"x":7})", "SUCCEEDED", R"({"was":7})",
       {"ExecutionStarted", "PassStateEntered A", "PassStateExited A", "PassStateEntered B", "PassStateExited B",
        "ExecutionSucceeded"}},
  };
  return all;
}

class Histories : public ::testing::TestWithParam<Case> {};

TEST_P(Histories, AreThoseOfTheTable) {
  World world;
  ASSERT_THAT(world.create("m", machine(GetParam().states)), HasSubstr("stateMachineArn"));
  const std::string arn = world.begin("m", GetParam().input);
  world.settle();
  EXPECT_EQ(world.status(arn), GetParam().status);
  EXPECT_EQ(world.told(arn, GetParam().status == "SUCCEEDED" ? "output" : "error"), GetParam().output);
  EXPECT_EQ(world.events(arn), GetParam().events);
}

INSTANTIATE_TEST_SUITE_P(Definitions, Histories, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tidemill::states
