// Functions of templates, what they need and what they give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/templates/graph.h"
#include "lang/templates/parse.h"
#include "lang/templates/scope.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using testing::ElementsAre;
using testing::Pair;

// A stack with something of each kind, and `value` as a property of its resource X.
std::string stack_with(std::string_view value) {
  return R"({
    "Parameters": {"P": {"Type": "String", "Default": "p"}, "N": {"Type": "Number", "Default": 7},
                   "L": {"Type": "CommaDelimitedList", "Default": "a, b,c"},
                   "SecretP": {"Type": "String", "Default": "p", "NoEcho": true},
                   "SecretN": {"Type": "Number", "Default": 1, "NoEcho": true},
                   "SecretL": {"Type": "CommaDelimitedList", "Default": "a, b,c", "NoEcho": true},
                   "SecretRegion": {"Type": "String", "Default": "us-east-1", "NoEcho": true}},
    "Mappings": {"M": {"us-east-1": {"k": "v", "l": ["x", "y"]}}},
    "Conditions": {"Yes": {"Fn::Equals": [{"Ref": "P"}, "p"]}, "No": {"Fn::Not": [{"Condition": "Yes"}]},
                   "Open": {"Fn::Equals": [{"Ref": "SecretP"}, "p"]}},
    "Resources": {"Q": {"Type": "AWS::SQS::Queue"}, "R": {"Type": "AWS::SNS::Topic"},
                  "X": {"Type": "AWS::SSM::Parameter", "Properties": {"Value": )" +
         std::string(value) + "}}}}";
}

Inputs inputs_of(const Template& stack) {
  return {.pseudo = {.account_id = "123456789012",
                     .region = "us-east-1",
                     .stack_id = "arn:stack",
                     .stack_name = "s",
                     .notification_arns = {"n1"}},
          .parameters = resolve_parameters(stack.parameters(), {})};
}

Known known() {
  Known known;
  known.refs = {{"Q", "https://q"}, {"R", "arn:r"}};
  known.attributes = {{{"Q", "Arn"}, "arn:q"}, {{"R", "List"}, json::Array{"1", "2"}}};
  known.imports = {{"E-p", "exported"}};
  known.outputs = {{{"s", "o", "", ""}, "told"}, {{"p", "o", "eu-west-1", "arn:r"}, "told far away"}};
  return known;
}

std::string evaluated(std::string_view value, const Known& known) {
  try {
    const Template stack(parse(stack_with(value)));
    const Scope scope(stack, inputs_of(stack));
    const json::Value result = scope.evaluate(json::Value(stack.resource("X")->properties), known);
    const json::Value* content = result.find("Value");
    return content == nullptr ? "gone" : json::write(*content);
  } catch (const TemplateError& error) {
    return error.what();
  }
}

TEST(Functions, GiveValues) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("text")", R"("text")"},
      {R"({"Ref": "P"})", R"("p")"},
      {R"({"Ref": "N"})", R"("7")"},
      {R"({"Ref": "L"})", R"(["a","b","c"])"},
      {R"({"Ref": "Q"})", R"("https://q")"},
      {R"({"Ref": "AWS::AccountId"})", R"("123456789012")"},
      {R"({"Ref": "AWS::Region"})", R"("us-east-1")"},
      {R"({"Ref": "AWS::Partition"})", R"("aws")"},
      {R"({"Ref": "AWS::URLSuffix"})", R"("amazonaws.com")"},
      {R"({"Ref": "AWS::StackId"})", R"("arn:stack")"},
      {R"({"Ref": "AWS::StackName"})", R"("s")"},
      {R"({"Ref": "AWS::NotificationARNs"})", R"(["n1"])"},
      {R"({"Ref": "AWS::NoValue"})", "gone"},
      {R"([1, {"Ref": "AWS::NoValue"}, {"a": {"Ref": "AWS::NoValue"}, "b": true}])", R"([1,{"b":true}])"},
      {R"({"Fn::GetAtt": ["Q", "Arn"]})", R"("arn:q")"},
      {R"({"Fn::GetAtt": "Q.Arn"})", R"("arn:q")"},
      {R"({"Fn::GetAtt": ["Q", {"Fn::Join": ["", ["A", "rn"]]}]})", R"("arn:q")"},
      {R"({"Fn::GetAtt": ["R", "List"]})", R"(["1","2"])"},
      {R"({"Fn::Sub": "${P}-${AWS::Region}-${Q.Arn}-${!P}-${R} ${"})", R"("p-us-east-1-arn:q-${P}-arn:r ${")"},
      {R"({"Fn::Sub": ["${V}${P}${W}", {"V": {"Fn::Join": ["+", {"Ref": "L"}]}, "W": 5}]})", R"("a+b+cp5")"},
      {R"({"Fn::Join": [":", ["a", 1, true, {"Ref": "P"}, {"Ref": "AWS::NoValue"}]]})", R"("a:1:true:p")"},
      {R"({"Fn::Join": ["", []]})", R"("")"},
      {R"({"Fn::Split": ["|", "a||b"]})", R"(["a","","b"])"},
      {R"({"Fn::Select": ["1", {"Ref": "L"}]})", R"("b")"},
      {R"({"Fn::Select": [2, {"Fn::Split": ["/", "a/b/c"]}]})", R"("c")"},
      {R"({"Fn::FindInMap": ["M", {"Ref": "AWS::Region"}, "k"]})", R"("v")"},
      {R"({"Fn::Join": [",", {"Fn::FindInMap": ["M", "us-east-1", "l"]}]})", R"("x,y")"},
      {R"({"Fn::If": ["Yes", 1, 2]})", "1"},
      {R"({"Fn::If": ["No", 1, {"Ref": "AWS::NoValue"}]})", "gone"},
      {R"({"Fn::Base64": {"Ref": "P"}})", R"("cA==")"},
      {R"({"Fn::GetAZs": ""})", R"(["us-east-1a","us-east-1b","us-east-1c"])"},
      {R"({"Fn::GetAZs": "eu-west-1"})", R"(["eu-west-1a","eu-west-1b","eu-west-1c"])"},
      {R"({"Fn::ImportValue": {"Fn::Sub": "E-${P}"}})", R"("exported")"},
      {R"({"Fn::GetStackOutput": {"StackName": "s", "OutputName": "o", "Region": {"Ref": "AWS::NoValue"}}})",
       R"("told")"},
      {R"({"Fn::Sub": ["<${V}>", {"V": {"Fn::GetStackOutput": {"StackName": {"Ref": "P"}, "OutputName": "o",
                                        "Region": "eu-west-1", "RoleArn": {"Ref": "R"}}}}]})",
       R"("<told far away>")"},
      {R"({"Fn::Cidr": ["10.0.0.0/16", 3, 8]})", R"(["10.0.0.0/24","10.0.1.0/24","10.0.2.0/24"])"},
      {R"({"Fn::Cidr": ["2001:db8::/56", "2", "64"]})", R"(["2001:db8::/64","2001:db8:0:1::/64"])"},
      {R"({"Condition": {"StringEquals": {"a": "b"}}})", R"({"Condition":{"StringEquals":{"a":"b"}}})"},
  };
  for (const auto& [value, wanted] : cases) EXPECT_EQ(evaluated(value, known()), wanted) << value;
}

