#include "lang/dynamodb/condition.h"

#include <gtest/gtest.h>

#include <map>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

const std::map<std::string, std::string> kNames = {{"#a", "a"}, {"#status", "status"}, {"#odd", "odd name.[0]"}};

const Item kValues = attribute_values_from_json(R"({
  ":s":{"S":"abc"}, ":empty":{"S":""}, ":prefix":{"S":"ab"}, ":one":{"N":"1"}, ":two":{"N":"2"}, ":three":{"N":"3.0"},
  ":b":{"B":"AQID"}, ":bprefix":{"B":"AQ=="}, ":true":{"BOOL":true}, ":null":{"NULL":true}, ":list":{"L":[{"N":"1"}]},
  ":map":{"M":{"k":{"S":"v"}}}, ":ss":{"SS":["y","x"]}, ":ns":{"NS":["2","1"]}, ":bs":{"BS":["AQ=="]},
  ":typeS":{"S":"S"}, ":typeL":{"S":"L"}, ":typeX":{"S":"X"}, ":x":{"S":"x"}, ":four":{"N":"4"}})");

const Item kItem = item_from_json(R"({
  "a":{"S":"abc"}, "n":{"N":"2"}, "b":{"B":"AQID"}, "flag":{"BOOL":true}, "nothing":{"NULL":true},
  "lst":{"L":[{"N":"1"},{"S":"x"},{"M":{"deep":{"S":"abc"}}}]}, "mp":{"M":{"k":{"S":"v"},"n":{"N":"7"}}},
  "ss":{"SS":["x","y"]}, "ns":{"NS":["1","2"]}, "bs":{"BS":["AQ==","Ag=="]}, "status":{"S":"ok"},
  "odd name.[0]":{"N":"9"},
  "txt":{"S":"aé😀"}})");

std::string outcome(const std::string& text, ExpressionKind kind = ExpressionKind::condition) {
  Substitutions substitutions;
  substitutions.set_names(kNames);
  substitutions.set_values(kValues);
  try {
    return evaluate(parse_condition(text, kind, substitutions), kItem) ? "true" : "false";
  } catch (const ExpressionError& error) {
    return (error.prefixed() ? "1: " : "") + std::string(error.what());
  }
}

