// States of JSONPath: what goes in, what comes out, and where to.
#include "lang/states/evaluate.h"

#include "base/text.h"
#include "lang/states/testing.h"

namespace tidemill::lang::states {
namespace {

struct Case {
  std::string_view state;
  std::string_view input;
  std::string_view outcome;
};

std::string pass(const Case& each) {
  StateFixture fixture(each.state);
  fixture.with_variables(R"({"v":{"n":7},"w":"old"})");
  return outcome([&] { return run_pass(fixture.state(), fixture.scope(each.input)); });
}

TEST(PassState, MapsItsInput) {
  constexpr Case kCases[] = {
      {R"({"Type":"Pass","Next":"B"})", R"({"a":1})", R"({"a":1} -> B)"},
      {R"({"Type":"Pass","End":true})", "[1,null]", "[1,null]"},
      {R"({"Type":"Pass","Result":{"x.$":"$.a"},"End":true})", R"({"a":1})", R"({"x.$":"$.a"})"},
      {R"({"Type":"Pass","Result":null,"End":true})", R"({"a":1})", "null"},
      {R"({"Type":"Pass","InputPath":"$.a","End":true})", R"({"a":[1]})", "[1]"},
      {R"({"Type":"Pass","InputPath":null,"End":true})", R"({"a":[1]})", "{}"},
      {R"({"Type":"Pass","InputPath":"$$.Execution.Id","End":true})", "{}", R"("arn:e")"},
      {R"({"Type":"Pass","InputPath":"$v.n","End":true})", "{}", "7"},
      {R"({"Type":"Pass","OutputPath":"$.a","End":true})", R"({"a":[1]})", "[1]"},
      {R"({"Type":"Pass","OutputPath":null,"End":true})", R"({"a":[1]})", "{}"},
      {R"({"Type":"Pass","Result":5,"ResultPath":"$.r.s","End":true})", R"({"a":1})", R"({"a":1,"r":{"s":5}})"},
      {R"({"Type":"Pass","Result":5,"ResultPath":null,"End":true})", R"({"a":1})", R"({"a":1})"},
      {R"({"Type":"Pass","InputPath":"$.in","Parameters":{"s":"v","i.$":"$.f"},"ResultPath":"$.m","End":true})",
       R"({"in":{"f":1},"o":2})", R"({"in":{"f":1},"o":2,"m":{"s":"v","i":1}})"},
      {R"({"Type":"Pass","Parameters":{"deep":[{"x.$":"$.a"},"$.a"],"k":{"c.$":"$$.State.Name","v.$":"$w"}},
      "End":true})",
       R"({"a":1})", R"({"deep":[{"x":1},"$.a"],"k":{"c":"State","v":"old"}})"},
      {R"({"Type":"Pass","Parameters":{"all.$":"$..n","f.$":"$.l[?(@.n > 1)]"},"End":true})",
       R"({"l":[{"n":1},{"n":2}]})", R"({"all":[1,2],"f":[{"n":2}]})"},
      {R"({"Type":"Pass","Parameters":{"v.$":"$.items[5]"},"End":true})", R"({"items":[1]})", R"({"v":null})"},
      {R"x({"Type":"Pass","Parameters":{"v.$":"States.Format('{}-{}', $.a, $v.n)"},"End":true})x", R"({"a":1})",
       R"({"v":"1-7"})"},
  };
  for (const Case& each : kCases) EXPECT_EQ(pass(each), each.outcome) << each.state;
}

