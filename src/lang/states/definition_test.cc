// Definitions: which are machines, and what is said of those that are none.
#include "lang/states/machine.h"
#include "lang/states/testing.h"

namespace tidemill::lang::states {
namespace {

std::string diagnose(std::string_view text, bool is_express = false) {
  return told(parse_machine(text, {.is_express = is_express}).diagnostics);
}

// Of a machine whose state A is this, and which has a state Z to go to.
std::string of_state(std::string_view state, bool is_express = false) {
  return diagnose(R"({"StartAt":"A","States":{"A":{)" + std::string(state) + R"(,"Next":"Z"},"Z":{"Type":"Succeed"}}})",
                  is_express);
}

std::string schema(std::string_view message, std::string_view location) {
  return "SCHEMA_VALIDATION_FAILED: " + std::string(message) + " at " + std::string(location) + "\n";
}

constexpr std::string_view kTask = R"("Type":"Task","Resource":"arn:aws:states:::lambda:invoke")";

std::string task(std::string_view more) { return of_state(std::string(kTask) + "," + std::string(more)); }

TEST(Definition, ThatIsNoJsonIsTold) {
  EXPECT_EQ(diagnose(""), schema("Definition must be a valid JSON object", ""));
  EXPECT_EQ(diagnose("[1]"), schema("Definition must be a valid JSON object", ""));
  const Diagnostics diagnostics = parse_machine("not a definition").diagnostics;
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].code, "INVALID_JSON_DESCRIPTION");
  EXPECT_EQ(diagnostics[0].location, R"x([Source: (String)"not a definition"; line: 1, column: 4])x");
  EXPECT_EQ(diagnostics[0].message,
            "Unrecognized token 'not': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or "
            "'false')\n at [Source: (String)\"not a definition\"; line: 1, column: 4]");
}

TEST(Definition, NeedsStatesAndAStart) {
  EXPECT_EQ(diagnose("{}"), schema("These fields are required: [States, StartAt]", "/"));
  EXPECT_EQ(diagnose(R"({"States":{"A":{"Type":"Pass","End":true}}})"),
            schema("These fields are required: [StartAt]", "/"));
  EXPECT_EQ(diagnose(R"({"StartAt":"A","Start":1,"States":{"A":{"Type":"Pass","End":true}}})"),
            schema("Field 'Start' is not supported", "/"));
  EXPECT_EQ(diagnose(R"({"StartAt":"A","Version":"2.0","States":{"A":{"Type":"Pass","End":true}}})"),
            schema("Value should be one of the following: [1.0]", "/Version"));
  EXPECT_EQ(diagnose(R"({"StartAt":"A","TimeoutSeconds":-1,"States":{"A":{"Type":"Pass","End":true}}})"),
            schema("Minimum value is 0", "/TimeoutSeconds"));
  EXPECT_EQ(refusal(parse_machine(R"({"StartAt":"A"})").diagnostics),
            "SCHEMA_VALIDATION_FAILED: These fields are required: [States] at /");
}

