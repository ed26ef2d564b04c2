// States of JSONata.
#include "lang/states/testing.h"

namespace tidemill::lang::states {
namespace {

std::string state_of(std::string_view fields) { return R"({"QueryLanguage":"JSONata",)" + std::string(fields) + "}"; }

std::string diagnose(std::string_view fields) { return told(parse_state(state_of(fields), "S").diagnostics); }

std::string pass(std::string_view fields, std::string_view input = R"({"a":1})") {
  StateFixture fixture(state_of(R"("Type":"Pass","End":true,)" + std::string(fields)));
  fixture.with_variables(R"({"v":{"n":7},"w":"old"})");
  return outcome([&] { return run_pass(fixture.state(), fixture.scope(input)); });
}

TEST(JsonataState, MakesItsOutput) {
  EXPECT_EQ(pass(R"("Comment":"x")"), R"({"a":1})");
  EXPECT_EQ(pass(R"("Output":"{% $states.input.a + 1 %}")"), "2");
  EXPECT_EQ(
      pass(R"("Output":{"x":"{% $v.n %}","y":["{%$states.context.Execution.Id%}","$.a",{"z":null}],"s":" {% 1 %}"})"),
      R"({"x":7,"y":["arn:e","$.a",{"z":null}],"s":" {% 1 %}"})");
  EXPECT_EQ(pass(R"("Output":"{% $states.input.a %}")", R"({"a":null})"), "null");
  EXPECT_EQ(pass(R"("Assign":{"w":"new","x":"{% $w %}"},"Output":"{% $w %}")"), R"("old" | {"w":"new","x":"old"})");
}

TEST(JsonataState, VariablesHideFunctions) {
  StateFixture fixture(state_of(R"("Type":"Pass","End":true,"Output":"{% [$count, $partition, $sum([1, 2])] %}")"));
  fixture.with_variables(R"({"count":7,"partition":8})");
  EXPECT_EQ(outcome([&] { return run_pass(fixture.state(), fixture.scope("{}")); }), "[7,8,3]");
}

TEST(JsonataState, SaysWhichExpressionFailed) {
  EXPECT_EQ(
      pass(R"("Output":{"a":["{% $states.input.b %}"]})"),
      "States.QueryEvaluationError: The JSONata expression '$states.input.b' specified for the field 'Output/a[0]' "
      "returned nothing (undefined).");
  EXPECT_EQ(
      pass(R"("Assign":{"x":"{% 1 + 'a' %}"})").substr(0, 146),
      "States.QueryEvaluationError: The JSONata expression '1 + 'a'' specified for the field 'Assign/x' threw an error "
      "during evaluation. T2002: The righ");
  EXPECT_TRUE(pass(R"("Output":"{% $eval('1') %}")").find("T1006") != std::string::npos);
  StateFixture fixture(state_of(R"("Type":"Pass","End":true,"Output":"{% $unset %}")"));
  try {
    (void)run_pass(fixture.state(), fixture.scope("{}"));
    FAIL();
  } catch (const StateError& error) {
    EXPECT_TRUE(error.is_evaluation());
    EXPECT_EQ(error.location(), "Output");
  }
}

TEST(JsonataState, HasTheFunctionsOfStepFunctions) {
  struct Case {
    std::string_view expression;
    std::string_view result;
  };
  constexpr Case kCases[] = {
      {"$partition([1,2,3,4,5], 2)", "[[1,2],[3,4],[5]]"},
      {"$partition([1,2,3], 2.9)", "[[1,2],[3]]"},
      {"$count($partition([], 2))", "0"},
      {"$range(0, 10, 5)", "[0,5,10]"},
      {"$range(-1.7, 2, 1)", "[-1,0,1,2]"},
      {"$range(1, 1, 1)", "1"},
      {"$exists($range(1, 5))", "false"},
      {"$hash('abc', 'MD5')", R"("900150983cd24fb0d6963f7d28e17f72")"},
      {"$exists($hash('abc'))", "false"},
      {"$uuid()", R"("u-1")"},
      {"$parse('{\\\"a\\\":[1]}').a[0]", "1"},
      {"$random(5) = $random(5)", "true"},
      {"$random() < 1", "true"},
      {"$map([1,2], function($i) { $i + $v.n })", "[8,9]"},
  };
  for (const Case& each : kCases) {
    EXPECT_EQ(pass(R"("Output":"{% )" + std::string(each.expression) + " %}\""), each.result) << each.expression;
  }
  EXPECT_TRUE(pass(R"("Output":"{% $parse('{') %}")").starts_with("States.QueryEvaluationError"));
}

TEST(JsonataState, TasksTakeArgumentsAndLeaveWithResults) {
  StateFixture fixture(state_of(R"("Type":"Task","Resource":"arn:aws:states:::lambda:invoke",
    "Arguments":{"FunctionName":"f","Payload":"{% $states.input %}"},"TimeoutSeconds":"{% $states.input.t %}",
      "HeartbeatSeconds":2,
    "Credentials":{"RoleArn":"{% 'role-' & $states.input.t %}"},
    "Assign":{"got":"{% $states.result.Payload %}"},"Output":"{% $states.result.StatusCode + $states.input.t %}",
      "Next":"B",
    "Catch":[{"ErrorEquals":["X"],"Next":"C","Output":{"why":"{% $states.errorOutput.Cause %}"},
      "Assign":{"e":"{% $states.errorOutput %}"}},
             {"ErrorEquals":["States.ALL"],"Next":"D"}])"));
  const Scope& scope = fixture.scope(R"({"t":9})");
  const TaskPlan task = task_of(fixture.state(), scope);
  EXPECT_EQ(json::write(*task.arguments), R"({"FunctionName":"f","Payload":{"t":9}})");
  EXPECT_EQ(task.timeout_seconds, 9);
  EXPECT_EQ(task.role_arn, "role-9");
  const Document result = make_document(parsed(R"({"StatusCode":200,"Payload":[1]})"));
  EXPECT_EQ(outcome([&] { return leave(fixture.state(), scope, result); }), R"(209 | {"got":[1]} -> B)");
  EXPECT_EQ(outcome([&] { return catch_error(fixture.state(), scope, {.error = "X", .cause = "c"})->exit; }),
            R"({"why":"c"} | {"e":{"Error":"X","Cause":"c"}} -> C)");
  EXPECT_EQ(outcome([&] { return catch_error(fixture.state(), scope, {.error = "Y", .cause = "c"})->exit; }),
            R"({"Error":"Y","Cause":"c"} -> D)");
}

TEST(JsonataState, ExpressionsHaveTheTypeOfTheirField) {
  const auto task = [](std::string_view timeout) {
    StateFixture fixture(
        state_of(R"("Type":"Task","Resource":"arn:aws:states:::lambda:invoke","End":true,"TimeoutSeconds":"{% )" +
                 std::string(timeout) + " %}\""));
    return outcome([&] {
      (void)task_of(fixture.state(), fixture.scope("{}"));
      return Exit{.output = make_document(nullptr)};
    });
  };
  EXPECT_EQ(task("5"), "null");
  EXPECT_EQ(
      task("'5'"),
      "States.QueryEvaluationError: The JSONata expression ''5'' specified for the field 'TimeoutSeconds' returned an "
      "unexpected result type. Expected 'number', but was 'string' for value: \"5\"");
  EXPECT_TRUE(task("1.5").starts_with("States.QueryEvaluationError"));
  EXPECT_TRUE(task("0").starts_with("States.QueryEvaluationError"));
}

TEST(JsonataState, ChoicesHaveConditions) {
  StateFixture fixture(state_of(R"("Type":"Choice","Choices":[
    {"Condition":"{% $states.input.n > 10 %}","Next":"Large","Output":{"big":"{% $states.input.n %}"},
      "Assign":{"s":"l"}},
    {"Condition":"{% $states.input.n > 5 %}","Next":"Middle"},{"Condition":false,"Next":"Never"},
    {"Condition":"{% $states.input.m %}","Next":"Never"}],"Default":"Small","Output":"small")"));
  const auto choose = [&](std::string_view input) {
    return outcome([&] { return run_choice(fixture.state(), fixture.scope(input)); });
  };
  EXPECT_EQ(choose(R"({"n":11})"), R"({"big":11} | {"s":"l"} -> Large)");
  EXPECT_EQ(choose(R"({"n":6})"), R"({"n":6} -> Middle)");
  EXPECT_EQ(choose(R"({"n":1,"m":false})"), R"("small" -> Small)");
  EXPECT_EQ(
      choose(R"({"n":1,"m":5})"),
      "States.QueryEvaluationError: The JSONata expression '$states.input.m' specified for the field "
      "'Choices[3]/Condition' returned an unexpected result type. Expected 'boolean', but was 'number' for value: 5");
}

TEST(JsonataState, MapsSelectItems) {
  StateFixture fixture(
      state_of(R"("Type":"Map","Items":"{% $states.input.l %}","MaxConcurrency":"{% $states.input.c %}",
    "ItemSelector":{"v":"{% $states.context.Map.Item.Value %}","i":"{% $states.context.Map.Item.Index %}",
      "n":"{% $states.context.State.Name %}","in":"{% $states.input.c %}"},
    "ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Succeed","Output":"{% 1 %}","QueryLanguage":"JSONata"}}},
      "End":true)"));
  const Scope& scope = fixture.scope(R"({"l":["a","b"],"c":3})");
  const MapPlan plan = map_of(fixture.state(), scope);
  EXPECT_EQ(json::write(*plan.items), R"(["a","b"])");
  EXPECT_EQ(plan.concurrency_max, 3);
  EXPECT_EQ(json::write(*item_input(fixture.state(), scope, plan.input, {.index = 1, .value = make_document("b")})),
            R"({"v":"b","i":1,"n":"State","in":3})");
  EXPECT_EQ(outcome([&] { return Exit{.output = map_of(fixture.state(), fixture.scope(R"({"l":1,"c":3})")).items}; }),
            "States.QueryEvaluationError: The JSONata expression '$states.input.l' specified for the field 'Items' "
            "returned an "
            "unexpected result type. Expected 'array', but was 'number' for value: 1");
}

