// Choice rules, of JSONPath.
#include "lang/states/choice.h"

#include "lang/states/testing.h"

namespace tidemill::lang::states {
namespace {

struct Case {
  std::string_view rule;   // without braces
  std::string_view value;  // of $.v; empty: it is not there
  bool holds;
};

std::string choose(std::string_view rule, std::string_view value) {
  StateFixture fixture("{\"Type\":\"Choice\",\"Choices\":[{" + std::string(rule) +
                       ",\"Next\":\"Yes\"}],\"Default\":\"No\"}");
  fixture.with_variables(R"({"limit":5})");
  const std::string input = value.empty() ? R"({"w":"b"})" : R"({"w":"b","v":)" + std::string(value) + "}";
  try {
    return std::string(run_choice(fixture.state(), fixture.scope(input)).next);
  } catch (const StateError& error) {
    return error.error() + ": " + error.detail();
  }
}

TEST(ChoiceRules, CompareByKind) {
  constexpr Case kCases[] = {
      {R"("Variable":"$.v","StringEquals":"a")", R"("a")", true},
      {R"("Variable":"$.v","StringEquals":"a")", R"("b")", false},
      {R"("Variable":"$.v","StringEquals":"1")", "1", false},
      {R"("Variable":"$.v","StringEqualsPath":"$.w")", R"("b")", true},
      {R"("Variable":"$.v","StringLessThan":"b")", R"("a")", true},
      {R"("Variable":"$.v","StringGreaterThanEqualsPath":"$.w")", R"("a")", false},
      {R"("Variable":"$.v","NumericEquals":1)", "1.0", true},
      {R"("Variable":"$.v","NumericLessThan":1)", "1", false},
      {R"("Variable":"$.v","NumericLessThanEquals":1)", "1", true},
      {R"("Variable":"$.v","NumericGreaterThan":1)", "1.5", true},
      {R"("Variable":"$.v","NumericGreaterThan":1)", R"("2")", false},
      {R"("Variable":"$.v","NumericGreaterThanPath":"$limit")", "6", true},
      {R"("Variable":"$.v","BooleanEquals":false)", "false", true},
      {R"("Variable":"$.v","BooleanEquals":false)", "null", false},
      {R"("Variable":"$.v","TimestampEquals":"2026-01-01T00:00:00Z")", R"("2026-01-01T01:00:00+01:00")", true},
      {R"("Variable":"$.v","TimestampLessThan":"2026-01-01T00:00:00Z")", R"("2025-12-31T23:59:59.999Z")", true},
      {R"("Variable":"$.v","TimestampLessThan":"2026-01-01T00:00:00Z")", R"("yesterday")", false},
      {R"("Variable":"$.v","StringMatches":"log-*.txt")", R"("log-2026.txt")", true},
      {R"("Variable":"$.v","StringMatches":"log-*.txt")", R"("log-.tx")", false},
      {R"("Variable":"$.v","StringMatches":"a*b*c")", R"("a--b--c")", true},
      {R"("Variable":"$.v","StringMatches":"ab*ba")", R"("aba")", false},
      {R"("Variable":"$.v","StringMatches":"a\\*")", R"("a*")", true},
      {R"("Variable":"$.v","StringMatches":"a\\*")", R"("ab")", false},
      {R"("Variable":"$.v","IsNull":true)", "null", true},
      {R"("Variable":"$.v","IsNull":false)", "1", true},
      {R"("Variable":"$.v","IsNumeric":true)", R"("1")", false},
      {R"("Variable":"$.v","IsString":true)", R"("1")", true},
      {R"("Variable":"$.v","IsBoolean":true)", "true", true},
      {R"("Variable":"$.v","IsTimestamp":true)", R"("2026-01-01T00:00:00Z")", true},
      {R"("Variable":"$.v","IsTimestamp":true)", R"("2026-13-01T00:00:00Z")", false},
      {R"("Variable":"$.v","IsPresent":true)", "null", true},
      {R"("Variable":"$.v","IsPresent":true)", "", false},
      {R"("Variable":"$.v","IsPresent":false)", "", true},
      {R"("Variable":"$unset","IsPresent":false)", "", true},
      {R"("Variable":"$limit","IsPresent":true)", "", true},
      {R"("And":[{"Variable":"$.v","IsPresent":true},{"Variable":"$.v","NumericEquals":1}])", "1", true},
      {R"("And":[{"Variable":"$.v","IsPresent":true},{"Variable":"$.v","NumericEquals":1}])", "", false},
      {R"("Or":[{"Variable":"$.v","NumericEquals":2},{"Variable":"$.v","NumericEquals":1}])", "1", true},
      {R"("Not":{"Variable":"$.v","NumericEquals":2})", "1", true},
      {R"("Variable":"$$.State.Name","StringEquals":"State")", "", true},
  };
  for (const Case& each : kCases) {
    EXPECT_EQ(choose(each.rule, each.value), each.holds ? "Yes" : "No") << each.rule << " of " << each.value;
  }
}

TEST(ChoiceRules, OfWhatIsNotThereFail) {
  EXPECT_EQ(choose(R"("Variable":"$.v","StringEquals":"a")", ""),
            "States.Runtime: Invalid path '$.v': The choice state's condition path references an invalid value.");
  EXPECT_EQ(choose(R"("Variable":"$.w","StringEqualsPath":"$.v")", ""),
            "States.Runtime: Invalid path '$.v': The choice state's condition path references an invalid value.");
}

TEST(ChoiceState, TakesTheFirstRuleOrItsDefault) {
  StateFixture fixture(R"({"Type":"Choice","InputPath":"$.in","OutputPath":"$.n","Choices":[
    {"Variable":"$.n","NumericGreaterThan":10,"Next":"Large","Assign":{"size":"large","n.$":"$.n"}},
    {"Variable":"$.n","NumericGreaterThan":5,"Next":"Middle"}],"Default":"Small","Assign":{"size":"small"}})");
  const auto choose_of = [&](std::string_view input) {
    return outcome([&] { return run_choice(fixture.state(), fixture.scope(input)); });
  };
  EXPECT_EQ(choose_of(R"({"in":{"n":11}})"), R"(11 | {"size":"large","n":11} -> Large)");
  EXPECT_EQ(choose_of(R"({"in":{"n":6}})"), "6 -> Middle");
  EXPECT_EQ(choose_of(R"({"in":{"n":1}})"), R"(1 | {"size":"small"} -> Small)");
}

TEST(ChoiceState, WithoutDefaultFails) {
  StateFixture fixture(R"({"Type":"Choice","Choices":[{"Variable":"$.n","IsPresent":true,"Next":"A"}]})");
  EXPECT_EQ(outcome([&] { return run_choice(fixture.state(), fixture.scope("{}")); }),
            "States.NoChoiceMatched: Failed to transition out of the state. The state does not point to a next state.");
}

}  // namespace
}  // namespace tidemill::lang::states