TEST(Definition, LeadsWhereThereIsAState) {
  const std::string missing = "MISSING_TRANSITION_TARGET: Missing 'Next' target: ";
  EXPECT_EQ(diagnose(R"({"StartAt":"A","States":{"A":{"Type":"Pass","Next":"X"},"B":{"Type":"Pass","End":true}}})"),
            missing + "X at /States/A/Next\nMISSING_TRANSITION_TARGET: State \"B\" is not reachable. at /States/B\n");
  EXPECT_EQ(diagnose(R"({"StartAt":"A","States":{"A":{"Type":"Pass","Next":"NOPE"}}})"),
            missing + "NOPE at /States/A/Next\nMISSING_END_STATE: Workflow has no terminal state at \n");
  EXPECT_EQ(diagnose(R"({"StartAt":"Q","States":{"A":{"Type":"Pass","End":true}}})"),
            missing + "Q at /StartAt\nMISSING_TRANSITION_TARGET: State \"A\" is not reachable. at /States/A\n");
  EXPECT_EQ(task(R"("Catch":[{"ErrorEquals":["States.ALL"],"Next":"Ghost"}])"),
            missing + "Ghost at /States/A/Catch[0]/Next\n");
  EXPECT_EQ(diagnose(R"({"StartAt":"C","States":{"C":{"Type":"Choice","Choices":[
              {"Variable":"$.x","IsPresent":true,"Next":"Ghost"}],"Default":"Z"},"Z":{"Type":"Succeed"}}})"),
            missing + "Ghost at /States/C/Choices[0]/Next\n");
  EXPECT_EQ(diagnose(R"({"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Pass","Next":"A"}}})"),
            "MISSING_END_STATE: Workflow has no terminal state at \n");
  // Only the machine itself must end.
  EXPECT_EQ(of_state(R"("Type":"Map","ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Pass","Next":"Q"},
              "Q":{"Type":"Pass","Next":"P"}}})"),
            "");
  EXPECT_EQ(of_state(R"("Type":"Map","ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Pass","End":true},
              "Q":{"Type":"Pass","End":true}}})"),
            "MISSING_TRANSITION_TARGET: State \"Q\" is not reachable. at /States/A/ItemProcessor/States/Q\n");
  // Branches do not lead out of themselves.
  EXPECT_EQ(of_state(R"("Type":"Parallel","Branches":[{"StartAt":"P","States":{"P":{"Type":"Pass","Next":"Z"}}}])"),
            missing + "Z at /States/A/Branches[0]/States/P/Next\n");
}

TEST(Definition, NamesAreUniqueInAllOfIt) {
  EXPECT_EQ(of_state(R"("Type":"Parallel","Branches":[{"StartAt":"Z","States":{"Z":{"Type":"Pass","End":true}}}])"),
            "DUPLICATE_STATE_NAME: Duplicate State name: Z at /States/Z\n");
  const std::string name(kStateNameCharactersMax + 1, 'n');
  EXPECT_EQ(diagnose(R"({"StartAt":")" + name + R"(","States":{")" + name + R"(":{"Type":"Succeed"}}})"),
            schema("State name '" + name + "' is longer than 80 characters", "/States/" + name));
}

struct Case {
  std::string_view state;
  std::string_view message;
  std::string_view location;
};

