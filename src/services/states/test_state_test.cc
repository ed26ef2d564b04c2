// TestState: single states, with what they call or run made up. What AWS answers was recorded by others against it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/states/testing.h"

namespace tidemill::states::testing {
namespace {

using ::testing::HasSubstr;

class TestStates : public ::testing::Test {
 protected:
  // Members beside the definition: R"(,"input":"{}")".
  std::string answer(std::string_view definition, std::string_view more) {
    return world_.run("TestState", base::cat(R"({"definition":)", quoted(definition), R"(,"roleArn":")", World::kRole,
                                             "\"", more, "}"));
  }
  static std::string quoted(std::string_view text) {
    std::string out;
    json::append_string(out, text);
    return out;
  }
  static std::string result(std::string_view text) { return base::cat(R"(,"mock":{"result":)", quoted(text), "}"); }
  static constexpr std::string_view kDebug = R"(,"inspectionLevel":"DEBUG")";
  static constexpr std::string_view kFailure = R"(,"mock":{"errorOutput":{"error":"Mocked","cause":"because"}})";

  World world_;
};

constexpr std::string_view kTask = R"({"Type":"Task","Resource":"arn:aws:states:::test:do","Next":"B")";
constexpr std::string_view kMap = R"({"Type":"Map","ItemsPath":"$.all","End":true,)"
                                  R"("ItemProcessor":{"StartAt":"One","States":{"One":{"Type":"Pass","End":true}}}})";
constexpr std::string_view kDistributed =
    R"({"Type":"Map","ItemsPath":"$.all","End":true,"ToleratedFailureCount":1,"ItemBatcher":{"MaxItemsPerBatch":2},)"
    R"("ItemSelector":{"v.$":"$$.Map.Item.Value"},)"
    R"("Catch":[{"ErrorEquals":["Other"],"Next":"X"},{"ErrorEquals":["States.ALL"],"Next":"Y"}],)"
    R"("ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},)"
    R"("StartAt":"One","States":{"One":{"Type":"Pass","End":true}}}})";
constexpr std::string_view kItems = R"(,"input":"{\"all\":[1,2,3]}")";