TEST(JsonataState, OthersTakeExpressionsToo) {
  StateFixture wait(state_of(R"("Type":"Wait","Seconds":"{% $states.input.s %}","End":true)"));
  EXPECT_EQ(wait_until(wait.state(), wait.scope(R"({"s":5})")).time_since_epoch(), std::chrono::seconds(1005));
  StateFixture until(state_of(R"("Type":"Wait","Timestamp":"{% $states.input.s %}","End":true)"));
  EXPECT_EQ(wait_until(until.state(), until.scope(R"({"s":"1970-01-01T00:00:09Z"})")).time_since_epoch(),
            std::chrono::seconds(9));
  EXPECT_THROW((void)wait_until(until.state(), until.scope(R"({"s":"soon"})")), StateError);
  StateFixture fail(state_of(R"("Type":"Fail","Error":"{% 'E' & $states.input.s %}","Cause":"c")"));
  EXPECT_EQ(fail_of(fail.state(), fail.scope(R"({"s":5})")).error, "E5");
  StateFixture succeed(state_of(R"("Type":"Succeed","Output":"{% $states.input.s * 2 %}")"));
  EXPECT_EQ(outcome([&] { return run_succeed(succeed.state(), succeed.scope(R"({"s":5})")); }), "10");
}

TEST(JsonataDefinition, RefusesWhatIsOfJsonpath) {
  EXPECT_EQ(diagnose(R"("Type":"Pass","Parameters":{},"End":true)"),
            "SCHEMA_VALIDATION_FAILED: The QueryLanguage is set to 'JSONata', but field 'Parameters' is only supported "
            "for the "
            "'JSONPath' QueryLanguage at \n");
  EXPECT_EQ(
      diagnose(R"("Type":"Choice","Choices":[{"Variable":"$.a","IsNull":true,"Next":"Z"}])"),
      "SCHEMA_VALIDATION_FAILED: The QueryLanguage is set to 'JSONata', but field 'Variable' is only supported for the "
      "'JSONPath' QueryLanguage at /Choices[0]\n"
      "SCHEMA_VALIDATION_FAILED: The QueryLanguage is set to 'JSONata', but field 'IsNull' is only supported for the "
      "'JSONPath' QueryLanguage at /Choices[0]\n"
      "SCHEMA_VALIDATION_FAILED: These fields are required: [Condition] at /Choices[0]\n");
  const std::string text =
      R"({"QueryLanguage":"JSONata","StartAt":"P","States":{"P":{"Type":"Pass","QueryLanguage":"JSONPath",
      "End":true}}})";
  EXPECT_EQ(
      told(parse_machine(text).diagnostics),
      "SCHEMA_VALIDATION_FAILED: 'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine at "
      "/States/P\n");
}