TEST(Definition, StatesHaveTheirFields) {
  constexpr Case kCases[] = {
      {R"("Comment":"x")", "These fields are required: [Type]", "/States/A"},
      {R"("Type":"Job")",
       "Value should be one of the following: [Task, Pass, Choice, Wait, Succeed, Fail, Parallel, Map]",
       "/States/A/Type"},
      {R"("Type":"Pass","TimeoutSeconds":5)", "Field 'TimeoutSeconds' is not supported", "/States/A"},
      {R"("Type":"Map","TimeoutSeconds":5,"ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Succeed"}}})",
       "Field 'TimeoutSeconds' is not supported", "/States/A"},
      {R"("Type":"Pass","End":true)", "There should only be one of the following fields: [Next, End]", "/States/A"},
      {R"("Type":"Pass","Comment":1)", "Expected value of type [STRING]", "/States/A/Comment"},
      {R"("Type":"Pass","InputPath":"a")", "Value must be a valid JSONPath.", "/States/A/InputPath"},
      {R"("Type":"Pass","ResultPath":"$.a[*]")", "Value is not a Reference Path: $.a[*]", "/States/A/ResultPath"},
      {R"("Type":"Pass","ResultPath":"$$.a")", "Value is not a Reference Path: $$.a", "/States/A/ResultPath"},
      {R"("Type":"Pass","Parameters":{"a":{"x.$":"y"}})",
       "The value for the field 'x.$' must be a valid JSONPath or a valid intrinsic function call",
       "/States/A/Parameters/a"},
      {R"x("Type":"Pass","Parameters":{"x.$":"States.Nothing()"})x",
       "The value for the field 'x.$' must be a valid JSONPath or a valid intrinsic function call",
       "/States/A/Parameters"},
      {R"("Type":"Pass","QueryLanguage":"XPath","Comment":"")",
       "Value should be one of the following: [JSONPath, JSONata]", "/States/A/QueryLanguage"},
      {R"("Type":"Wait")",
       "This object should have only one of the following fields: [SecondsPath, Seconds, TimestampPath, Timestamp]",
       "/States/A"},
      {R"("Type":"Wait","Seconds":1,"Timestamp":"2026-01-01T00:00:00Z")",
       "There should only be one of the following fields: [SecondsPath, Seconds, TimestampPath, Timestamp]",
       "/States/A"},
      {R"("Type":"Wait","Seconds":-1)", "Minimum value is 0", "/States/A/Seconds"},
      {R"("Type":"Wait","Seconds":100000000)", "Maximum value is 99999999", "/States/A/Seconds"},
      {R"("Type":"Wait","Seconds":"5")", "Expected value of type Integer", "/States/A/Seconds"},
      {R"("Type":"Wait","Timestamp":"2026-01-01 00:00")", "String does not match RFC3339 timestamp",
       "/States/A/Timestamp"},
      {R"("Type":"Task")", "These fields are required: [Resource]", "/States/A"},
      {R"("Type":"Task","Resource":"lambda")", "Value is not a valid resource ARN", "/States/A/Resource"},
      {R"("Type":"Parallel","Branches":[])", "Value cannot be empty", "/States/A/Branches"},
      {R"("Type":"Parallel","Branches":[{"States":{"P":{"Type":"Succeed"}}}])", "These fields are required: [StartAt]",
       "/States/A/Branches[0]"},
      {R"("Type":"Pass","Assign":{"states":1})", "", ""},
      {R"("Type":"Pass","Output":"x")",
       "The QueryLanguage is set to 'JSONPath', but field 'Output' is only supported for the 'JSONata' QueryLanguage",
       "/States/A"},
  };
  for (const Case& each : kCases) {
    if (each.message.empty()) {
      EXPECT_EQ(of_state(each.state),
                "RESERVED_VARIABLE_NAME: Cannot assign to reserved variable '$states'. at /States/A/Assign\n");
    } else {
      EXPECT_EQ(of_state(each.state), schema(each.message, each.location)) << each.state;
    }
  }
  EXPECT_EQ(of_state(R"("Type":"Pass","Assign":{"a-b":1})"),
            "INVALID_VARIABLE_NAME: Invalid variable name 'a-b': the variable name contains invalid characters. at "
            "/States/A/Assign\n");
  EXPECT_EQ(diagnose(R"({"StartAt":"A","States":{"A":{"Type":"Pass"},"Z":{"Type":"Succeed"}}})"),
            schema("This object should have only one of the following fields: [Next, End]", "/States/A") +
                "MISSING_TRANSITION_TARGET: State \"Z\" is not reachable. at /States/Z\n");
  EXPECT_EQ(diagnose(R"({"StartAt":"A","States":{"A":{"Type":"Fail","Error":"a","ErrorPath":"$.a"}}})"),
            schema("There should only be one of the following fields: [Error, ErrorPath]", "/States/A"));
}