TEST(PassState, FailsInAwsWords) {
  constexpr Case kCases[] = {
      {R"({"Type":"Pass","Parameters":{"m.$":"$.nope"},"End":true})", R"({"x":"a"})",
       "States.Runtime: The JSONPath '$.nope' specified for the field 'm.$' could not be found in the input "
       "'{\"x\":\"a\"}'"},
      {R"({"Type":"Pass","InputPath":"$.x","End":true})", "{}",
       "States.Runtime: Invalid path '$.x' : No results for path: $['x']"},
      {R"({"Type":"Pass","OutputPath":"$.x.y","End":true})", "{}",
       "States.Runtime: Invalid path '$.x.y' : Missing property in path $['x']"},
      {R"({"Type":"Pass","Result":1,"ResultPath":"$.a","End":true})", "[]",
       "States.ResultPathMatchFailure: Unable to apply ReferencePath $.a to input []"},
      {R"x({"Type":"Pass","Parameters":{"v.$":"States.Format('{}', States.Format('{}', $.nope))"},"End":true})x",
       R"({"other":1})",
       "States.Runtime: The function 'States.Format('{}', States.Format('{}', $.nope))' had the following error: The "
       "JsonPath argument for the field '$.nope' could not be found in the input '{\"other\":1}'"},
      {R"x({"Type":"Pass","Parameters":{"v.$":"States.Format('{}', $.items[5])"},"End":true})x", R"({"items":[1,2]})",
       "States.Runtime: The function 'States.Format('{}', $.items[5])' had the following error: The JsonPath argument "
       "for "
       "the field '$.items[5]' could not be found in the input '{\"items\":[1,2]}'"},
      {R"({"Type":"Pass","Parameters":{"v.$":"$unset"},"End":true})", "{}",
       "States.Runtime: The variable '$unset' is not defined."},
  };
  for (const Case& each : kCases) EXPECT_EQ(pass(each), each.outcome) << each.state;
  const StateError error(error_name::kRuntime, "Why.");
  EXPECT_EQ(error.cause("A", 2), "An error occurred while executing the state 'A' (entered at the event id #2). Why.");
  EXPECT_EQ(StateError::too_large("A").cause("A", 2),
            "The state/task 'A' returned a result with a size exceeding the maximum number of bytes service limit.");
}

TEST(PassState, ThatChangesNothingCopiesNothing) {
  StateFixture fixture(R"({"Type":"Pass","InputPath":"$.a","End":true})");
  const Scope& scope = fixture.scope(R"({"a":{"b":1}})");
  const Exit exit = run_pass(fixture.state(), scope);
  EXPECT_EQ(exit.output.get(), scope.input->find("a"));
}

TEST(PassState, AssignsWithTheValuesOfBefore) {
  EXPECT_EQ(pass({R"({"Type":"Pass","Assign":{"w":"new","x.$":"$w","r.$":"$.a"},"Next":"B"})", R"({"a":1})", ""}),
            R"({"a":1} | {"w":"new","x":"old","r":1} -> B)");
  EXPECT_EQ(pass({R"({"Type":"Pass","Result":{"q":2},"ResultPath":null,"Assign":{"r.$":"$.q"},"End":true})",
                  R"({"a":1})", ""}),
            R"({"a":1} | {"r":2})");
}

TEST(PassState, CannotAssignTooMuch) {
  StateFixture fixture(R"({"Type":"Pass","Assign":{"a.$":"$","b.$":"$"},"End":true})");
  const std::string half = "\"" + std::string(kAssignBytesMax / 2, 'x') + "\"";
  EXPECT_TRUE(
      outcome([&] { return run_pass(fixture.state(), fixture.scope(half)); }).starts_with("States.DataLimitExceeded"));
}

TEST(PassState, TellsWhatHappenedInBetween) {
  StateFixture fixture(
      R"({"Type":"Pass","InputPath":"$.in","Parameters":{"i.$":"$.f"},"ResultPath":"$.m","End":true})");
  Trace trace;
  (void)run_pass(fixture.state(), fixture.scope(R"({"in":{"f":1}})"), &trace);
  EXPECT_EQ(json::write(*trace.after_input_path), R"({"f":1})");
  EXPECT_EQ(json::write(*trace.after_parameters), R"({"i":1})");
  EXPECT_EQ(json::write(*trace.after_result_selector), R"({"i":1})");
  EXPECT_EQ(json::write(*trace.after_result_path), R"({"in":{"f":1},"m":{"i":1}})");
  EXPECT_FALSE(trace.result);
  StateFixture with_result(R"({"Type":"Pass","Result":1,"End":true})");
  Trace other;
  (void)run_pass(with_result.state(), with_result.scope("{}"), &other);
  EXPECT_FALSE(other.after_input_path);
  EXPECT_FALSE(other.after_parameters);
  EXPECT_EQ(json::write(*other.result), "1");
}