TEST(JsonataDefinition, ChecksExpressions) {
  EXPECT_TRUE(diagnose(R"("Type":"Pass","Output":{"x":["{% 1 + %}"]},"End":true)")
                  .starts_with("INVALID_JSONATA_EXPRESSION: Unexpected end of expression at /Output/x[0]"));
  EXPECT_EQ(diagnose(R"("Type":"Pass","Output":"{% 1","End":true)"),
            "SCHEMA_VALIDATION_FAILED: JSONata string must start with {% and end with %} at /Output\n");
  EXPECT_EQ(diagnose(R"("Type":"Pass","Output":"{% phone %}","End":true)"),
            "UNSUPPORTED_JSONATA_EXPRESSION: Reference to 'phone' at the top level is not supported. at /Output\n");
  EXPECT_EQ(diagnose(R"("Type":"Pass","Output":"{% $$.x %}","End":true)"),
            "UNSUPPORTED_JSONATA_EXPRESSION: Reference to '$$' is not supported. at /Output\n");
  EXPECT_EQ(diagnose(R"("Type":"Pass","Output":"{% $states.errorOutput.Cause %}","End":true)"),
            "UNSUPPORTED_JSONATA_EXPRESSION: Field '$states.errorOutput' does not exist. at /Output\n");
  EXPECT_EQ(
      diagnose(R"("Type":"Pass","Output":"{% $states.input.a[b = 1].c ~> $map(function($x) { $x.d }) %}","End":true)"),
      "");
}

}  // namespace
}  // namespace tidemill::lang::states