TEST(Definition, TasksRetryAndCatch) {
  constexpr Case kCases[] = {
      {R"("TimeoutSeconds":0)", "Minimum value is 1", "/States/A/TimeoutSeconds"},
      {R"("TimeoutSeconds":1,"TimeoutSecondsPath":"$.t")",
       "There should only be one of the following fields: [TimeoutSeconds, TimeoutSecondsPath]", "/States/A"},
      {R"("TimeoutSeconds":5,"HeartbeatSeconds":5)", "'HeartbeatSeconds' must be smaller than 'TimeoutSeconds'",
       "/States/A/HeartbeatSeconds"},
      {R"("Credentials":{})", "The field 'RoleArn' is required but was missing", "/States/A/Credentials"},
      {R"("Retry":{})", "Expected value of type Array", "/States/A/Retry"},
      {R"("Retry":[{}])", "These fields are required: [ErrorEquals]", "/States/A/Retry[0]"},
      {R"("Retry":[{"ErrorEquals":[]}])", "Value cannot be empty", "/States/A/Retry[0]/ErrorEquals"},
      {R"("Retry":[{"ErrorEquals":["States.ALL","X"]}])", "States.ALL must appear alone and at end of list",
       "/States/A/Retry[0]/ErrorEquals"},
      {R"("Retry":[{"ErrorEquals":["States.ALL"]},{"ErrorEquals":["X"]}])",
       "States.ALL must appear alone and at end of list", "/States/A/Retry[0]/ErrorEquals"},
      {R"("Retry":[{"ErrorEquals":["X"],"MaxAttempts":-1}])", "Minimum value is 0", "/States/A/Retry[0]/MaxAttempts"},
      {R"("Retry":[{"ErrorEquals":["X"],"BackoffRate":0.5}])", "Minimum value is 1", "/States/A/Retry[0]/BackoffRate"},
      {R"("Retry":[{"ErrorEquals":["X"],"MaxDelaySeconds":31622401}])", "Maximum value is 31622400",
       "/States/A/Retry[0]/MaxDelaySeconds"},
      {R"("Retry":[{"ErrorEquals":["X"],"IntervalSeconds":9,"MaxDelaySeconds":9}])",
       "'MaxDelaySeconds' must be greater than 'IntervalSeconds'", "/States/A/Retry[0]/MaxDelaySeconds"},
      {R"("Retry":[{"ErrorEquals":["X"],"JitterStrategy":"HALF"}])",
       "Value should be one of the following: [NONE, FULL]", "/States/A/Retry[0]/JitterStrategy"},
      {R"("Retry":[{"ErrorEquals":["X"],"Next":"Z"}])", "Field 'Next' is not supported", "/States/A/Retry[0]"},
      {R"("Catch":[{"ErrorEquals":["X"]}])", "These fields are required: [Next]", "/States/A/Catch[0]"},
      {R"("Catch":[{"ErrorEquals":["X"],"Next":"Z","ResultPath":"$..a"}])", "Value is not a Reference Path: $..a",
       "/States/A/Catch[0]/ResultPath"},
  };
  for (const Case& each : kCases) EXPECT_EQ(task(each.state), schema(each.message, each.location)) << each.state;
  EXPECT_EQ(task(R"("TimeoutSeconds":5,"HeartbeatSeconds":4,"Credentials":{"RoleArn.$":"$.r"},
              "Retry":[{"ErrorEquals":["A","B"],"IntervalSeconds":0,"MaxAttempts":0,"BackoffRate":1.0,
      "MaxDelaySeconds":1,
              "JitterStrategy":"FULL"},{"ErrorEquals":["States.ALL"]}],
              "Catch":[{"ErrorEquals":["States.ALL"],"Next":"Z","ResultPath":"$.e","Assign":{"e.$":"$.Error"}}])"),
            "");
}

