#include "lang/dynamodb/key_condition.h"

#include <gtest/gtest.h>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

const Item kValues = attribute_values_from_json(R"({
  ":s":{"S":"abc"}, ":t":{"S":"abd"}, ":empty":{"S":""}, ":n":{"N":"1"}, ":m":{"N":"2"}, ":b":{"B":""}})");

constexpr KeySchema kStrings{"pk", Type::S, "sk", Type::S};
constexpr KeySchema kNumbers{"pk", Type::N, "sk", Type::N};
constexpr KeySchema kSimple{"pk", Type::S};

std::string describe_condition(const KeyCondition& condition) {
  static constexpr const char* kOps[] = {"=", "<", "<=", ">", ">=", "between", "begins_with"};
  std::string text = describe(condition.partition);
  if (condition.sort) {
    text += std::string(" ") + kOps[static_cast<int>(condition.sort->op)] + " " + describe(condition.sort->low);
    if (condition.sort->op == KeyCondition::Op::between) text += " " + describe(condition.sort->high);
  }
  return text;
}

std::string outcome(const std::string& text, const KeySchema& schema = kStrings) {
  Substitutions substitutions;
  substitutions.set_values(kValues);
  try {
    return describe_condition(resolve(parse_key_condition(text, substitutions), schema));
  } catch (const ExpressionError& error) {
    return error.what();
  }
}

TEST(KeyCondition, BindsToTheSchema) {
  const std::pair<const char*, const char*> cases[] = {
      {"pk = :s", "{S:abc}"},
      {":s = pk", "{S:abc}"},
      {"(pk = :s)", "{S:abc}"},
      {"pk = :s AND sk = :t", "{S:abc} = {S:abd}"},
      {"sk < :t and pk = :s", "{S:abc} < {S:abd}"},
      {"pk = :s AND :t < sk", "{S:abc} > {S:abd}"},
      {"pk = :s AND :t >= sk", "{S:abc} <= {S:abd}"},
      {"(pk = :s) AND (sk >= :t)", "{S:abc} >= {S:abd}"},
      {"pk = :s AND sk BETWEEN :s AND :t", "{S:abc} between {S:abc} {S:abd}"},
      {"pk = :s AND begins_with(sk, :t)", "{S:abc} begins_with {S:abd}"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(text), expected) << text;
  EXPECT_EQ(outcome("pk = :n AND sk <= :m", kNumbers), "{N:1} <= {N:2}");
  EXPECT_EQ(outcome("pk = :s", kSimple), "{S:abc}");
}

TEST(KeyCondition, RefusesWhatIsNoKeyCondition) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "Invalid KeyConditionExpression: The expression can not be empty;"},
      {"pk = = :s", "Invalid KeyConditionExpression: Syntax error; token: \"=\", near: \"= = :s\""},
      {"pk = :z",
       "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute "
       "value: :z"},
      {"pk BETWEEN :t AND :s",
       "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower "
       "bound; "
       "lower bound operand: AttributeValue: {S:abd}, upper bound operand: AttributeValue: {S:abc}"},
      {"pk = :s OR sk = :s", "Invalid operator used in KeyConditionExpression: OR"},
      {"NOT pk = :s", "Invalid operator used in KeyConditionExpression: NOT"},
      {"pk IN (:s)", "Invalid operator used in KeyConditionExpression: IN"},
      {"pk <> :s", "Invalid operator used in KeyConditionExpression: <>"},
      {"attribute_exists(pk)", "Invalid operator used in KeyConditionExpression: attribute_exists"},
      {"attribute_not_exists(pk)", "Invalid operator used in KeyConditionExpression: attribute_not_exists"},
      {"attribute_type(pk, :b)",
       "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or "
       "function: attribute_type, operand type: B"},
      {"contains(pk, :s)", "Invalid operator used in KeyConditionExpression: contains"},
      {":s BETWEEN pk AND sk",
       "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: BETWEEN operator must have the "
       "key attribute as its first "
       "operand"},
      {"begins_with(:s, pk)",
       "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: begins_with operator must have "
       "the key attribute as its first "
       "operand"},
      {"size(pk) > :n AND a.b > b AND b > c", "KeyConditionExpressions cannot contain nested operations"},
      {"pk BETWEEN size(a) AND size(b)", "KeyConditionExpressions cannot contain nested operations"},
      {"a > b.c",
       "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: Multiple attribute names used in "
       "one condition"},
      {"begins_with(a, b)",
       "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: Multiple attribute names used in "
       "one condition"},
      {"a.d > c",
       "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"},
      {"b[0] > a",
       "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"},
      {":s > :t",
       "Invalid KeyConditionExpression: Invalid condition in KeyConditionExpression: No key attribute specified"},
      {"pk = :s AND pk = :t",
       "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"},
      {"b > :s AND b < :t AND c = :s AND d = :s",
       "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(text), expected) << text;
}

TEST(KeyCondition, RefusesWhatDoesNotFitTheSchema) {
  EXPECT_EQ(outcome("sk = :s"), "Query condition missed key schema element: pk");
  EXPECT_EQ(outcome("pk = :s AND els = :s"), "Query condition missed key schema element: sk");
  EXPECT_EQ(outcome("pk = :s AND els = :s", kSimple), "Query key condition not supported");
  EXPECT_EQ(outcome("pk > :s"), "Query key condition not supported");
  EXPECT_EQ(outcome("begins_with(pk, :s) AND sk = :s"), "Query key condition not supported");
  const char* const mismatch =
      "One or more parameter values were invalid: Condition parameter type does not match schema type";
  EXPECT_EQ(outcome("pk = :n"), mismatch);
  EXPECT_EQ(outcome("pk = :s AND sk BETWEEN :n AND :m"), mismatch);
  EXPECT_EQ(outcome("pk = :n AND begins_with(sk, :s)", kNumbers), mismatch);
  EXPECT_EQ(outcome("pk = :empty"),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string "
            "value. Key: pk");
  EXPECT_EQ(outcome("pk = :s AND sk > :b", {"pk", Type::S, "sk", Type::B}),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty binary "
            "value. Key: sk");
}

TEST(KeyCondition, MatchesSortKeys) {
  Substitutions substitutions;
  substitutions.set_values(kValues);
  const auto matching = [&](const char* text, const Value& key) {
    const auto condition = resolve(parse_key_condition(text, substitutions), kStrings);
    return matches(*condition.sort, key);
  };
  EXPECT_TRUE(matching("pk = :s AND sk = :s", Value::string("abc")));
  EXPECT_TRUE(matching("pk = :s AND sk < :t", Value::string("abc")));
  EXPECT_FALSE(matching("pk = :s AND sk < :t", Value::string("abd")));
  EXPECT_TRUE(matching("pk = :s AND sk <= :t", Value::string("abd")));
  EXPECT_TRUE(matching("pk = :s AND sk > :s", Value::string("abca")));
  EXPECT_FALSE(matching("pk = :s AND sk >= :t", Value::string("abc")));
  EXPECT_TRUE(matching("pk = :s AND sk BETWEEN :s AND :t", Value::string("abczzz")));
  EXPECT_FALSE(matching("pk = :s AND sk BETWEEN :s AND :t", Value::string("abe")));
  EXPECT_TRUE(matching("pk = :s AND begins_with(sk, :s)", Value::string("abcd")));
  EXPECT_FALSE(matching("pk = :s AND begins_with(sk, :s)", Value::string("ab")));
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
