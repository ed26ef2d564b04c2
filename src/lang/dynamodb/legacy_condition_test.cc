#include "lang/dynamodb/legacy_condition.h"

#include <gtest/gtest.h>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

const Item kItem = item_from_json(
    R"({"n":{"N":"5"},"s":{"S":"hello"},"b":{"B":"AQI="},"l":{"L":[{"N":"1"},{"BOOL":true}]},"ss":{"SS":["a","b"]},
        "nul":{"NULL":true},"a.b":{"N":"1"}})");

// Values that live as long as this.
class Operands {
 public:
  explicit Operands(std::initializer_list<const char*> json) {
    values_.reserve(json.size());
    for (const char* text : json) views_.push_back(values_.emplace_back(value_from_json(text)).view());
  }
  [[nodiscard]] const std::vector<ValueView>& views() const { return views_; }

 private:
  std::vector<Value> values_;
  std::vector<ValueView> views_;
};

template <class Run>
std::string outcome(Run run) {
  try {
    return run();
  } catch (const ExpressionError& error) {
    return (error.prefixed() ? "1: " : "") + std::string(error.what());
  }
}

// "true", "false" or the error.
std::string holds(const char* attribute, const char* op, std::initializer_list<const char*> json) {
  const Operands operands(json);
  return outcome([&] {
    const LegacyComparison comparison{attribute, op, operands.views()};
    return evaluate(legacy_condition({&comparison, 1}, Junction::all_of), kItem) ? "true" : "false";
  });
}

TEST(LegacyConditions, ComparisonsMeanWhatTheirOperatorsSay) {
  EXPECT_EQ(holds("n", "EQ", {R"({"N":"5.0"})"}), "true");
  EXPECT_EQ(holds("n", "EQ", {R"({"S":"5"})"}), "false");
  EXPECT_EQ(holds("ss", "EQ", {R"({"SS":["b","a"]})"}), "true");
  EXPECT_EQ(holds("n", "LE", {R"({"N":"5"})"}), "true");
  EXPECT_EQ(holds("n", "LT", {R"({"N":"5"})"}), "false");
  EXPECT_EQ(holds("n", "GE", {R"({"N":"5"})"}), "true");
  EXPECT_EQ(holds("s", "GT", {R"({"S":"hell"})"}), "true");
  EXPECT_EQ(holds("n", "LT", {R"({"S":"9"})"}), "false");
  EXPECT_EQ(holds("n", "BETWEEN", {R"({"N":"1"})", R"({"N":"5"})"}), "true");
  EXPECT_EQ(holds("n", "IN", {R"({"N":"1"})", R"({"N":"5"})"}), "true");
  EXPECT_EQ(holds("ss", "IN", {R"({"S":"a"})"}), "false");
  EXPECT_EQ(holds("s", "BEGINS_WITH", {R"({"S":"he"})"}), "true");
  EXPECT_EQ(holds("n", "BEGINS_WITH", {R"({"S":"5"})"}), "false");
  EXPECT_EQ(holds("s", "CONTAINS", {R"({"S":"ell"})"}), "true");
  EXPECT_EQ(holds("ss", "CONTAINS", {R"({"S":"b"})"}), "true");
  EXPECT_EQ(holds("l", "CONTAINS", {R"({"BOOL":true})"}), "true");
  EXPECT_EQ(holds("s", "NOT_CONTAINS", {R"({"S":"ell"})"}), "false");
  EXPECT_EQ(holds("s", "NOT_CONTAINS", {R"({"N":"1"})"}), "true");
  EXPECT_EQ(holds("nul", "NOT_NULL", {}), "true");
  EXPECT_EQ(holds("nul", "NULL", {}), "false");
  EXPECT_EQ(holds("a.b", "EQ", {R"({"N":"1"})"}), "true");  // a name, not a path
}

TEST(LegacyConditions, WhatIsMissingIsOnlyUnequalAndNull) {
  EXPECT_EQ(holds("x", "NE", {R"({"N":"5"})"}), "true");
  EXPECT_EQ(holds("x", "NULL", {}), "true");
  EXPECT_EQ(holds("x", "NOT_NULL", {}), "false");
  EXPECT_EQ(holds("x", "EQ", {R"({"N":"5"})"}), "false");
  EXPECT_EQ(holds("x", "CONTAINS", {R"({"N":"5"})"}), "false");
  EXPECT_EQ(holds("x", "NOT_CONTAINS", {R"({"N":"5"})"}), "false");
}

