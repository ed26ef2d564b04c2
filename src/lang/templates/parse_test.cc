// Texts of templates as documents.
#include "lang/templates/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

std::string parsed(std::string_view text) { return json::write(parse(text)); }

std::string refusal(std::string_view text) {
  try {
    (void)parse(text);
  } catch (const TemplateError& error) {
    return error.what();
  }
  return "";
}

TEST(TemplateText, IsJsonOrYaml) {
  EXPECT_EQ(parsed(R"( {"A": {"B": [1, 2.50, "x", true]}} )"), R"({"A":{"B":[1,2.50,"x",true]}})");
  EXPECT_EQ(parsed("# a comment\nA:\n  B: [1, 2.50, x, true]\n"), R"({"A":{"B":[1,2.50,"x",true]}})");
  EXPECT_EQ(parsed("---\nB: 1\nA: 2\n"), R"({"B":1,"A":2})");
  EXPECT_EQ(parsed("\xef\xbb\xbf"
                   "A: 1"),
            R"({"A":1})");
  EXPECT_EQ(parsed("A: |\n  one\n  two\nB: >-\n  three\n  four\r\n"), R"({"A":"one\ntwo\n","B":"three four"})");
}

TEST(TemplateText, KeepsYamlScalarsThatJsonHasNoNumberFor) {
  const std::pair<const char*, const char*> cases[] = {
      {"1", "1"},
      {"-0.5", "-0.5"},
      {"1e3", "1e3"},
      {"007", R"("007")"},
      {"012345678901", R"("012345678901")"},
      {"0x1f", R"("0x1f")"},
      {"1_000", R"("1_000")"},
      {".5", R"(".5")"},
      {"+1", R"("+1")"},
      {"12:30", R"("12:30")"},
      {"yes", R"("yes")"},
      {"off", R"("off")"},
      {"True", "true"},
      {"FALSE", "false"},
      {"'true'", R"("true")"},
      {"\"5\"", R"("5")"},
      {"2012-10-17", R"("2012-10-17")"},
      {"~", "null"},
      {"", "null"},
      {"null", "null"},
      {"'null'", R"("null")"},
      {"!!str 5", R"("5")"},
      {"!!int 5", "5"},
      {"!!bool true", "true"},
      {"\"\\u00e9\\x41\"", "\"\u00e9A\""},
  };
  for (const auto& [yaml, json] : cases)
    EXPECT_EQ(parsed(std::string("A: ") + yaml), std::string(R"({"A":)") + json + "}") << yaml;
}

TEST(TemplateText, MakesShortFunctionsLong) {
  const std::pair<const char*, const char*> cases[] = {
      {"!Ref A", R"({"Ref":"A"})"},
      {"!Condition C", R"({"Condition":"C"})"},
      {"!GetAtt A.B.C", R"({"Fn::GetAtt":["A","B.C"]})"},
      {"!GetAtt [A, B]", R"({"Fn::GetAtt":["A","B"]})"},
      {"!GetAtt A", R"({"Fn::GetAtt":["A"]})"},
      {"!Sub '${A}'", R"({"Fn::Sub":"${A}"})"},
      {"!Sub ['${A}', {A: !Ref B}]", R"({"Fn::Sub":["${A}",{"A":{"Ref":"B"}}]})"},
      {"!Join ['', [a, !If [C, 1, !Ref 'AWS::NoValue']]]",
       R"({"Fn::Join":["",["a",{"Fn::If":["C",1,{"Ref":"AWS::NoValue"}]}]]})"},
      {"!GetAZs ''", R"({"Fn::GetAZs":""})"},
      {"!Transform {Name: N, Parameters: {}}", R"({"Fn::Transform":{"Name":"N","Parameters":{}}})"},
      {"!ImportValue\n  Fn::Sub: x", R"({"Fn::ImportValue":{"Fn::Sub":"x"}})"},
      {"!Base64 5", R"({"Fn::Base64":"5"})"},
  };
  for (const auto& [yaml, json] : cases)
    EXPECT_EQ(parsed(std::string("A: ") + yaml), std::string(R"({"A":)") + json + "}") << yaml;
}

TEST(TemplateText, IsRefusedInAwssWords) {
  const std::pair<std::string, const char*> cases[] = {
      {R"({"Resources": {"A": })", "Template format error: JSON not well-formed. (line 1, column 21)"},
      {"{\n \"A\": 1\n} x", "Template format error: JSON not well-formed. (line 3, column 3)"},
      {"A: [1", "Template format error: YAML not well-formed. (line 1, column 1)"},
      {"A: 1\n  B: 2", "Template format error: YAML not well-formed. (line 2, column 4)"},
      {"A: 1\nA: 2", "Template format error: YAML not well-formed. (line 2, column 1)"},
      {"A: !Foo x", "Template format error: YAML not well-formed. (line 1, column 4)"},
      {"A: !!timestamp 2001-01-01", "Template format error: YAML not well-formed. (line 1, column 4)"},
      {"? [a]\n: 1", "Template format error: YAML not well-formed. (line 1, column 3)"},
      {"A: 1\n---\nB: 1", "Template format error: YAML not well-formed."},
      {"A: &x 1\nB: *x", "Template error: YAML aliases are not allowed in CloudFormation templates"},
      {"just text", "Template format error: unsupported structure."},
      {"- a\n- b", "Template format error: unsupported structure."},
      {"# nothing", "Template format error: unsupported structure."},
      {"A: \xff", "Template format error: YAML not well-formed."},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), message) << text;
}

TEST(TemplateText, NestsAndGrowsNoFurtherThanItsBounds) {
  EXPECT_EQ(refusal("A: " + std::string(99, '[') + std::string(99, ']')), "");
  EXPECT_EQ(refusal("A: " + std::string(100, '[') + std::string(100, ']')),
            "Template format error: template nesting is too deep.");
  std::string functions = "A: ";
  for (int i = 0; i < 60; ++i) functions += "!Join ['', ";
  EXPECT_EQ(refusal(functions + "[x]" + std::string(60, ']')), "Template format error: template nesting is too deep.");
  EXPECT_THAT(refusal(R"({"A":)" + std::string(101, '[')),
              testing::StartsWith("Template format error: JSON not well-formed."));
  std::string wide = "{", wide_yaml;
  for (int i = 0; i <= 5000; ++i) {
    wide += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
    wide_yaml += "k" + std::to_string(i) + ": 1\n";
  }
  EXPECT_EQ(refusal(wide + "}"), "Template format error: a map may not have more than 5000 members.");
  EXPECT_EQ(refusal(wide_yaml), "Template format error: a map may not have more than 5000 members. (line 5001)");
}

}  // namespace
}  // namespace tidemill::lang::templates