TEST(TaskState, IsCalledWithArgumentsAndLeavesWithItsResult) {
  StateFixture fixture(R"x({"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","InputPath":"$.in",
    "Parameters":{"FunctionName":"f","Payload":{"token.$":"$$.Task.Token","x.$":"$.x"}},
    "TimeoutSecondsPath":"$.t","HeartbeatSeconds":3,"Credentials":{"RoleArn.$":"States.Format('role-{}', $.x)"},
    "ResultSelector":{"got.$":"$.Payload"},"ResultPath":"$.task","OutputPath":"$.task","Assign":{"g.$":"$.got"},
      "Next":"B"})x");
  const Scope& scope = fixture.scope(R"({"in":{"x":5,"t":60}})");
  const TaskPlan task = task_of(fixture.state(), scope);
  EXPECT_EQ(json::write(*task.arguments), R"({"FunctionName":"f","Payload":{"token":"tok","x":5}})");
  EXPECT_EQ(task.timeout_seconds, 60);
  EXPECT_TRUE(task.has_timeout);
  EXPECT_EQ(task.heartbeat_seconds, 3);
  EXPECT_EQ(task.role_arn, "role-5");
  const Document result = make_document(parsed(R"({"Payload":{"y":1},"StatusCode":200})"));
  EXPECT_EQ(outcome([&] { return leave(fixture.state(), scope, result); }), R"({"got":{"y":1}} | {"g":{"y":1}} -> B)");
}

TEST(TaskState, RefusesTimesThatAreNone) {
  StateFixture fixture(R"({"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","TimeoutSecondsPath":"$.t",
    "HeartbeatSecondsPath":"$.h","End":true})");
  const auto fails = [&](std::string_view input) {
    return outcome([&] {
      (void)task_of(fixture.state(), fixture.scope(input));
      return Exit{.output = make_document(nullptr)};
    });
  };
  EXPECT_EQ(fails(R"({"t":10,"h":5})"), "null");
  EXPECT_EQ(fails(R"({"t":"x","h":5})"),
            "States.Runtime: The TimeoutSecondsPath field refers to value \"x\" which is not a valid integer: $.t");
  EXPECT_TRUE(fails(R"({"t":10,"h":10})").starts_with("States.Runtime")) << fails(R"({"t":10,"h":10})");
  EXPECT_TRUE(fails(R"({"t":0,"h":1})").starts_with("States.Runtime"));
  EXPECT_EQ(fails(R"({"h":1})"), "States.Runtime: Invalid path '$.t' : No results for path: $['t']");
}

TEST(WaitState, EndsWhenItsFieldSays) {
  const auto wait = [](std::string_view field, std::string_view input) -> std::string {
    StateFixture fixture("{\"Type\":\"Wait\"," + std::string(field) + ",\"End\":true}");
    try {
      return std::to_string(wait_until(fixture.state(), fixture.scope(input)).time_since_epoch().count() / 1'000'000);
    } catch (const StateError& error) {
      return error.error() + ": " + error.detail();
    }
  };
  EXPECT_EQ(wait(R"("Seconds":5)", "{}"), "1005");
  EXPECT_EQ(wait(R"("SecondsPath":"$.s")", R"({"s":7})"), "1007");
  EXPECT_EQ(wait(R"("SecondsPath":"$.s")", R"({"s":-1})"),
            "States.Runtime: The SecondsPath parameter references a negative value: $.s == -1");
  EXPECT_EQ(wait(R"("SecondsPath":"$.s")", R"({"s":"x"})"),
            "States.Runtime: The SecondsPath parameter cannot be parsed as a long value: $.s == x");
  EXPECT_EQ(wait(R"("SecondsPath":"$.s")", "{}"),
            "States.Runtime: The SecondsPath parameter does not reference an input value: $.s");
  EXPECT_EQ(wait(R"("SecondsPath":"$.s")", R"({"s":100000000})"), "States.Runtime: Wait state delay is too long.");
  EXPECT_EQ(wait(R"("Timestamp":"1970-01-01T00:20:00Z")", "{}"), "1200");
  EXPECT_EQ(wait(R"("TimestampPath":"$.t")", R"({"t":"1970-01-01T01:20:00.5+01:00"})"), "1200");
  EXPECT_EQ(wait(R"("TimestampPath":"$.t")", R"({"t":"soon"})"),
            "States.Runtime: The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time "
            "format string: $.t == soon");
}