TEST(Functions, AreRefusedInAwssWords) {
  const std::string join =
      "Template error: every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of strings "
      "to "
      "be joined or a function that returns a list of strings (such as Fn::GetAZs) to be joined.";
  const std::string split =
      "Template error: every Fn::Split object requires two parameters, (1) a string delimiter and (2) a string to be "
      "split "
      "or a function that returns a string to be split.";
  const std::string select =
      "Template error: Fn::Select requires a list argument with two elements: an integer index and a list";
  const std::string get_att =
      "Template error: every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource "
      "attribute";
  const std::string find =
      "Template error: every Fn::FindInMap object requires three parameters, the map name, map key and the attribute "
      "for "
      "return value";
  const std::string sub =
      "Template error: One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string as "
      "first "
      "argument, and an optional second argument to specify a mapping of values to replace in the string";
  const std::string stack_output =
      "Template error: every Fn::GetStackOutput object requires the String-typed parameters StackName and OutputName";
  const std::string unresolved = "Template format error: Unresolved resource dependencies ";
  const std::pair<const char*, std::string> cases[] = {
      {R"({"Ref": 5})", "Template error: every Ref object must have a single String value."},
      {R"({"Ref": "Gone"})", unresolved + "[Gone] in the Resources block of the template"},
      {R"([{"Ref": "B"}, {"Fn::Sub": "${A.Arn}${B}"}])", unresolved + "[B, A] in the Resources block of the template"},
      {R"({"Ref": "AWS::Nothing"})", unresolved + "[AWS::Nothing] in the Resources block of the template"},
      {R"({"Fn::GetAtt": ["Gone", "Arn"]})",
       "Template error: instance of Fn::GetAtt references undefined resource Gone"},
      {R"({"Fn::GetAtt": ["Q"]})", get_att},
      {R"({"Fn::GetAtt": ["Q", ""]})", get_att},
      {R"({"Fn::GetAtt": "Q"})", get_att},
      {R"({"Fn::Join": ["", "x"]})", join},
      {R"({"Fn::Join": [1, ["x"]]})", join},
      {R"({"Fn::Join": ["", [["x"]]]})", join},
      {R"({"Fn::Join": ["", {"Ref": "P"}]})", join},
      {R"({"Fn::Split": ["", "x"]})", split},
      {R"({"Fn::Split": [",", ["x"]]})", split},
      {R"({"Fn::Split": [",", {"Ref": "L"}]})", split},
      {R"({"Fn::Select": ["x", ["a"]]})", select},
      {R"({"Fn::Select": [0]})", select},
      {R"({"Fn::Select": [3, {"Ref": "L"}]})", "Template error: Fn::Select cannot select nonexistent value at index 3"},
      {R"({"Fn::FindInMap": ["M", "us-east-1"]})", find},
      {R"({"Fn::FindInMap": ["M", "x", "k"]})", "Template error: Unable to get mapping for M::x::k"},
      {R"({"Fn::FindInMap": ["O", "x", "k"]})",
       "Template error: Mapping named 'O' is not present in the 'Mappings' section of template."},
      {R"({"Fn::If": ["Maybe", 1, 2]})", "Template error: unresolved condition dependency Maybe in Fn::If"},
      {R"({"Fn::If": ["Yes", 1]})", "Template error: Fn::If requires a list argument with three elements"},
      {R"({"Fn::If": [{"Ref": "P"}, 1, 2]})",
       "Template error: Fn::If requires a list argument with the first element being a condition"},
      {R"({"Fn::Sub": ["x"]})", sub},
      {R"({"Fn::Sub": ["x", "y"]})", sub},
      {R"({"Fn::Sub": "${A-B}"})",
       "Template error: variable names in Fn::Sub syntax must contain only alphanumeric characters, underscores, "
       "periods, "
       "and colons"},
      {R"({"Fn::Sub": "${L}"})", "Template error: Fn::Sub expression does not resolve to a string"},
      {R"({"Fn::Base64": []})", "Template error: every Fn::Base64 object must have a String-typed value."},
      {R"({"Fn::ImportValue": "E-q"})", "No export named E-q found."},
      {R"({"Fn::ImportValue": {"Ref": "Q"}})",
       "Template error: the attribute in Fn::ImportValue must not depend on any resources, imported values, or Fn::GetAZs"},
      {R"({"Fn::ImportValue": {"Fn::GetStackOutput": {"StackName": "s", "OutputName": "o"}}})",
       "Template error: the attribute in Fn::ImportValue must not depend on any resources, imported values, or Fn::GetAZs"},
      {R"({"Fn::GetStackOutput": {"StackName": "s", "OutputName": "gone"}})",
       "TemplateError: Fn::GetStackOutput references output gone from stack s, but this output was not found."},
      {R"({"Fn::GetStackOutput": ["s", "o"]})", stack_output},
      {R"({"Fn::GetStackOutput": {"StackName": "s"}})", stack_output},
      {R"({"Fn::GetStackOutput": {"StackName": "s", "OutputName": ""}})", stack_output},
      {R"({"Fn::GetStackOutput": {"StackName": "s", "OutputName": {"Ref": "L"}}})", stack_output},
      {R"({"Fn::GetStackOutput": {"StackName": "s", "OutputName": "o", "Account": "1"}})", stack_output},
      {R"({"Fn::Cidr": ["10.0.0.0/24", 3, 8]})",
       "Template error: Fn::Cidr: 10.0.0.0/24 has no room for 3 blocks of 8 host bits"},
      {R"({"Fn::Cidr": ["10.0.0/24", 3, 8]})",
       "Template error: Fn::Cidr: 10.0.0/24 is not a block of addresses in CIDR notation"},
      {R"({"Fn::Equals": ["a", "a"]})",
       "Template error: encountered unsupported function: Fn::Equals Supported functions are"},
      {R"({"Fn::Length": []})", "Template error: encountered unsupported function: Fn::Length Supported functions are"},
      {R"({"Fn::Foo": 1})", "Template error: encountered unsupported function: Fn::Foo Supported functions are"},
      {R"({"a": [null]})", "[/Resources/X/Properties/Value/a/0] 'null' values are not allowed in templates"},
  };
  for (const auto& [value, message] : cases)
    EXPECT_THAT(evaluated(value, known()), testing::StartsWith(message)) << value;
}