TEST(LegacyConditions, OperandsAreCountedAndTyped) {
  const std::string invalid = "1: One or more parameter values were invalid: ";
  EXPECT_EQ(holds("n", "EQ", {}), invalid + "Invalid number of argument(s) for the EQ ComparisonOperator");
  EXPECT_EQ(holds("n", "NULL", {R"({"N":"5"})"}), invalid + "Invalid number of argument(s) for the NULL ComparisonOperator");
  EXPECT_EQ(holds("n", "BETWEEN", {R"({"N":"5"})"}),
            invalid + "Invalid number of argument(s) for the BETWEEN ComparisonOperator");
  EXPECT_EQ(holds("n", "IN", {}), invalid + "Invalid number of argument(s) for the IN ComparisonOperator");
  EXPECT_EQ(holds("n", "IN", {R"({"N":"5"})", R"({"S":"5"})"}),
            invalid + "AttributeValues inside AttributeValueList must be of same type");
  EXPECT_EQ(holds("n", "LT", {R"({"BOOL":true})"}), invalid + "ComparisonOperator LT is not valid for BOOL AttributeValue type");
  EXPECT_EQ(holds("n", "BEGINS_WITH", {R"({"N":"5"})"}),
            invalid + "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type");
  EXPECT_EQ(holds("l", "CONTAINS", {R"({"L":[]})"}),
            invalid + "ComparisonOperator CONTAINS is not valid for L AttributeValue type");
  EXPECT_EQ(holds("n", "BETWEEN", {R"({"N":"6"})", R"({"N":"5"})"}),
            "1: The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
}

TEST(LegacyConditions, SeveralAreJoined) {
  const Operands five({R"({"N":"5"})"});
  const Operands six({R"({"N":"6"})"});
  std::vector<LegacyComparison> some{{"n", "EQ", five.views()}, {"n", "EQ", six.views()}, {"n", "EQ", five.views()}};
  EXPECT_FALSE(evaluate(legacy_condition(some, Junction::all_of), kItem));
  EXPECT_TRUE(evaluate(legacy_condition(some, Junction::any_of), kItem));
  // However many: a request has no other limit than its size.
  const std::vector<LegacyComparison> many(100'000, {"n", "EQ", five.views()});
  EXPECT_TRUE(evaluate(legacy_condition(many, Junction::all_of), kItem));
}

struct Expectation {
  const char* value = nullptr;
  std::optional<bool> exists = {};
  const char* op = nullptr;
  std::optional<std::initializer_list<const char*>> operands = {};
};

std::string expected(const char* attribute, const Expectation& wanted) {
  const Operands value(wanted.value ? std::initializer_list<const char*>{wanted.value} : std::initializer_list<const char*>{});
  const Operands operands(wanted.operands.value_or(std::initializer_list<const char*>{}));
  LegacyExpectation entry{.attribute = attribute, .exists = wanted.exists};
  if (wanted.value) entry.value = value.views().front();
  if (wanted.op) entry.op = wanted.op;
  if (wanted.operands) entry.operands = operands.views();
  return outcome([&] {
    return evaluate(legacy_condition({&entry, 1}, Junction::all_of), kItem) ? "true" : "false";
  });
}

TEST(LegacyConditions, ExpectedHasTwoForms) {
  EXPECT_EQ(expected("n", {.value = R"({"N":"5"})"}), "true");
  EXPECT_EQ(expected("n", {.value = R"({"N":"6"})"}), "false");
  EXPECT_EQ(expected("n", {.value = R"({"N":"6"})", .exists = true}), "false");
  EXPECT_EQ(expected("n", {.exists = false}), "false");
  EXPECT_EQ(expected("x", {.exists = false}), "true");
  EXPECT_EQ(expected("n", {.op = "GT", .operands = {{R"({"N":"4"})"}}}), "true");
  EXPECT_EQ(expected("n", {.value = R"({"N":"4"})", .op = "GT"}), "true");
  EXPECT_EQ(expected("n", {.op = "NOT_NULL"}), "true");
}

TEST(LegacyConditions, TheFormsOfExpectedDoNotMix) {
  const std::string invalid = "1: One or more parameter values were invalid: ";
  EXPECT_EQ(expected("n", {}), invalid + "Value must be provided when Exists is null for Attribute: n");
  EXPECT_EQ(expected("n", {.exists = true}), invalid + "Value must be provided when Exists is true for Attribute: n");
  EXPECT_EQ(expected("n", {.value = R"({"N":"5"})", .exists = false}),
            invalid + "Value cannot be used when Exists is false for Attribute: n");
  EXPECT_EQ(expected("n", {.value = R"({"N":"5"})", .op = "EQ", .operands = {{R"({"N":"5"})"}}}),
            invalid + "Value and AttributeValueList cannot be used together for Attribute: n");
  EXPECT_EQ(expected("n", {.exists = true, .op = "EQ", .operands = {{R"({"N":"5"})"}}}),
            invalid + "Exists and ComparisonOperator cannot be used together for Attribute: n");
  EXPECT_EQ(expected("n", {.op = "EQ"}),
            invalid + "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: n");
  EXPECT_EQ(expected("n", {.exists = true, .operands = {{R"({"N":"5"})"}}}),
            invalid + "AttributeValueList can only be used with a ComparisonOperator for Attribute: n");
}

TEST(LegacyConditions, KeyConditionsAreBoundToASchema) {
  const Operands text({R"({"S":"p"})"});
  const Operands range({R"({"N":"1"})", R"({"N":"2"})"});
  const auto bound = [](const std::vector<LegacyComparison>& list) {
    return outcome([&] {
      const KeyCondition condition = resolve(legacy_key_condition(list), {"pk", Type::S, "sk", Type::N});
      return std::string(condition.partition.string()) + (condition.sort ? " and a sort key" : "");
    });
  };
  EXPECT_EQ(bound({{"pk", "EQ", text.views()}}), "p");
  EXPECT_EQ(bound({{"pk", "EQ", text.views()}, {"sk", "BETWEEN", range.views()}}), "p and a sort key");
  EXPECT_EQ(bound({{"sk", "BETWEEN", range.views()}}), "Query condition missed key schema element: pk");
  EXPECT_EQ(bound({{"pk", "BEGINS_WITH", text.views()}}), "Query key condition not supported");
  EXPECT_EQ(bound({{"pk", "NE", text.views()}}), "Attempted conditional constraint is not an indexable operation");
  EXPECT_EQ(bound({{"pk", "EQ", text.views()}, {"sk", "NULL", {}}}),
            "Attempted conditional constraint is not an indexable operation");
  EXPECT_EQ(bound({{"pk", "EQ", text.views()}, {"sk", "EQ", text.views()}}),
            "One or more parameter values were invalid: Condition parameter type does not match schema type");
  EXPECT_EQ(bound({}), "Conditions can be of length 1 or 2 only");
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
