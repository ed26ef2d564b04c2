// Templates as they are written, and as they are processed.
#include "lang/templates/transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/templates/parse.h"

namespace tidemill::lang::templates {
namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

Inputs inputs_of(const json::Value& document) {
  return {.pseudo = {.account_id = "123456789012", .region = "us-east-1"},
          .parameters = resolve_parameters(Template::of_original(document).parameters(), {})};
}

// The processed template's member of that name, or what the transform refuses it with.
std::string processed(std::string_view text, std::string_view section, const Texts& included = {}) {
  try {
    const json::Value document = parse(text);
    const json::Value out = transform(document, inputs_of(document), included);
    const json::Value* member = out.find(section);
    return member == nullptr ? "none" : json::write(*member);
  } catch (const TemplateError& error) {
    return error.what();
  }
}

// With AWS::LanguageExtensions and `properties` of its resource R.
std::string extended(std::string_view properties) {
  const std::string text = R"({
    "Transform": "AWS::LanguageExtensions",
    "Parameters": {"P": {"Type": "String", "Default": "p"}, "L": {"Type": "CommaDelimitedList", "Default": "a,b"}},
    "Mappings": {"M": {"p": {"k": ["v", "w"]}}},
    "Conditions": {"Yes": {"Fn::Equals": [{"Ref": "P"}, "p"]}},
    "Resources": {"Q": {"Type": "T::T::T"}, "R": {"Type": "T::T::T", "Properties": {"V": )" +
                           std::string(properties) + "}}}}";
  const std::string resources = processed(text, "Resources");
  const auto document = json::parse(resources);
  return document ? json::write(*document->find("R")->find("Properties")->find("V")) : resources;
}

TEST(LanguageExtensions, GiveLengths) {
  EXPECT_EQ(extended(R"({"Fn::Length": [1, {"Ref": "Q"}, 3]})"), "3");
  EXPECT_EQ(extended(R"({"Fn::Length": {"Ref": "L"}})"), "2");
  EXPECT_EQ(extended(R"({"Fn::Length": {"Fn::Split": ["|", "a|b|c"]}})"), "3");
  EXPECT_EQ(extended(R"({"Fn::Length": {"Fn::FindInMap": ["M", {"Ref": "P"}, "k"]}})"), "2");
  EXPECT_EQ(extended(R"({"Fn::Length": {"Ref": "P"}})"),
            "Transform AWS::LanguageExtensions failed with: The Fn::Length value could not be resolved for properties");
}

TEST(LanguageExtensions, GiveJsonTexts) {
  EXPECT_EQ(extended(R"({"Fn::ToJsonString": {"a": [1, {"Ref": "P"}, {"Ref": "L"}], "b": {"Ref": "AWS::NoValue"}}})"),
            R"("{\"a\":[1,\"p\",[\"a\",\"b\"]]}")");
  EXPECT_EQ(extended(R"({"Fn::ToJsonString": {"a": {"Fn::GetAtt": ["Q", "Arn"]}, "b": 1}})"),
            R"({"Fn::Join":["",["{\"a\":\"",{"Fn::GetAtt":["Q","Arn"]},"\",\"b\":1}"]]})");
  EXPECT_EQ(extended(R"({"Fn::ToJsonString": [{"Fn::If": ["Yes", {"q": {"Ref": "Q"}}, 1]}, {"Fn::If": ["Yes", {"Ref": )"
                     R"("AWS::NoValue"}, 1]}]})"),
            R"({"Fn::Join":["",["[{\"q\":\"",{"Ref":"Q"},"\"}]"]]})");
}

TEST(LanguageExtensions, GiveDefaultsOfMappings) {
  EXPECT_EQ(extended(R"({"Fn::FindInMap": ["M", "p", "k", {"DefaultValue": "d"}]})"), R"(["v","w"])");
  EXPECT_EQ(extended(R"({"Fn::FindInMap": ["M", "x", "k", {"DefaultValue": {"Ref": "Q"}}]})"), R"({"Ref":"Q"})");
  EXPECT_EQ(extended(R"({"Fn::FindInMap": ["M", "x", "k", 5]})"),
            "Transform AWS::LanguageExtensions failed with: Fn::FindInMap layout is incorrect");
}

TEST(LanguageExtensions, RepeatWhatForEachSays) {
  EXPECT_EQ(processed(R"(
Transform: AWS::LanguageExtensions
Parameters: {Names: {Type: CommaDelimitedList, Default: "alpha,be-ta"}}
Resources:
  Fn::ForEach::Queues:
    - Name
    - !Ref Names
    - Queue&{Name}:
        Type: AWS::SQS::Queue
        DeletionPolicy: !Sub Retain
        Properties:
          QueueName: !Sub "${Name}-${AWS::Region}"
          Tags: [{Key: name, Value: !Ref Name}]
          Fn::ForEach::Inner:
            - X
            - [A, B]
            - "Key${X}": !GetAtt [!Sub "Queue${X}", Arn]
)",
                      "Resources"),
            R"({"Queuealpha":{"Type":"AWS::SQS::Queue","DeletionPolicy":"Retain","Properties":{)"
            R"("QueueName":{"Fn::Sub":"alpha-${AWS::Region}"},"Tags":[{"Key":"name","Value":"alpha"}],)"
            R"("KeyA":{"Fn::GetAtt":["QueueA","Arn"]},"KeyB":{"Fn::GetAtt":["QueueB","Arn"]}}},)"
            R"("Queuebeta":{"Type":"AWS::SQS::Queue","DeletionPolicy":"Retain","Properties":{)"
            R"("QueueName":{"Fn::Sub":"be-ta-${AWS::Region}"},"Tags":[{"Key":"name","Value":"be-ta"}],)"
            R"("KeyA":{"Fn::GetAtt":["QueueA","Arn"]},"KeyB":{"Fn::GetAtt":["QueueB","Arn"]}}}})");
}