// This takes a minute where the part is compared whole at every place of the text.
TEST(Condition, SearchingATextTakesNoLongerThanItsLength) {
  Substitutions substitutions;
  const std::string text(390'000, 'a');
  const std::string part = text.substr(0, 195'000) + "b";
  const Item values = attribute_values_from_json(R"({":part":{"S":")" + part + R"("}})");
  substitutions.set_values(values);
  const Item item = item_from_json(R"({"a":{"S":")" + text + R"("}})");
  const Condition condition = parse_condition("contains(a, :part)", ExpressionKind::filter, substitutions);
  for (int n = 0; n < 50; ++n) EXPECT_FALSE(evaluate(condition, item));
}

TEST(Condition, Evaluates) {
  const std::pair<const char*, bool> cases[] = {{"a = :s", true},
                                                {"a <> :s", false},
                                                {"a = :one", false},
                                                {"a <> :one", true},
                                                {"absent = :s", false},
                                                {"absent <> :s", true},
                                                {":s = a", true},
                                                {"n = :two", true},
                                                {"n < :three", true},
                                                {"n <= :two", true},
                                                {"n > :two", false},
                                                {"n >= :two", true},
                                                {"n > :s", false},
                                                {"n <= :s", false},
                                                {"absent < :one", false},
                                                {"flag = :true", true},
                                                {"nothing = :null", true},
                                                {"ss = :ss", true},
                                                {"ns = :ns", true},
                                                {"ns = :ss", false},
                                                {"n BETWEEN :one AND :three", true},
                                                {"n between :three and :four", false},
                                                {"a BETWEEN :prefix AND :x", true},
                                                {":two BETWEEN :one AND n", true},
                                                {"absent BETWEEN :one AND :two", false},
                                                {"n BETWEEN absent AND :two", false},
                                                {"n IN (:one, :two)", true},
                                                {"n IN (:one)", false},
                                                {"n in (:s, n2, :two)", true},
                                                {"absent IN (:one)", false},
                                                {"attribute_exists(a)", true},
                                                {"attribute_exists(absent)", false},
                                                {"attribute_exists(mp.k)", true},
                                                {"attribute_exists(mp.z)", false},
                                                {"attribute_exists(lst[2].deep)", true},
                                                {"attribute_exists(lst[3])", false},
                                                {"attribute_not_exists(absent)", true},
                                                {"attribute_not_exists(a.b)", true},
                                                {"attribute_type(a, :typeS)", true},
                                                {"attribute_type(a, :typeL)", false},
                                                {"attribute_type(absent, :typeS)", false},
                                                {"attribute_type(lst, :typeL)", true},
                                                {"begins_with(a, :prefix)", true},
                                                {"begins_with(a, :x)", false},
                                                {"begins_with(b, :bprefix)", true},
                                                {"begins_with(n, :prefix)", false},
                                                {"begins_with(a, :empty)", true},
                                                {"begins_with(:s, a)", true},
                                                {"contains(a, :prefix)", true},
                                                {"contains(a, :one)", false},
                                                {"contains(ss, :x)", true},
                                                {"contains(ss, :s)", false},
                                                {"contains(ns, :two)", true},
                                                {"contains(bs, :bprefix)", true},
                                                {"contains(lst, :one)", true},
                                                {"contains(lst, :x)", true},
                                                {"contains(lst, :two)", false},
                                                {"contains(b, :bprefix)", true},
                                                {"contains(n, :one)", false},
                                                {"contains(:s, absent)", false},
                                                {"size(a) = :three", true},
                                                {"size(txt) = :four", true},
                                                {"size(b) = :three", true},
                                                {"size(lst) > :two", true},
                                                {"size(mp) = :two", true},
                                                {"size(ss) = :two", true},
                                                {"size(n) = :one", false},
                                                {"size(n) <> :one", true},
                                                {"size(absent) < :four", false},
                                                {"size(:s) = :three", true},
                                                {"size(a) = size(b)", true},
                                                {"size(a) BETWEEN :one AND :three", true},
                                                {"size(a) IN (:three)", true},
                                                {"contains(ns, size(ss))", true},
                                                {"lst[0] = :one", true},
                                                {"lst[2].deep = a", true},
                                                {"mp.k = :s", false},
                                                {"#a = :s", true},
                                                {"#status = :s", false},
                                                {"#odd > :four", true},
                                                {"mp.#a = :s", false},
                                                {"NOT a = :s", false},
                                                {"not absent = :s", true},
                                                {"NOT NOT a = :s", true},
                                                {"a = :s AND n = :two", true},
                                                {"a = :x AND n = :two", false},
                                                {"a = :x OR n = :two", true},
                                                {"a = :x AND a = :x OR n = :two", true},
                                                {"n = :two OR a = :x AND a = :x", true},
                                                {"(n = :two OR a = :x) AND a = :x", false},
                                                {"NOT (a = :s AND n = :one)", true},
                                                {"NOT a = :s OR n = :two", true},
                                                {"(a = :s)", true},
                                                {"(a) = (:s)", true},
                                                {"(size(a)) = :three", true},
                                                {"((a) = :s)", true},
                                                {"(attribute_exists(a)) AND (n = :two)", true},
                                                {"a=:s aNd\tn<>:one\nOR\r(n)>=:four", true}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(text), expected ? "true" : "false") << text;
}

TEST(Condition, ReportsSyntaxErrorsNearTheToken) {
  const std::pair<const char*, const char*> cases[] = {
      {"a = = b", "token: \"=\", near: \"= = b\""},
      {"a", "token: \"<EOF>\", near: \"a\""},
      {"(a)", "token: \"<EOF>\", near: \")\""},
      {"attribute_exists(", "token: \"<EOF>\", near: \"(\""},
      {"contains (a, :s", "token: \"<EOF>\", near: \":s\""},
      {"things are not ok", "token: \"are\", near: \"things are not\""},
      {"a > 4", "token: \"4\", near: \"> 4\""},
      {"_a = :s", "token: \"_\", near: \"_a\""},
      {"a - b = :s", "token: \"-\", near: \"a - b\""},
      {"a = :s AND", "token: \"<EOF>\", near: \"AND\""},
      {"a AND b = :s", "token: \"AND\", near: \"a AND b\""},
      {"AND = :s", "token: \"AND\", near: \"AND =\""},
      {"a BETWEEN :one OR :two", "token: \"OR\", near: \":one OR :two\""},
      {"a IN :one", "token: \":one\", near: \"IN :one\""},
      {"a IN ()", "token: \")\", near: \"()\""},
      {"a[b] = :s", "token: \"b\", near: \"[b]\""},
      {"a[01] = :s", "token: \"1\", near: \"01]\""},
      {"([1] = :s", "token: \"[\", near: \"([1\""},
      {"a. = :s", "token: \"=\", near: \". = :s\""},
      {"(a = :s", "token: \"<EOF>\", near: \":s\""},
      {"a = :s)", "token: \")\", near: \":s)\""},
      {"a = :", "token: \":\", near: \"= :\""},
      {"a = :s é", "token: \"é\", near: \":s é\""},
      {"(a = :s) = :s", "token: \"=\", near: \") = :s\""}};
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(outcome(text), std::string("Invalid ConditionExpression: Syntax error; ") + error) << text;
  }
  EXPECT_EQ(outcome("a = = b", ExpressionKind::filter),
            R"(Invalid FilterExpression: Syntax error; token: "=", near: "= = b")");
}

TEST(Condition, ReportsWhatIsWrongWithAwsMessages) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "The expression can not be empty;"},
      {"a = :s and " + std::string(4096, 'a'),
       "Expression size has exceeded the maximum allowed size; expression size: 4107"},
      {"((a = :s))", "The expression has redundant parentheses;"},
      {"((a)) = :s", "The expression has redundant parentheses;"},
      {"a = ((:s))", "The expression has redundant parentheses;"},
      {"a IN (((:s)))", "The expression has redundant parentheses;"},
      {"status = :s", "Attribute name is a reserved keyword; reserved keyword: status"},
      {"a.Name = :s", "Attribute name is a reserved keyword; reserved keyword: Name"},
      {"a[2147483648] = :s", "List index is not within the allowable range; index: [2147483648]"},
      {"a[99999999999] = :s", "List index is not within the allowable range; index: [99999999999]"},
      {"exists(a)", "Invalid function name; function: exists"},
      {"Attribute_exists(a)", "Invalid function name; function: Attribute_exists"},
      {"if_not_exists(a, :s)", "The function is not allowed in a condition expression; function: if_not_exists"},
      {"size(a)", "The function is not allowed to be used this way in an expression; function: size"},
      {"(size(a))", "The function is not allowed to be used this way in an expression; function: size"},
      {"NOT size(a)", "The function is not allowed to be used this way in an expression; function: size"},
      {"attribute_exists(a) = :true",
       "The function is not allowed to be used this way in an expression; function: attribute_exists"},
      {"contains(a, begins_with(a, :s))",
       "The function is not allowed to be used this way in an expression; function: begins_with"},
      {"attribute_exists(a, b)",
       "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of "
       "operands: 2"},
      {"begins_with(a)",
       "Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: "
       "1"},
      {"begins_with(a, :s, count)", "Attribute name is a reserved keyword; reserved keyword: count"},
      {"contains(#z)", "An expression attribute name used in the document path is not defined; attribute name: #z"},
      {"size(a, :z) > :s", "An expression attribute value used in expression is not defined; attribute value: :z"},
      {"size(a, :s) > :s",
       "Incorrect number of operands for operator or function; operator or function: size, number of operands: 2"},
      {"#z = :s", "An expression attribute name used in the document path is not defined; attribute name: #z"},
      {"a.#z = :s", "An expression attribute name used in the document path is not defined; attribute name: #z"},
      {"a = :z", "An expression attribute value used in expression is not defined; attribute value: :z"},
      {"attribute_exists(:s)", "Operator or function requires a document path; operator or function: attribute_exists"},
      {"attribute_type(:s, :typeS)",
       "Operator or function requires a document path; operator or function: attribute_type"},
      {"a = a",
       "The first operand must be distinct from the remaining operands for this operator or function; operator: =, "
       "first operand: [a]"},
      {"mp.k[1] < mp.#a AND mp.k[1] >= mp.k[1]",
       "The first operand must be distinct from the remaining operands for this operator or function; operator: >=, "
       "first "
       "operand: [mp, k, [1]]"},
      {"a BETWEEN :s AND #a",
       "The first operand must be distinct from the remaining operands for this operator or function; operator: "
       "BETWEEN, first "
       "operand: [a]"},
      {"contains(a, a)",
       "The first operand must be distinct from the remaining operands for this operator or function; operator: "
       "contains, first "
       "operand: [a]"},
      {"a < :true", "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"},
      {"a >= :list", "Incorrect operand type for operator or function; operator or function: >=, operand type: L"},
      {"a BETWEEN :ss AND :ss",
       "Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: SS"},
      {"begins_with(a, :one)",
       "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"},
      {"begins_with(a, size(b))",
       "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"},
      {"size(:one) = :one",
       "Incorrect operand type for operator or function; operator or function: size, operand type: N"},
      {"size(size(a)) = :one",
       "Incorrect operand type for operator or function; operator or function: size, operand type: N"},
      {"attribute_type(a, :one)",
       "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N"},
      {"attribute_type(a, b)",
       "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: "
       "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"},
      {"attribute_type(a, :typeX)",
       "Invalid attribute type name found; type: X, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
      {"a BETWEEN :one AND :s",
       "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: "
       "{N:1}, "
       "upper bound operand: AttributeValue: {S:abc}"},
      {"a BETWEEN :two AND :one",
       "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: "
       "AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"},
      {"a BETWEEN :b AND :bprefix",
       "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: "
       "AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]}, upper bound operand: AttributeValue: "
       "{B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}"}};
  for (const auto& [text, message] : cases) EXPECT_EQ(outcome(text), "Invalid ConditionExpression: " + message) << text;
}