TEST(Functions, SayWhatTheyNeedOfTheBranchesTheyTake) {
  const Template stack(parse(stack_with(
      R"([{"Ref": "Q"}, {"Fn::GetAtt": ["Q", "Arn"]}, {"Fn::Sub": "${R.TopicName}${P}"},
          {"Fn::ImportValue": {"Fn::Sub": "E-${P}"}},
          {"Fn::If": ["No", {"Ref": "R"}, {"Ref": "N"}]}, {"Fn::Select": [0, {"Fn::GetAtt": ["R", "List"]}]}])")));
  const Scope scope(stack, inputs_of(stack));
  const json::Value properties = stack.resource("X")->properties;
  const Needs needs = scope.needs(properties);
  EXPECT_THAT(needs.refs, ElementsAre("Q"));
  EXPECT_THAT(needs.attributes, ElementsAre(Pair("Q", "Arn"), Pair("R", "List"), Pair("R", "TopicName")));
  EXPECT_THAT(needs.imports, ElementsAre("E-p"));
  EXPECT_THAT(needs.resources(), ElementsAre("Q", "R"));
  EXPECT_THAT(scope.parameters_used(properties), ElementsAre("N", "P"));
}

TEST(Functions, NameOutputsOfStacksOnceTheirResourcesAreKnown) {
  const Template stack(parse(stack_with(
      R"([{"Fn::GetStackOutput": {"StackName": {"Ref": "Q"}, "OutputName": "o"}},
          {"Fn::GetStackOutput": {"StackName": "s", "OutputName": "o", "Region": "eu-west-1"}}])")));
  const Scope scope(stack, inputs_of(stack));
  const json::Value properties = stack.resource("X")->properties;
  const Needs first = scope.needs(properties);
  EXPECT_THAT(first.refs, ElementsAre("Q"));
  EXPECT_THAT(first.outputs, ElementsAre(OutputOfStack{"s", "o", "eu-west-1", ""},
                                         OutputOfStack{std::string(kKnownAfterApply), "o", "", ""}));
  Known later = known();
  later.partial = true;
  EXPECT_THAT(scope.needs(properties, later).outputs,
              ElementsAre(OutputOfStack{"https://q", "o", "", ""}, OutputOfStack{"s", "o", "eu-west-1", ""}));
}

TEST(Functions, OfOtherStacksAreNotTakenInConditions) {
  const auto refusal = [](const std::string& operand) -> std::string {
    try {
      const Template stack(parse(R"({"Conditions": {"C": {"Fn::Not": [{"Fn::Equals": [)" + operand +
                                 R"(, "x"]}]}}, "Resources": {"A": {"Type": "T::T::T"}}})"));
    } catch (const TemplateError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(R"({"Fn::GetStackOutput": {"StackName": "s", "OutputName": "o"}})"),
            "Template error: Cannot use Fn::GetStackOutput in Conditions.");
  EXPECT_EQ(refusal(R"({"Fn::ImportValue": "e"})"), "Template error: Cannot use Fn::ImportValue in Conditions.");
}

TEST(Functions, LeaveUnknownWhatIsKnownAfterTheDeployment) {
  Known later = known();
  later.attributes.clear();
  later.partial = true;
  const std::pair<const char*, const char*> cases[] = {
      {R"({"Fn::GetAtt": ["Q", "Arn"]})", R"("{{changeSet:KNOWN_AFTER_APPLY}}")"},
      {R"({"Fn::Sub": "a-${Q.Arn}-${Q}"})", R"("a-{{changeSet:KNOWN_AFTER_APPLY}}-https://q")"},
      {R"({"Fn::Select": [5, {"Fn::GetAtt": ["R", "List"]}]})", R"("{{changeSet:KNOWN_AFTER_APPLY}}")"},
      {R"({"Fn::Select": [5, {"Fn::Split": [":", {"Fn::GetAtt": ["Q", "Arn"]}]}]})",
       R"("{{changeSet:KNOWN_AFTER_APPLY}}")"},
      {R"({"Fn::Join": ["", {"Fn::GetAtt": ["R", "List"]}]})", R"("{{changeSet:KNOWN_AFTER_APPLY}}")"},
      {R"({"Fn::GetStackOutput": {"StackName": "other", "OutputName": "o"}})",
       R"("{{changeSet:KNOWN_AFTER_APPLY}}")"},
      {R"({"Fn::ImportValue": "other"})", R"("{{changeSet:KNOWN_AFTER_APPLY}}")"},
      {R"({"Fn::Join": ["", ["x", {"Ref": "P"}]]})", R"("xp")"},
  };
  for (const auto& [value, wanted] : cases) EXPECT_EQ(evaluated(value, later), wanted) << value;
}

// What they look up or take apart by such a value has no place where the value itself is hidden: there they come to
// "****", too, and do not fail.
TEST(Functions, UseParametersWithoutEchoAndHideThemWhereTheyAreShown) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"Fn::ImportValue": {"Fn::Sub": "E-${SecretP}"}})", R"("exported")"},
      {R"({"Fn::GetStackOutput": {"StackName": {"Ref": "SecretP"}, "OutputName": "o", "Region": "eu-west-1",
                                  "RoleArn": "arn:r"}})", R"("told far away")"},
      {R"({"Fn::GetAtt": ["Q", {"Fn::Select": [{"Ref": "SecretN"}, ["x", "Arn"]]}]})", R"("arn:q")"},
      {R"({"Fn::FindInMap": ["M", {"Ref": "SecretRegion"}, "k"]})", R"("v")"},
      {R"({"Fn::Select": [{"Ref": "SecretN"}, ["x", "y"]]})", R"("y")"},
      {R"({"Fn::Select": [2, {"Ref": "SecretL"}]})", R"("c")"},
      {R"({"Fn::Select": [2, {"Fn::Split": ["-", {"Ref": "SecretRegion"}]}]})", R"("1")"},
      {R"({"Fn::Join": ["+", {"Ref": "SecretL"}]})", R"("a+b+c")"},
      {R"({"Fn::Select": [1, {"Fn::GetAZs": {"Ref": "SecretRegion"}}]})", R"("us-east-1b")"},
      {R"({"Fn::Cidr": ["10.0.0.0/24", {"Ref": "SecretN"}, 8]})", R"(["10.0.0.0/24"])"},
  };
  Known hidden = known();
  hidden.hides_no_echo = true;
  for (const auto& [value, wanted] : cases) {
    EXPECT_EQ(evaluated(value, known()), wanted) << value;
    EXPECT_EQ(evaluated(value, hidden), R"("****")") << value;
  }
  // Which way a condition took is no secret: it is decided by the values themselves.
  const std::string_view chosen = R"({"Fn::If": ["Open", "then", {"Ref": "SecretP"}]})";
  EXPECT_EQ(evaluated(chosen, known()), R"("then")");
  EXPECT_EQ(evaluated(chosen, hidden), R"("then")");
  // A part of a text, and a list of which a part is hidden, show the rest.
  EXPECT_EQ(evaluated(R"({"Fn::Sub": "{{resolve:ssm:/${SecretP}}}"})", hidden), R"("{{resolve:ssm:/****}}")");
  EXPECT_EQ(evaluated(R"({"Fn::Select": [1, [{"Ref": "SecretP"}, "y"]]})", hidden), R"("y")");
}

TEST(Functions, MakeNoMoreOfAValueThanTheirBound) {
  std::string sub = R"({"Fn::Sub": ")";
  for (int i = 0; i < 2000; ++i) sub += "${Q}";
  Known large = known();
  large.refs["Q"] = std::string(4096, 'q');
  EXPECT_EQ(evaluated(sub + "\"}", large),
            "Template error: what functions make of a value may not exceed 4000000 bytes");
}

}  // namespace
}  // namespace tidemill::lang::templates