TEST(LanguageExtensions, RepeatConditionsAndOutputsToo) {
  const std::string_view text = R"(
Transform: [AWS::LanguageExtensions]
Conditions:
  Fn::ForEach::C: [I, [a, b], {"Is${I}": !Equals [!Ref I, a]}]
Resources:
  Fn::ForEach::R: [I, [a, b], {"R${I}": {Type: "T::T::T", Condition: !Sub "Is${I}"}}]
Outputs:
  Fn::ForEach::O: [I, [a], {"O${I}": {Value: !Ref {"Fn::Sub": "R${I}"}}}]
)";
  EXPECT_EQ(processed(text, "Conditions"), R"({"Isa":{"Fn::Equals":["a","a"]},"Isb":{"Fn::Equals":["b","a"]}})");
  EXPECT_EQ(processed(text, "Resources"),
            R"({"Ra":{"Type":"T::T::T","Condition":"Isa"},"Rb":{"Type":"T::T::T","Condition":"Isb"}})");
  EXPECT_EQ(processed(text, "Outputs"), R"({"Oa":{"Value":{"Ref":"Ra"}}})");
  EXPECT_EQ(processed(text, "Transform"), "none");
}

TEST(LanguageExtensions, RefuseInAwssWords) {
  const std::string prefix = "Transform AWS::LanguageExtensions failed with: ";
  const std::pair<const char*, const char*> cases[] = {
      {R"("text")", "Fn::ForEach layout is incorrect"},
      {R"(["I", "abc", {"${I}": 1}])", "Fn::ForEach layout is incorrect"},
      {R"(["I", {"Ref": "Nothing"}, {"${I}": 1}])",
       "Could not find a collection or could not be resolved for Fn::ForEach"},
      {R"(["I", ["a-b"], {"${I}": {"Type": "T::T::T"}}])", "LogicalId 'a-b' should be alphanumeric"},
      {R"(["I", ["a", "b"], {"R": {"Type": "T::T::T"}}])", "Fn::ForEach makes 'R' more than once"},
      {R"(["I", ["a"], {"${I}": {"Type": "T::T::T", "Condition": "Is${I}"}}])", "Key Is${I} is missing in the map."},
  };
  for (const auto& [loop, message] : cases) {
    const std::string text =
        R"({"Transform": "AWS::LanguageExtensions", "Resources": {"Fn::ForEach::Loop": )" + std::string(loop) + "}}";
    EXPECT_EQ(processed(text, "Resources"), prefix + message) << loop;
  }
}

TEST(LanguageExtensions, AreBoundedInWhatTheyMake) {
  std::string items = R"(["a")", loops = R"({"${I}${J}${K}": {"Type": "T::T::T"}})";
  for (int i = 0; i < 200; ++i) items += ",\"i" + std::to_string(i) + "\"";
  items += "]";
  for (const char* name : {"K", "J"})
    loops = R"({"Fn::ForEach::)" + std::string(name) + R"(": [")" + name + "\"," + items + "," + loops + "]}";
  const std::string text =
      R"({"Transform": "AWS::LanguageExtensions", "Resources": {"Fn::ForEach::I": ["I",)" + items + "," + loops + "]}}";
  EXPECT_EQ(processed(text, "Resources"),
            "Transform AWS::LanguageExtensions failed with: Fn::ForEach makes more than 5000 members");
}