TEST(Definition, ChoiceRulesAreWhole) {
  const auto choice = [](std::string_view rules) {
    return diagnose(R"({"StartAt":"C","States":{"C":{"Type":"Choice","Choices":)" + std::string(rules) +
                    R"(,"Default":"Z"},"Z":{"Type":"Succeed"}}})");
  };
  const std::string_view kRule = "/States/C/Choices[0]";
  EXPECT_EQ(choice("[]"), schema("Value cannot be empty", "/States/C/Choices"));
  EXPECT_EQ(choice(R"([{"Variable":"$.a","IsNull":true}])"), schema("These fields are required: [Next]", kRule));
  EXPECT_EQ(choice(R"([{"Variable":"$.a","StringEquals":"a","IsNull":true,"Next":"Z"}])"),
            schema("There should only be one of the following fields: [StringEquals, IsNull]", kRule));
  EXPECT_EQ(choice(R"([{"Variable":"$.a","StringEquals":1,"Next":"Z"}])"),
            schema("Expected value of type [STRING]", std::string(kRule) + "/StringEquals"));
  EXPECT_EQ(
      choice(R"([{"Variable":"a","IsNull":true,"Next":"Z"}])"),
      schema("Value is not a Reference Path: Reference path didn't start with '$'", std::string(kRule) + "/Variable"));
  EXPECT_EQ(
      choice(R"([{"StringEquals":"a","Next":"Z"}])"),
      schema("The object must have only one of the following fields, [And, Or, Not, Variable, Condition]", kRule));
  EXPECT_EQ(choice(R"([{"Not":{"Variable":"$.a","IsNull":true,"Next":"Z"},"Next":"Z"}])"),
            schema("Field 'Next' is not supported", std::string(kRule) + "/Not"));
  EXPECT_EQ(choice(R"([{"And":[{"Variable":"$.a","BooleanLessThan":true}],"Next":"Z"}])").find("BooleanLessThan") !=
                std::string::npos,
            true);
  EXPECT_EQ(choice(R"([{"Condition":"{% true %}","Next":"Z"}])"),
            schema("The QueryLanguage is set to 'JSONPath', but field 'Condition' is only supported for the 'JSONata' "
                   "QueryLanguage",
                   kRule));
}

TEST(Definition, MapsAreInlineOrDistributed) {
  const auto map = [](std::string_view more,
                      std::string_view config = R"({"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"})") {
    return of_state(R"("Type":"Map","ItemProcessor":{"ProcessorConfig":)" + std::string(config) +
                    R"(,"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}})" + (more.empty() ? "" : ",") +
                    std::string(more));
  };
  const std::string reader =
      R"("ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket":"b","Key":"k"},
      "ReaderConfig":)";
  EXPECT_EQ(map(""), "");
  EXPECT_EQ(map("", R"({"Mode":"DISTRIBUTED"})"),
            schema("These fields are required: [ExecutionType]", "/States/A/ItemProcessor/ProcessorConfig"));
  EXPECT_EQ(map("", R"({"Mode":"INLINE","ExecutionType":"STANDARD"})"),
            schema("Field 'ExecutionType' is not supported", "/States/A/ItemProcessor/ProcessorConfig"));
  EXPECT_EQ(map(R"("Label":"a b")"), schema("Label contains invalid characters", "/States/A/Label"));
  EXPECT_EQ(map(R"("Label":")" + std::string(41, 'a') + "\""),
            schema("Label must have 1 to 40 characters", "/States/A/Label"));
  EXPECT_EQ(map(R"("ItemBatcher":{"MaxItemsPerBatch":1})", R"({"Mode":"INLINE"})"),
            schema("Field 'ItemBatcher' is not supported", "/States/A"));
  EXPECT_EQ(map(R"("MaxConcurrency":-1)"), schema("Minimum value is 0", "/States/A/MaxConcurrency"));
  EXPECT_EQ(map(R"("ToleratedFailurePercentage":101)"),
            schema("Maximum value is 100", "/States/A/ToleratedFailurePercentage"));
  EXPECT_EQ(map(reader + R"({"InputType":"CSV"}})"),
            schema("The field 'CSVHeaderLocation' is required", "/States/A/ItemReader/ReaderConfig"));
  EXPECT_EQ(map(reader + R"({"InputType":"CSV","CSVHeaderLocation":"GIVEN"}})"),
            schema("These fields are required: [CSVHeaders]", "/States/A/ItemReader/ReaderConfig"));
  EXPECT_EQ(map(reader + R"({"InputType":"JSON","CSVHeaderLocation":"FIRST_ROW"}})"),
            schema("Field 'CSVHeaderLocation' is not supported", "/States/A/ItemReader/ReaderConfig"));
  EXPECT_EQ(map(reader + R"({"InputType":"XML"}})"),
            schema("The field 'InputType' should have one of these values: [MANIFEST, JSON, CSV, JSONL, PARQUET]",
                   "/States/A/ItemReader/ReaderConfig/InputType"));
  EXPECT_EQ(map(reader + R"({"InputType":"JSON","MaxItems":5,"MaxItemsPath":"$.m"}})"),
            schema("There should only be one of the following fields: [MaxItems, MaxItemsPath]",
                   "/States/A/ItemReader/ReaderConfig"));
  EXPECT_EQ(map(R"("ItemReader":{"Resource":"arn:aws:states:::s3:putObject","Parameters":{},
      "ReaderConfig":{"InputType":"JSON"}})"),
            schema("The field 'Resource' does not match any of the allowed values. Examples: "
                   "[arn:<partition>:states:::s3:getObject, arn:<partition>:states:::s3:listObjectsV2]",
                   "/States/A/ItemReader/Resource"));
  EXPECT_EQ(map(R"("ResultWriter":{})"),
            schema("The field 'ResultWriter' must specify WriterConfig or Resource with Parameters",
                   "/States/A/ResultWriter"));
  EXPECT_EQ(map(R"("ItemSelector":{},"Parameters":{})"),
            schema("There should only be one of the following fields: [ItemSelector, Parameters]", "/States/A"));
  EXPECT_EQ(of_state(R"("Type":"Map")"),
            schema("This object should have only one of the following fields: [ItemProcessor, Iterator]", "/States/A"));
  EXPECT_EQ(of_state(R"("Type":"Map","Iterator":{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}})"), "");
}

