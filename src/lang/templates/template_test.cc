// Templates: their sections, parameters, rules, dependencies, dynamic references, capabilities.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/templates/dynamic_reference.h"
#include "lang/templates/graph.h"
#include "lang/templates/parse.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using testing::ElementsAre;

template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const TemplateError& error) {
    return error.what();
  }
  return "";
}

TEST(Template, TellsItsSections) {
  const Template stack(parse(R"(
AWSTemplateFormatVersion: 2010-09-09
Description: d
Metadata: {a: b}
Parameters: {P: {Type: Number, Default: 5, NoEcho: true, MinValue: "1", AllowedValues: [5, 6], Description: n}}
Mappings: {M: {a: {b: c}}}
Conditions: {C: !Equals [!Ref P, 5]}
Resources:
  B:
    Type: AWS::SQS::Queue
    Condition: C
    DependsOn: A
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Snapshot
    Metadata: {k: v}
    CreationPolicy: {ResourceSignal: {Count: 1}}
    UpdatePolicy: {UseOnlineResharding: true}
    Properties: {DelaySeconds: 1}
  A: {Type: "Custom::Thing", DependsOn: []}
Outputs: {O: {Value: !Ref A, Export: {Name: e}, Condition: C, Description: o}}
)"));
  EXPECT_EQ(stack.description(), "d");
  ASSERT_EQ(stack.parameters().size(), 1U);
  const Parameter& parameter = stack.parameters()[0];
  EXPECT_EQ(parameter.default_value, "5");
  EXPECT_TRUE(parameter.no_echo);
  EXPECT_EQ(parameter.min_value, 1);
  EXPECT_THAT(*parameter.allowed_values, ElementsAre("5", "6"));
  ASSERT_EQ(stack.resources().size(), 2U);
  const Resource& resource = stack.resources()[0];
  EXPECT_EQ(resource.name, "B");
  EXPECT_EQ(resource.condition, "C");
  EXPECT_THAT(resource.depends_on, ElementsAre("A"));
  EXPECT_EQ(resource.deletion_policy, "RetainExceptOnCreate");
  EXPECT_EQ(resource.update_replace_policy, "Snapshot");
  EXPECT_EQ(json::write(resource.properties), R"({"DelaySeconds":1})");
  EXPECT_EQ(json::write(resource.creation_policy), R"({"ResourceSignal":{"Count":1}})");
  EXPECT_EQ(stack.resource("A")->type, "Custom::Thing");
  EXPECT_EQ(stack.resource("O"), nullptr);
  ASSERT_EQ(stack.outputs().size(), 1U);
  EXPECT_EQ(json::write(stack.outputs()[0].export_name), R"("e")");
}

TEST(Template, IsRefusedInAwssWords) {
  const std::string resources = "Resources: {A: {Type: T::T::T}}";
  const std::pair<std::string, const char*> cases[] = {
      {"Resources: {}", "Template format error: At least one Resources member must be defined."},
      {"Description: d", "Template format error: At least one Resources member must be defined."},
      {"Resources: {A: x}", "Template format error: Any Resources member must be an object."},
      {"Resources: {A: {Properties: {}}}",
       "Template format error: [/Resources/A] Every Resources object must contain a Type member."},
      {"Resources: {A: {Type: T::T::T, Invalid: 1}}", "Invalid template resource property 'Invalid'"},
      {"Resources: {A-B: {Type: T::T::T}}", "Template format error: Resource name A-B is non alphanumeric."},
      {"Resources: {A: {Type: T::T::T, DeletionPolicy: Keep}}",
       "Template format error: Unrecognized DeletionPolicy Keep for resource A"},
      {"Resources: {A: {Type: T::T::T, UpdateReplacePolicy: RetainExceptOnCreate}}",
       "Template format error: Unrecognized UpdateReplacePolicy RetainExceptOnCreate for resource A"},
      {"Resources: {A: {Type: T::T::T, DeletionPolicy: !Ref P}}",
       "Template format error: Every DeletionPolicy member must be a string."},
      {"Resources: {A: {Type: T::T::T, DependsOn: 5}}",
       "Template format error: DependsOn must be a string or list of strings."},
      {"Resources: {A: {Type: T::T::T, DependsOn: [B]}}",
       "Template format error: Unresolved resource dependencies [B] in the Resources block of the template"},
      {"Resources: {A: {Type: T::T::T, Condition: C}}", "Template format error: Condition C is not defined."},
      {"Resources: {A: {Type: T::T::T}, B: 1, C: null}", "[/Resources/C] 'null' values are not allowed in templates"},
      {resources + "\nBogus: 1\nOther: 2", "Invalid template property or properties [Bogus, Other]"},
      {resources + "\nAWSTemplateFormatVersion: 2011-01-01",
       "Template format error: unsupported value for AWSTemplateFormatVersion."},
      {resources + "\nDescription: " + std::string(1025, 'd'),
       "Template format error: 'Description' length is greater than 1024."},
      {resources + "\nOutputs: {O: {Description: x}}",
       "Template format error: Every Outputs member must contain a Value object"},
      {resources + "\nOutputs: {O: {Value: null}}", "[/Outputs/O/Value] 'null' values are not allowed in templates"},
      {resources + "\nOutputs: {O: {Value: !Ref B}}",
       "Template format error: Unresolved resource dependencies [B] in the Outputs block of the template"},
      {resources + "\nOutputs: {O: {'Fn::Sub': x}}", "Template format error: Invalid outputs property : [Fn::Sub]"},
      {resources + "\nMappings: {M: x}", "Template format error: Every Mappings member M must be a map"},
      {resources + "\nMappings: {M: {a: {b: {c: d}}}}",
       "Template format error: Every Mappings attribute must be a String or a List."},
      {resources + "\nConditions: {C: true}", ""},
      {resources + "\nConditions: {C: !Equals [!Ref A, x]}",
       "Template format error: Unresolved dependencies [A]. Cannot reference resources in the Conditions block of the "
       "template"},
      {resources + "\nConditions: {C: !Not [!Condition D]}",
       "Template format error: Unresolved condition dependency D in the Conditions block of the template"},
      {resources + "\nConditions: {C: !Equals [x]}",
       "Template error: every Fn::Equals object requires a list of 2 string parameters."},
      {resources + "\nParameters: {A: {Type: String}}",
       "Template error: all resources and parameters must have unique names. Common name(s):[A]"},
      {resources + "\nParameters: {P: {}}",
       "Template format error: Every Parameters object must contain a Type member."},
      {resources + "\nParameters: {P: {Type: Text}}", "Template format error: Unrecognized parameter type: Text"},
      {resources + "\nParameters: {P: {Type: String, Foo: 1}}", "Invalid template parameter property 'Foo'"},
      {resources + "\nParameters: {'AWS::NoValue': {Type: String}}",
       "Template format error: Parameter name AWS::NoValue is non alphanumeric."},
      {resources + "\nRules: {R: {}}", "Template format error: Every Rules object must contain an Assertions member."},
      {resources + "\nHooks: {H: {}}", "Template format error: Hooks are not supported"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal([&] { (void)Template(parse(text)); }), message) << text;
}

TEST(Template, HasNoMoreMembersThanItsQuotas) {
  const auto many = [](const char* section, int count, const char* body) {
    std::string text = std::string(section) + ":\n";
    for (int i = 0; i < count; ++i) text += "  N" + std::to_string(i) + ": " + body + "\n";
    return section == std::string("Resources") ? text : text + "Resources: {A: {Type: T::T::T}}";
  };
  const auto read = [](const std::string& text) { return refusal([&] { (void)Template(parse(text)); }); };
  EXPECT_EQ(read(many("Resources", 500, "{Type: T::T::T}")), "");
  EXPECT_EQ(read(many("Resources", 501, "{Type: T::T::T}")),
            "Template format error: Number of resources, 501, is greater than maximum allowed, 500");
  EXPECT_EQ(read(many("Parameters", 201, "{Type: String}")),
            "Template format error: Number of parameters, 201, is greater than maximum allowed, 200");
  EXPECT_EQ(read(many("Outputs", 201, "{Value: x}")),
            "Template format error: Number of outputs, 201, is greater than maximum allowed, 200");
  EXPECT_EQ(read(many("Mappings", 201, "{a: {b: c}}")),
            "Template format error: Number of mappings, 201, is greater than maximum allowed, 200");
  const auto mapping = [&](int attributes) {
    std::string row;
    for (int i = 0; i < attributes; ++i) row += (i == 0 ? "a" : ", a") + std::to_string(i) + ": b";
    return "Mappings: {M: {one: {" + row + "}}}\nResources: {A: {Type: T::T::T}}";
  };
  EXPECT_EQ(read(mapping(200)), "");
  EXPECT_EQ(read(mapping(201)),
            "Template format error: Number of mapping attributes, 201, is greater than maximum allowed, 200");
}

// ---- Parameters ----

Template with_parameter(const std::string& declaration) {
  return Template(parse("Parameters: {P: {" + declaration + "}}\nResources: {A: {Type: T::T::T}}"));
}

std::string resolved(const std::string& declaration, std::optional<std::string> value) {
  return refusal([&] {
    (void)resolve_parameters(with_parameter(declaration).parameters(),
                             std::vector<GivenParameter>{{.key = "P", .value = value}});
  });
}

TEST(Parameters, AreCheckedInAwssWords) {
  struct Case {
    const char* declaration;
    const char* value;
    const char* message;
  };
  const Case cases[] = {
      {"Type: String, AllowedValues: [a, b]", "a", ""},
      {"Type: String, AllowedValues: [a, b]", "c", "Parameter 'P' must be one of AllowedValues"},
      {"Type: CommaDelimitedList, AllowedValues: [a, b]", "a, b", ""},
      {"Type: CommaDelimitedList, AllowedValues: [a, b]", "a,c", "Parameter 'P' must be one of AllowedValues"},
      {"Type: String, AllowedPattern: '[a-z]+'", "abc", ""},
      {"Type: String, AllowedPattern: '[a-z]+'", "abc1", "Parameter 'P' must match pattern [a-z]+"},
      {"Type: String, AllowedPattern: '[a-z]+', ConstraintDescription: letters", "1",
       "Parameter P failed to satisfy constraint: letters"},
      {"Type: String, MinLength: 2", "a", "Parameter 'P' must contain at least 2 characters"},
      {"Type: String, MaxLength: 2", "\u00e9\u00e9", ""},
      {"Type: String, MaxLength: 2", "abc", "Parameter 'P' must contain at most 2 characters"},
      {"Type: Number", "-1.5e3", ""},
      {"Type: Number", "one", "Parameter 'P' must be a number."},
      {"Type: Number, MinValue: 5", "4", "Parameter 'P' must be a number not less than 5"},
      {"Type: Number, MaxValue: 5", "6", "Parameter 'P' must be a number not greater than 5"},
      {"Type: List<Number>", "1, 2", ""},
      {"Type: List<Number>", "1, x", "Parameter 'P' must be a number."},
      {"Type: 'AWS::EC2::AvailabilityZone::Name'", "us-east-1a", ""},
      {"Type: 'AWS::EC2::VPC::Id'", "vpc-1",
       "Parameter validation failed: parameter value vpc-1 for parameter name P does not exist"},
  };
  for (const Case& each : cases) EXPECT_EQ(resolved(each.declaration, each.value), each.message) << each.declaration;
  EXPECT_THAT(resolved("Type: String, AllowedPattern: '(?=a)'", "a"),
              testing::HasSubstr("AllowedPattern that cannot be used here"));
}

TEST(Parameters, ComeFromTheCallerTheStackBeforeOrTheTemplate) {
  const Template stack(parse(R"(
Parameters: {A: {Type: String}, B: {Type: String, Default: b}, C: {Type: String}}
Resources: {R: {Type: T::T::T}}
)"));
  const ParameterValues previous = {{"C", {.value = "c"}}};
  using Given = std::vector<GivenParameter>;
  const auto resolve = [&](const Given& given, const ParameterValues* before) {
    return resolve_parameters(stack.parameters(), given, before);
  };
  const ParameterValues values = resolve({{.key = "A", .value = "a"}, {.key = "C", .use_previous = true}}, &previous);
  EXPECT_EQ(values.at("A").value, "a");
  EXPECT_EQ(values.at("B").value, "b");
  EXPECT_EQ(values.at("C").value, "c");
  EXPECT_EQ(refusal([&] { (void)resolve({}, nullptr); }), "Parameters: [A, C] must have values");
  EXPECT_EQ(refusal([&] { (void)resolve({{.key = "X", .value = "x"}}, nullptr); }),
            "Parameters: [X] do not exist in the template");
  const char* not_before =
      "Invalid input for parameter key A. Cannot specify usePreviousValue as true for a parameter key not in the "
      "previous template";
  EXPECT_EQ(refusal([&] { (void)resolve({{.key = "A", .use_previous = true}}, nullptr); }), not_before);
  EXPECT_EQ(refusal([&] { (void)resolve({{.key = "A", .use_previous = true}}, &previous); }), not_before);
}

Template template_of_stored_parameters() {
  return Template(parse(R"(
Parameters:
  A: {Type: "AWS::SSM::Parameter::Value<String>", Default: /a}
  L: {Type: "AWS::SSM::Parameter::Value<List<String>>", Default: /l}
  N: {Type: "AWS::SSM::Parameter::Name", Default: /n}
Resources: {R: {Type: T::T::T}}
)"));
}

TEST(Parameters, OfTheParameterStoreAreNamedThenKnown) {
  const Template stack = template_of_stored_parameters();
  ParameterValues values = resolve_parameters(stack.parameters(), {});
  EXPECT_THAT(stored_names(stack.parameters(), values), ElementsAre("/a", "/l", "/n"));
  set_stored(stack.parameters(), values, {{"/a", "1"}, {"/l", "x,y"}, {"/n", "z"}});
  EXPECT_EQ(values.at("A").value, "/a");
  EXPECT_EQ(values.at("A").resolved, "1");
  EXPECT_EQ(json::write(parameter_as_value(*stack.parameter("L"), values.at("L"))), R"(["x","y"])");
  EXPECT_EQ(json::write(parameter_as_value(*stack.parameter("N"), values.at("N"))), R"("/n")");
  EXPECT_EQ(refusal([&] {
              set_stored(stack.parameters(), values, {{"/n", "z"}});
            }),
            "Unable to fetch parameters [/a, /l] from parameter store for this account.");
  EXPECT_EQ(refusal([&] {
              set_stored(stack.parameters(), values, {{"/a", "1"}, {"/l", "x"}});
            }),
            "Parameter validation failed: parameter value /n for parameter name N does not exist");
}

TEST(Parameters, OfTheParameterStoreTellNoSecrets) {
  const Template stack = template_of_stored_parameters();
  ParameterValues values = resolve_parameters(stack.parameters(), {});
  EXPECT_EQ(refusal([&] {
              set_stored(stack.parameters(), values, {{"/a", std::nullopt}, {"/l", std::nullopt}, {"/n", "z"}});
            }),
            "Parameters [/a, /l] referenced by template have types not supported by CloudFormation.");
  set_stored(stack.parameters(), values, {{"/a", "1"}, {"/l", "x,y"}, {"/n", std::nullopt}});
  EXPECT_EQ(json::write(parameter_as_value(*stack.parameter("N"), values.at("N"))), R"("/n")");
}

// ---- Rules ----

TEST(Rules, HoldOrSayWhatTheirAssertionsSay) {
  const auto check = [](const std::string& version) {
    const Template stack(parse(R"(
Parameters:
  Version: {Type: String, Default: ")" +
                               version + R"("}
  Zones: {Type: CommaDelimitedList, Default: "a,b"}
Rules:
  Check:
    Assertions:
      - Assert: !Not [!Contains [["1", "2"], !Ref Version]]
        AssertDescription: version 3 is required
  Zones:
    RuleCondition: !Equals [!Ref Version, "4"]
    Assertions:
      - {Assert: !EachMemberIn [!Ref Zones, [a, c]], AssertDescription: zones}
      - {Assert: !EachMemberEquals [[x, x], x], AssertDescription: never}
Resources: {R: {Type: T::T::T}}
)"));
    return refusal([&] { check_rules(stack, {.parameters = resolve_parameters(stack.parameters(), {})}); });
  };
  EXPECT_EQ(check("3"), "");
  EXPECT_EQ(check("2"), "version 3 is required");
  EXPECT_EQ(check("4"), "zones");
}

// ---- Dependencies ----

std::string order_of(const std::string& text, std::vector<std::string>* order = nullptr) {
  return refusal([&] {
    const Template stack(parse(text));
    const Scope scope(stack, {.parameters = resolve_parameters(stack.parameters(), {})});
    const Graph graph(scope);
    if (order != nullptr) *order = graph.order();
  });
}

TEST(Dependencies, OrderResourcesAsTheyRefer) {
  std::vector<std::string> order;
  EXPECT_EQ(order_of(R"(
Conditions: {No: !Equals [a, b]}
Resources:
  E: {Type: T::T::T, Metadata: {m: !Ref D}}
  D: {Type: T::T::T, Properties: {P: !Sub "${C.Arn}"}}
  C: {Type: T::T::T, DependsOn: [A, Off], Properties: {P: !If [No, !Ref E, !GetAtt B.X]}}
  B: {Type: T::T::T}
  A: {Type: T::T::T}
  Off: {Type: T::T::T, Condition: No, Properties: {P: !Ref E}}
)",
                     &order),
            "");
  EXPECT_THAT(order, ElementsAre("B", "A", "C", "D", "E"));
}

TEST(Dependencies, AreRefusedInAwssWords) {
  EXPECT_EQ(order_of("Resources: {A: {Type: T::T::T, DependsOn: B}, B: {Type: T::T::T, Properties: {P: !Ref A}}, "
                     "C: {Type: T::T::T, DependsOn: B}}"),
            "Circular dependency between resources: [A, B]");
  EXPECT_EQ(order_of("Resources: {A: {Type: T::T::T, DependsOn: A}}"), "Circular dependency between resources: [A]");
  const std::string off =
      "Conditions: {No: !Equals [a, b]}\nResources:\n  Off: {Type: T::T::T, Condition: No}\n  A: {Type: T::T::T";
  EXPECT_EQ(order_of(off + ", Properties: {P: !Ref Off}}"),
            "Template format error: Unresolved resource dependencies [Off] in the Resources block of the template");
  EXPECT_EQ(order_of(off + "}\nOutputs: {O: {Value: !GetAtt Off.Arn}}"),
            "Unresolved resource dependencies [Off] in the Outputs block of the template");
  EXPECT_EQ(order_of(off + "}\nOutputs: {O: {Value: !Ref Off, Condition: No}}"), "");
}

TEST(Conditions, AreDecidedOfEachOther) {
  const auto decide = [](const std::string& conditions) {
    const Template stack(parse("Resources: {A: {Type: T::T::T}}\nConditions:\n" + conditions));
    const Scope scope(stack, {});
    return scope.condition("C");
  };
  EXPECT_TRUE(decide("  C: !And [!Condition D, !Or [!Equals [1, 2], !Equals [x, x]]]\n  D: !Not [!Equals [a, b]]"));
  EXPECT_FALSE(decide("  C: !And [!Equals [a, b], !Equals [a, a]]"));
  EXPECT_EQ(refusal([&] { (void)decide("  C: !Not [!Condition D]\n  D: !Not [!Condition C]"); }),
            "Template format error: Circular dependency between conditions: [C]");
  EXPECT_EQ(refusal([&] { (void)decide("  C: !And [!Equals [a, a]]"); }),
            "Template error: every Fn::And object requires a list of at least 2 and at most 10 boolean parameters.");
  EXPECT_EQ(refusal([&] { (void)decide("  C: !Ref AWS::Region"); }),
            "Template format error: Conditions can only be boolean operations on parameters and other conditions");
  std::string chain = "  C: !Not [!Condition N0]\n";
  for (int i = 0; i < 2000; ++i)
    chain += "  N" + std::to_string(i) + ": !Not [!Condition N" + std::to_string(i + 1) + "]\n";
  EXPECT_EQ(refusal([&] { (void)decide(chain + "  N2000: !Equals [a, a]"); }),
            "Template error: functions and conditions are nested too deeply");
}

// ---- Dynamic references ----

TEST(DynamicReferences, AreFoundAndReplaced) {
  const json::Value value = *json::parse(R"({"a": "x{{resolve:ssm:/p/q:3}}y{{resolve:ssm-secure:s}}",
    "b": ["{{resolve:secretsmanager:name}}",
          "{{resolve:secretsmanager:arn:aws:secretsmanager:r:1:secret:n-x:SecretString:k:AWSPREVIOUS}}"],
    "c": "{{resolve:ssm:/p/q:3}} {{other}} {{resolve:ssm:open"})");
  const auto found = dynamic_references(value);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].id, "/p/q");
  EXPECT_EQ(found[0].version, "3");
  EXPECT_EQ(found[1].service, DynamicReference::Service::ssm_secure);
  EXPECT_EQ(found[2].id, "name");
  EXPECT_EQ(found[3].id, "arn:aws:secretsmanager:r:1:secret:n-x");
  EXPECT_EQ(found[3].json_key, "k");
  EXPECT_EQ(found[3].version_stage, "AWSPREVIOUS");
  const json::Value replaced =
      replace_dynamic_references(value, {{found[0].text, "P"}, {found[1].text, "{{resolve:ssm:/p/q:3}}"}});
  EXPECT_EQ(json::write(*replaced.find("a")), R"("xPy{{resolve:ssm:/p/q:3}}")");
  EXPECT_EQ(json::write(*replaced.find("c")), R"("P {{other}} {{resolve:ssm:open")");
}

TEST(DynamicReferences, ToSecureStringsTellWhereTheyStand) {
  const json::Value value = *json::parse(R"({"Name": "{{resolve:ssm:p}}",
    "Environment": {"Variables": {"A": "x{{resolve:ssm-secure:s:1}}{{resolve:ssm-secure:s:1}}",
                                  "B": "{{resolve:ssm:p}}"}},
    "Stages": [{"Token": "{{resolve:ssm-secure:t}}"}, "{{resolve:secretsmanager:ssm-secure}}"]})");
  EXPECT_THAT(places_of_secure_references(value, "T/Properties"),
              ElementsAre("T/Properties/Environment/Variables/A", "T/Properties/Environment/Variables/A",
                          "T/Properties/Stages"));
}

TEST(DynamicReferences, AreRefusedIfMalformed) {
  for (const char* text : {"{{resolve:ssm:}}", "{{resolve:s3:x}}", "{{resolve:secretsmanager:n:SecretBinary}}",
                           "{{resolve:ssm:a:b}}", "{{resolve:secretsmanager:n:SecretString:k:stage:version}}"}) {
    EXPECT_THAT(refusal([&] { (void)dynamic_references(json::Value(text)); }),
                testing::StartsWith("Incorrect format is used in the following dynamic reference: [resolve:"))
        << text;
  }
}

// ---- Capabilities ----

TEST(Capabilities, AreAskedForByWhatIsMade) {
  const auto asked = [](const std::string& resources) {
    return required_capabilities(Template(parse("Resources: {" + resources + "}")));
  };
  EXPECT_THAT(asked("A: {Type: AWS::SQS::Queue}").names, ElementsAre());
  const Capabilities unnamed = asked(
      "A: {Type: AWS::IAM::Role}, B: {Type: AWS::IAM::Policy, Properties: {PolicyName: p}}, C: {Type: AWS::IAM::Role}");
  EXPECT_THAT(unnamed.names, ElementsAre("CAPABILITY_IAM"));
  EXPECT_THAT(unnamed.resource_types, ElementsAre("AWS::IAM::Role", "AWS::IAM::Policy"));
  EXPECT_THAT(asked("A: {Type: AWS::IAM::Role, Properties: {RoleName: !Sub x}}").names,
              ElementsAre("CAPABILITY_NAMED_IAM"));
}

}  // namespace
}  // namespace tidemill::lang::templates