TEST(Includes, TakeThePlaceOfTheTransform) {
  const std::string_view text = R"(
Parameters: {Bucket: {Type: String, Default: b}}
Mappings:
  Fn::Transform: {Name: AWS::Include, Parameters: {Location: "s3://b/maps"}}
Resources:
  Q:
    Type: AWS::SQS::Queue
    Properties:
      Fn::Transform:
        - {Name: AWS::Include, Parameters: {Location: !Sub "s3://${Bucket}/one"}}
        - {Name: AWS::Include, Parameters: {Location: "s3://b/two"}}
      QueueName: q
)";
  const json::Value document = parse(text);
  EXPECT_THAT(include_locations(document, inputs_of(document)),
              testing::ElementsAre("s3://b/maps", "s3://b/one", "s3://b/two"));
  const Texts included = {
      {"s3://b/maps", "M: {a: {b: c}}"}, {"s3://b/one", "DelaySeconds: 5"}, {"s3://b/two", R"({"Tags": []})"}};
  EXPECT_EQ(processed(text, "Mappings", included), R"({"M":{"a":{"b":"c"}}})");
  EXPECT_EQ(processed(text, "Resources", included),
            R"({"Q":{"Type":"AWS::SQS::Queue","Properties":{"DelaySeconds":5,"Tags":[],"QueueName":"q"}}})");
}

TEST(Includes, OfTheTopLevelAddToIt) {
  const std::string_view text = R"({
    "Transform": {"Name": "AWS::Include", "Parameters": {"Location": "s3://b/k"}},
    "Resources": {"A": {"Type": "T::T::T"}}})";
  EXPECT_EQ(processed(text, "Resources", {{"s3://b/k", R"({"Resources": {"B": {"Type": "T::T::T"}}})"}}),
            R"({"A":{"Type":"T::T::T"},"B":{"Type":"T::T::T"}})");
}

TEST(Includes, AreRefusedInAwssWords) {
  const auto with = [](std::string_view transform, const Texts& included = {}) {
    return processed(R"({"Resources": {"Fn::Transform": )" + std::string(transform) + "}}", "Resources", included);
  };
  EXPECT_EQ(with(R"({"Name": "AWS::Include", "Parameters": {"Location": "../x.yaml"}})"),
            "Transform AWS::Include failed with: The location parameter is not a valid S3 uri.");
  const std::string_view good = R"({"Name": "AWS::Include", "Parameters": {"Location": "s3://b/k"}})";
  EXPECT_EQ(with(good), "Transform AWS::Include failed with: The specified S3 object does not exist.");
  for (const char* content : {"{", "A: [", "just text", "A: {'Fn::Transform': {Name: AWS::Include}}"}) {
    const std::string_view wanted =
        "Transform AWS::Include failed with: The specified S3 object's content should be valid Yaml/JSON.";
    EXPECT_EQ(processed(R"({"Resources": {"A": 1, "Fn::Transform": )" + std::string(good) + "}}", "Resources",
                        {{"s3://b/k", content}}),
              wanted)
        << content;
  }
}

TEST(Macros, AreRefusedByName) {
  EXPECT_EQ(processed(R"({"Transform": ["Mine"], "Resources": {}})", "Resources"), "No transform named Mine found.");
  EXPECT_EQ(processed(R"({"Resources": {"Fn::Transform": {"Name": "Mine"}}})", "Resources"),
            "No transform named Mine found.");
}

TEST(LanguageExtensions, CountLoopsThatMakeNothing) {
  std::string items = "[";
  for (int i = 0; i < 100; ++i) items += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
  items += "]";
  std::string loops = "{}";
  for (const char name : std::string_view("JKLM")) {
    loops = R"({"Fn::ForEach::)" + std::string(1, name) + R"(": [")" + std::string(1, name) + "\"," + items + "," + loops +
            "]}";
  }
  const std::string text =
      R"({"Transform": "AWS::LanguageExtensions", "Resources": {"Fn::ForEach::I": ["I",)" + items + "," + loops + "]}}";
  EXPECT_EQ(processed(text, "Resources"),
            "Transform AWS::LanguageExtensions failed with: Template may not exceed 1000000 bytes in size.");
}

}  // namespace
}  // namespace tidemill::lang::templates