TEST(Definition, OfExpressMachinesCannotWait) {
  EXPECT_EQ(
      of_state(R"("Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage.waitForTaskToken")", true),
      schema("Express state machine does not support '.waitForTaskToken' service integration ", "/States/A/Resource"));
  EXPECT_EQ(of_state(R"("Type":"Task","Resource":"arn:aws:states:::states:startExecution.sync:2")", true),
            schema("Express state machine does not support '.sync' service integration ", "/States/A/Resource"));
  EXPECT_EQ(of_state(R"("Type":"Task","Resource":"arn:aws:states:eu-west-1:123456789012:activity:a")", true),
            schema("Express state machine does not support Activity ARN", "/States/A/Resource"));
  EXPECT_EQ(
      of_state(R"("Type":"Map","ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"EXPRESS"},
              "StartAt":"P","States":{"P":{"Type":"Pass","End":true}}})",
               true),
      schema("The field 'Mode' with value 'DISTRIBUTED' is not supported inside 'EXPRESS' state machines",
             "/States/A/ItemProcessor/ProcessorConfig/Mode"));
}

TEST(Definition, ResourcesAreAskedFor) {
  const ParseOptions options{.rule_of = [](std::string_view resource, const json::Value* arguments) -> ResourceRule {
    if (arguments && arguments->find("Wrong")) return {.arguments_problem = "Wrong is wrong"};
    if (resource.ends_with("why")) return {.is_known = false, .refusal = "That is why"};
    if (resource.ends_with("invoke")) return {.needs_arguments = true, .required = {"FunctionName"}};
    return {.is_known = false};
  }};
  const auto diagnose_task = [&](std::string_view more) {
    return told(
        parse_machine(R"({"StartAt":"A","States":{"A":{"Type":"Task",)" + std::string(more) + R"(,"End":true}}})",
                      options)
            .diagnostics);
  };
  EXPECT_EQ(diagnose_task(R"("Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName.$":"$.f"})"), "");
  EXPECT_EQ(diagnose_task(R"("Resource":"arn:aws:states:::lambda:invoke")"),
            schema("Parameters field is required for resource ARN: arn:aws:states:::lambda:invoke", "/States/A"));
  EXPECT_EQ(diagnose_task(R"("Resource":"arn:aws:states:::lambda:invoke","Parameters":{})"),
            schema("The field 'FunctionName' is required but was missing", "/States/A/Parameters"));
  EXPECT_TRUE(
      diagnose_task(R"("Resource":"arn:aws:states:::x:y")")
          .starts_with("SCHEMA_VALIDATION_FAILED: The resource provided arn:aws:states:::x:y is not recognized."));
}