TEST(SucceedAndWait, PassTheirInputOn) {
  StateFixture succeed(R"({"Type":"Succeed","InputPath":"$.a","OutputPath":"$.b"})");
  EXPECT_EQ(outcome([&] { return run_succeed(succeed.state(), succeed.scope(R"({"a":{"b":2}})")); }), "2");
  StateFixture wait(R"({"Type":"Wait","Seconds":1,"InputPath":"$.a","Assign":{"x.$":"$.b"},"Next":"N"})");
  EXPECT_EQ(outcome([&] { return leave(wait.state(), wait.scope(R"({"a":{"b":2}})"), nullptr); }),
            R"({"b":2} | {"x":2} -> N)");
}

TEST(FailState, SaysWhy) {
  StateFixture fixed(R"({"Type":"Fail","Error":"E","Cause":"C"})");
  const Fail fail = fail_of(fixed.state(), fixed.scope("{}"));
  EXPECT_EQ(fail.error, "E");
  EXPECT_EQ(fail.cause, "C");
  StateFixture paths(R"x({"Type":"Fail","ErrorPath":"$.e","CausePath":"States.Format('why {}', $.e)"})x");
  EXPECT_EQ(fail_of(paths.state(), paths.scope(R"({"e":"X"})")).cause, "why X");
  StateFixture nothing(R"({"Type":"Fail"})");
  EXPECT_FALSE(fail_of(nothing.state(), nothing.scope("{}")).error);
}

TEST(Evaluation, ReadsVariablesOfTheScopesAround) {
  StateFixture fixture(R"({"Type":"Pass","Parameters":{"a.$":"$a","b.$":"$b"},"End":true})");
  const json::Object outer = parsed(R"({"a":1,"b":2})").object();
  const json::Object inner = parsed(R"({"b":3})").object();
  const Variables around{.values = &outer};
  const Variables own{.values = &inner, .outer = &around};
  Scope scope = fixture.scope("{}");
  scope.variables = &own;
  EXPECT_EQ(outcome([&] { return run_pass(fixture.state(), scope); }), R"({"a":1,"b":3})");
}

// A template that makes so many copies of its input.
std::string copies(int count, std::string_view value) {
  std::string members;
  for (int i = 0; i < count; ++i) {
    members += base::cat(members.empty() ? "" : ",", "\"a", i, ".$\":\"", value, "\"");
  }
  return base::cat(R"({"Type":"Pass","Parameters":{)", members, R"(},"End":true})");
}

TEST(PassState, MakesNoMoreThanItMay) {
  const std::string input = base::cat(R"({"t":")", std::string(200'000, 'x'), R"("})");
  for (const std::string_view value : {"$", "$.t", "States.Format('{}{}', $.t, $.t)", "States.Array($, $)"}) {
    const std::string few = copies(2, value);
    const std::string many = copies(300, value);
    EXPECT_EQ(pass({few, input, ""}).substr(0, 1), "{") << value;
    EXPECT_TRUE(pass({many, input, ""}).starts_with("States.DataLimitExceeded")) << value;
  }
}

TEST(PassState, TakesTheLastOfMembersThatBecomeOne) {
  EXPECT_EQ(pass({R"({"Type":"Pass","Parameters":{"a":1,"b.$":"$.x","a.$":"$.y"},"End":true})", R"({"x":2,"y":3})", ""}),
            R"({"a":3,"b":2})");
}

}  // namespace
}  // namespace tidemill::lang::states