TEST_F(TestStates, CallNothingWithAMock) {
  const std::string told =
      answer(base::cat(kTask, R"(,"ResultPath":"$.r"})"), base::cat(R"(,"input":"{\"a\":1}")", result("[7]")));
  EXPECT_EQ(told, R"({"output":"{\"a\":1,\"r\":[7]}","nextState":"B","status":"SUCCEEDED"})");
  EXPECT_TRUE(world_.calls.empty());
}

TEST_F(TestStates, SayWhichRetrierTriesAMockedErrorAgainAndWhen) {
  const std::string definition = base::cat(
      kTask, R"(,"Retry":[{"ErrorEquals":["Other"]},{"ErrorEquals":["Mocked"],"IntervalSeconds":2,"MaxAttempts":2}],)"
             R"("Catch":[{"ErrorEquals":["Mocked"],"ResultPath":"$.error","Next":"C"}]})");
  EXPECT_THAT(answer(definition, base::cat(kFailure, kDebug, R"(,"stateConfiguration":{"retrierRetryCount":1})")),
              HasSubstr(R"("errorDetails":{"retryIndex":1,"retryBackoffIntervalSeconds":4})"));
  const std::string caught =
      answer(definition, base::cat(kFailure, kDebug, R"(,"stateConfiguration":{"retrierRetryCount":2})"));
  EXPECT_THAT(caught, HasSubstr(R"("status":"CAUGHT_ERROR")"));
  EXPECT_THAT(caught, HasSubstr(R"("errorDetails":{"catchIndex":0})"));
  EXPECT_THAT(caught, HasSubstr(R"("nextState":"C")"));
  EXPECT_THAT(caught, HasSubstr(R"("output":"{\"error\":{\"Error\":\"Mocked\",\"Cause\":\"because\"}}")"));
}

TEST_F(TestStates, ShowWhatAMapMakesOfItsItems) {
  const std::string told = answer(kDistributed, base::cat(kItems, result("[4,5,6]"), kDebug));
  EXPECT_THAT(told, HasSubstr(R"("output":"[4,5,6]")"));
  EXPECT_THAT(told, HasSubstr(R"("afterItemsPath":"[1,2,3]")"));
  EXPECT_THAT(told, HasSubstr(R"("afterItemSelector":"[{\"v\":1},{\"v\":2},{\"v\":3}]")"));
  EXPECT_THAT(told, HasSubstr(R"("afterItemBatcher":"[{\"Items\":[{\"v\":1},{\"v\":2}]},{\"Items\":[{\"v\":3}]}]")"));
  EXPECT_THAT(told, HasSubstr(R"("toleratedFailureCount":1)"));
  EXPECT_THAT(told, HasSubstr(R"("maxConcurrency":0)"));
}

TEST_F(TestStates, FailAMapOfWhichTooManyIterationsFail) {
  const auto failing = [&](int count) {
    return answer(kDistributed, base::cat(kItems, result("[4]"), kDebug,
                                          R"(,"stateConfiguration":{"mapIterationFailureCount":)", count, "}"));
  };
  EXPECT_THAT(failing(1), HasSubstr(R"("status":"SUCCEEDED")"));
  const std::string failed = failing(2);
  EXPECT_THAT(failed, HasSubstr(R"("error":"States.ExceedToleratedFailureThreshold")"));
  EXPECT_THAT(failed, HasSubstr(R"("cause":"The specified tolerated failure threshold was exceeded")"));
  EXPECT_THAT(failed, HasSubstr(R"("errorDetails":{"catchIndex":1})"));
  EXPECT_THAT(failing(4), HasSubstr("mapIterationFailureCount cannot exceed the number of items"));
}

TEST_F(TestStates, TakeWhatAnItemReaderWouldRead) {
  const std::string told = answer(
      R"({"Type":"Map","End":true,"ItemReader":{"Resource":"arn:aws:states:::s3:getObject",)"
      R"("ReaderConfig":{"InputType":"CSV","CSVHeaderLocation":"FIRST_ROW"},"Parameters":{"Bucket":"b","Key":"k"}},)"
      R"("ItemSelector":{"n.$":"$$.Map.Item.Value.n"},)"
      R"("ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},)"
      R"("StartAt":"One","States":{"One":{"Type":"Pass","End":true}}}})",
      base::cat(result("[]"), kDebug, R"(,"stateConfiguration":{"mapItemReaderData":"n,m\n1,2\n3,4\n"})"));
  EXPECT_THAT(told, HasSubstr(R"("afterItemSelector":"[{\"n\":\"1\"},{\"n\":\"3\"}]")"));
}

TEST_F(TestStates, StandInAMachineWhoseStatesAroundHandleTheirErrors) {
  const std::string definition = machine(
      R"("A":{"Type":"Map","Catch":[{"ErrorEquals":["Mocked"],"Next":"Z"}],"End":true,)"
      R"("ItemProcessor":{"StartAt":"In","States":{"In":{"Type":"Task","Resource":"arn:aws:states:::test:do","End":true,)"
      R"("Parameters":{"i.$":"$$.Map.Item.Index","v.$":"$$.Map.Item.Value"}}}}},"Z":{"Type":"Pass","End":true})");
  const std::string in = R"(,"stateName":"In")";
  EXPECT_THAT(answer(definition, base::cat(in, R"(,"input":"5")", result("1"), kDebug)),
              HasSubstr(R"("afterParameters":"{\"i\":0,\"v\":5}")"));
  EXPECT_THAT(answer(definition, base::cat(in, kFailure)), HasSubstr(R"("nextState":"Z","status":"CAUGHT_ERROR")"));
  EXPECT_THAT(answer(definition, R"(,"stateName":"Nowhere")"), HasSubstr("State not found in definition"));
  EXPECT_THAT(answer(definition, base::cat(R"(,"stateName":"A")", kFailure,
                                           R"(,"stateConfiguration":{"errorCausedByState":"In"})")),
              HasSubstr(R"("status":"CAUGHT_ERROR")"));
  EXPECT_THAT(answer(definition,
                     base::cat(R"(,"stateName":"A")", kFailure, R"(,"stateConfiguration":{"errorCausedByState":"Z"})")),
              HasSubstr("is not in the state under test"));
}

TEST_F(TestStates, SeeTheContextThatTheyAreGiven) {
  const std::string definition = base::cat(kTask, R"(,"Parameters":{"c.$":"$$"}})");
  const auto with_context = [&](std::string_view context) {
    return answer(definition, base::cat(result("1"), kDebug, R"(,"context":)", quoted(context)));
  };
  EXPECT_THAT(with_context(R"({"Execution":{"Name":"n"},"State":{}})"),
              HasSubstr(R"("afterParameters":"{\"c\":{\"Execution\":{\"Name\":\"n\"},\"State\":{}}}")"));
  constexpr std::string_view kInvalid = "ValidationException: Invalid Context object provided: ";
  EXPECT_EQ(with_context(R"({"Execution":{"Id":1}})"), base::cat(kInvalid, "Execution.Id must be a string"));
  EXPECT_EQ(with_context(R"({"Map":{}})"),
            base::cat(kInvalid, "'Map' field is not supported when mocking a Context object"));
  EXPECT_EQ(with_context(R"({"Execution":{"pokemon":"x"}})"), base::cat(kInvalid, "Field 'pokemon' is not allowed"));
  EXPECT_EQ(with_context(R"({"Pokedex":{}})"), base::cat(kInvalid, "Field 'Pokedex' is not allowed"));
  EXPECT_EQ(with_context(R"({"Task":{"Token":"t"}})"),
            base::cat(kInvalid,
                      "Context object contains 'Task' when state is not a Task state with a '.sync' or "
                      "'.waitForTaskToken' service integration pattern"));
  EXPECT_THAT(answer(definition, R"(,"context":"{}")"), HasSubstr("only be specified when a mock is specified"));
}

TEST_F(TestStates, AreGivenATokenWhereTheirTaskWantsOne) {
  constexpr std::string_view kWaits =
      R"({"Type":"Task","Resource":"arn:aws:states:::test:do.waitForTaskToken","End":true,)"
      R"("Parameters":{"token.$":"$$.Task.Token"}})";
  EXPECT_THAT(answer(kWaits, ""), HasSubstr("only when a mock is specified"));
  EXPECT_THAT(answer(kWaits, result(R"({"any":1})")), HasSubstr(R"("status":"SUCCEEDED")"));
  EXPECT_THAT(answer(kWaits, base::cat(result("1"), kDebug, R"(,"context":"{\"Task\":{\"Token\":\"t\"}}")")),
              HasSubstr(R"("afterParameters":"{\"token\":\"t\"}")"));
}

TEST_F(TestStates, TakeMocksThatCouldBeTheirs) {
  const auto refusal = [&](std::string_view definition, std::string_view more) {
    return answer(definition, base::cat(kItems, more));
  };
  EXPECT_EQ(refusal(R"({"Type":"Pass","End":true})", result("1")),
            "ValidationException: State type 'Pass' is not supported when a mock is specified");
  EXPECT_EQ(refusal(kMap, ""),
            "InvalidDefinition: TestState API does not support Map or Parallel states. Supported state types include: "
            "[Task, Wait, Pass, Succeed, Fail, Choice]");
  EXPECT_EQ(refusal(kMap, R"(,"mock":{"result":"[]","errorOutput":{}})"),
            "ValidationException: A test mock should have only one of the following fields: [result, errorOutput].");
  EXPECT_EQ(refusal(kMap, base::cat(result("[]"), R"(,"revealSecrets":true)")),
            "ValidationException: TestState does not support RevealSecrets when a mock is specified.");
  EXPECT_EQ(refusal(kMap, result("{}")), "ValidationException: Mocked result must be an array.");
  EXPECT_EQ(refusal(kMap, result("no")), "ValidationException: Mocked result must be valid JSON.");
  constexpr std::string_view kParallel =
      R"({"Type":"Parallel","End":true,"Branches":[{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}}]})";
  EXPECT_EQ(refusal(kParallel, result("1")), "ValidationException: Mocked result must be an array.");
  EXPECT_EQ(refusal(kParallel, result("[1,2]")),
            "ValidationException: Mocked result must contain the same number of items as number of Parallel branches.");
  EXPECT_THAT(refusal(kParallel, result("[1]")), HasSubstr(R"("status":"SUCCEEDED")"));
}

TEST_F(TestStates, TellTheVariablesOfBeforeAndAfter) {
  EXPECT_THAT(
      answer(R"({"Type":"Pass","Assign":{"b":2},"End":true})", base::cat(kDebug, R"(,"variables":"{\"a\":1}")")),
      HasSubstr(R"("variables":"{\"a\":1,\"b\":2}")"));
}

}  // namespace
}  // namespace tidemill::states::testing