TEST(Machine, KnowsItsStatesAndTheVariablesTheyRead) {
  const ParsedMachine parsed_machine = parse_machine(R"x({"StartAt":"Start","Comment":"c","TimeoutSeconds":9,"States":{
    "Start":{"Type":"Pass","Assign":{"result":"x","waitTime":0},"Parameters":{"result":"$result"},"Next":"Each"},
    "Each":{"Type":"Map","ItemProcessor":{"StartAt":"Sum","States":{"Sum":{"Type":"Pass","Assign":{
      "s.$":"States.MathAdd(States.MathAdd($y, $x), $bias)"},"End":true}}},"Next":"Check"},
    "Check":{"Type":"Choice","Choices":[{"Variable":"$guess","StringEqualsPath":"$answer","Next":"Wait"}],
      "Default":"Wait"},
    "Wait":{"Type":"Wait","SecondsPath":"$waitTime","Next":"Query"},
    "Query":{"Type":"Pass","QueryLanguage":"JSONata",
      "Output":"{% ($local := $seen; $sum([$local, $map($states.input, function($v) { $v + $more })])) %}",
      "End":true}}})x");
  ASSERT_TRUE(parsed_machine.machine) << told(parsed_machine.diagnostics);
  const Machine& machine = *parsed_machine.machine;
  EXPECT_EQ(machine.timeout_seconds(), 9);
  EXPECT_EQ(machine.flow().start().name, "Start");
  const State* const sum = machine.find("Sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->flow->owner(), machine.find("Each"));
  EXPECT_EQ(sum->location, "/States/Each/ItemProcessor/States/Sum");
  const Machine::VariableReferences expected = {
      {"Check", {"answer", "guess"}}, {"Query", {"more", "seen"}}, {"Sum", {"bias", "x", "y"}}, {"Wait", {"waitTime"}}};
  EXPECT_EQ(machine.variable_references(), expected);
}

TEST(Machine, SaysWhereStatesLead) {
  const ParsedMachine parsed_machine = parse_machine(R"({"StartAt":"T","States":{
    "T":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Next":"C",
         "Catch":[{"ErrorEquals":["X","Y"],"Next":"F"}]},
    "C":{"Type":"Choice","Choices":[{"Variable":"$.a","IsNull":true,"Next":"T"}],"Default":"F"},
    "F":{"Type":"Fail"}}})");
  ASSERT_TRUE(parsed_machine.machine) << told(parsed_machine.diagnostics);
  const std::vector<Transition> of_task = transitions_of(*parsed_machine.machine->find("T"));
  ASSERT_EQ(of_task.size(), 2u);
  EXPECT_EQ(of_task[0].target, "C");
  EXPECT_EQ(of_task[1].kind, Transition::Kind::caught);
  EXPECT_EQ(of_task[1].errors, (std::vector<std::string_view>{"X", "Y"}));
  const std::vector<Transition> of_choice = transitions_of(*parsed_machine.machine->find("C"));
  ASSERT_EQ(of_choice.size(), 2u);
  EXPECT_EQ(of_choice[0].kind, Transition::Kind::choice);
  EXPECT_EQ(of_choice[1].kind, Transition::Kind::otherwise);
  EXPECT_TRUE(transitions_of(*parsed_machine.machine->find("F")).empty());
}

TEST(Definition, ThatNestsTooDeepOrIsTooLongIsRefused) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "[";
  EXPECT_FALSE(parse_machine(text).machine);
  EXPECT_FALSE(parse_machine(std::string(kDefinitionBytesMax + 1, ' ')).machine);
}

}  // namespace
}  // namespace tidemill::lang::states