TEST(Condition, LimitsOperatorsOperandsAndNesting) {
  const auto repeated = [](const std::string& piece, int times, const std::string& between) {
    std::string text = piece;
    for (int i = 1; i < times; ++i) text += between + piece;
    return text;
  };
  EXPECT_EQ(outcome(repeated("a=b", 150, " OR ")), "false");  // 150 comparisons and 149 ORs
  EXPECT_EQ(outcome("NOT " + repeated("a=b", 150, " OR ")), "true");
  EXPECT_EQ(outcome(repeated("a=b", 151, " OR ")),
            "Invalid ConditionExpression: The expression contains too many operators; operator count: 301");
  EXPECT_EQ(outcome("n IN (" + repeated(":two", 100, ",") + ")"), "true");
  EXPECT_EQ(outcome("n IN (" + repeated(":two", 101, ",") + ")"),
            "Invalid ConditionExpression: The IN operator is provided with too many operands; number of operands: 101");
  EXPECT_EQ(outcome(std::string(4000, '(')), "Invalid ConditionExpression: The expression has redundant parentheses;");
  EXPECT_EQ(outcome(repeated("NOT", 1000, " ") + " a=b"),
            "Invalid ConditionExpression: The expression contains too many operators; operator count: 301");
  EXPECT_EQ(outcome(repeated("(a=b OR ", 400, "") + "a=b" + std::string(400, ')')),
            "Invalid ConditionExpression: The expression contains too many operators; operator count: 301");
  EXPECT_EQ(outcome(repeated("NOT (", 290, "") + "a=b" + std::string(290, ')')), "false");
  EXPECT_EQ(outcome("a" + repeated("[0]", 32, "") + " = :s"),
            "Invalid ConditionExpression: The document path has too many nesting levels; nesting levels: 33");
}

TEST(Condition, ChecksTheTextBeforePlaceholders) {
  EXPECT_EQ(outcome("#z = :z AND status = :s"),
            "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: status");
  EXPECT_EQ(outcome("status = :s AND nofunction(a)"),
            "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: status");
  EXPECT_EQ(outcome("a = :z AND size(:one) = :one"),
            "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute "
            "value: :z");
}

TEST(Condition, KnowsWhatItMentions) {
  Substitutions substitutions;
  substitutions.set_names(kNames);
  const Condition condition = parse_condition("#a.b[1] = x OR size(y) > z", ExpressionKind::filter, substitutions);
  for (const char* name : {"a", "x", "y", "z"}) EXPECT_TRUE(condition.mentions(name)) << name;
  EXPECT_FALSE(condition.mentions("b"));
}

TEST(Condition, SeesAnEmptyItemWhereNoneExists) {
  Substitutions substitutions;
  EXPECT_TRUE(
      evaluate(parse_condition("attribute_not_exists(pk)", ExpressionKind::condition, substitutions), ItemView()));
  EXPECT_FALSE(evaluate(parse_condition("attribute_exists(pk)", ExpressionKind::condition, substitutions), ItemView()));
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
