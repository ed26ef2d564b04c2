#include "lang/dynamodb/update.h"

#include <gtest/gtest.h>

#include <map>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

const std::map<std::string, std::string> kNames = {{"#n", "name"}, {"#a", "a"}};

const Item kValues = attribute_values_from_json(R"({
  ":s":{"S":"new"}, ":one":{"N":"1"}, ":two":{"N":"2"}, ":big":{"N":"1e50"}, ":huge":{"N":"9e125"},
  ":list":{"L":[{"S":"p"},{"S":"q"}]},
  ":map":{"M":{"k":{"N":"1"}}}, ":ss":{"SS":["b","d"]}, ":ssall":{"SS":["a","b","c"]}, ":ns":{"NS":["2","10"]},
  ":bs":{"BS":["AQ=="]}, ":bool":{"BOOL":true}, ":null":{"NULL":true}})");

const char* const kItem =
    R"({"a":{"S":"x"},"l":{"L":[{"N":"0"},{"N":"1"},{"M":{"k":{"S":"v"}}}]},"m":{"M":{"b":{"N":"5"},"d":{"M":{}}}},)"
    R"("n":{"N":"10"},"ns":{"NS":["1","2"]},"ss":{"SS":["a","b","c"]}})";

struct Outcome {
  std::string item;     // the new item's JSON, or the error
  std::string old;      // UPDATED_OLD
  std::string updated;  // UPDATED_NEW
};

Outcome run(const std::string& text, const char* item_json = kItem) {
  Substitutions substitutions;
  substitutions.set_names(kNames);
  substitutions.set_values(kValues);
  const Item item = item_from_json(item_json);
  try {
    const Update update = parse_update(text, substitutions);
    const auto result = apply(update, item);
    if (!result) return {result.error().what()};
    EXPECT_TRUE(is_valid_item(result->encoded())) << text;
    EXPECT_EQ(*apply(update, item), *result);
    return {to_json(result->view()), to_json(apply(update.paths, item)), to_json(apply(update.paths, *result))};
  } catch (const ExpressionError& error) {
    return {(error.prefixed() ? "1: " : "") + std::string(error.what())};
  }
}

// UPDATED_NEW, or the error.
std::string updated(const std::string& text) {
  const Outcome outcome = run(text);
  return outcome.updated.empty() ? outcome.item : outcome.updated;
}

TEST(Update, SetsAndRemoves) {
  const std::pair<const char*, const char*> cases[] = {
      {"SET a = :s", R"({"a":{"S":"new"}})"},
      {"SET z = :one, #n = :two", R"({"name":{"N":"2"},"z":{"N":"1"}})"},
      {"SET z = a", R"({"z":{"S":"x"}})"},
      {"SET z = m.b", R"({"z":{"N":"5"}})"},
      {"SET a = n, n = a", R"({"a":{"N":"10"},"n":{"S":"x"}})"},
      {"SET n = n + :one", R"({"n":{"N":"11"}})"},
      {"SET n = n - :two", R"({"n":{"N":"8"}})"},
      {"SET n = :one - n", R"({"n":{"N":"-9"}})"},
      {"SET n = (n + :one)", R"({"n":{"N":"11"}})"},
      {"SET n = (n) + (:one)", R"({"n":{"N":"11"}})"},
      {"SET z = if_not_exists(a, :one)", R"({"z":{"S":"x"}})"},
      {"SET z = if_not_exists(z, :one)", R"({"z":{"N":"1"}})"},
      {"SET z = if_not_exists(z, :one) + :one", R"({"z":{"N":"2"}})"},
      {"SET z = if_not_exists(z, if_not_exists(y, n))", R"({"z":{"N":"10"}})"},
      {"SET z = list_append(:list, l)",
       R"({"z":{"L":[{"S":"p"},{"S":"q"},{"N":"0"},{"N":"1"},{"M":{"k":{"S":"v"}}}]}})"},
      {"SET z = list_append(if_not_exists(z, :list), :list)",
       R"({"z":{"L":[{"S":"p"},{"S":"q"},{"S":"p"},{"S":"q"}]}})"},
      {"SET m.b = :s", R"({"m":{"M":{"b":{"S":"new"}}}})"},
      {"SET m.c = :s", R"({"m":{"M":{"c":{"S":"new"}}}})"},
      {"SET m.d.x = :s, m.a = :one", R"({"m":{"M":{"a":{"N":"1"},"d":{"M":{"x":{"S":"new"}}}}}})"},
      {"SET l[1] = :s", R"({"l":{"L":[{"S":"new"}]}})"},
      {"SET l[2].k = :s", R"({"l":{"L":[{"M":{"k":{"S":"new"}}}]}})"},
      {"set a = :s remove n", R"({"a":{"S":"new"}})"},
      {"REMOVE a", "{}"},
      {"REMOVE nothing", "{}"},
      {"REMOVE m.b", "{}"},
      {"REMOVE m.nil", "{}"},
      {"REMOVE l[9]", "{}"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(updated(text), expected) << text;
}

TEST(Update, ChangesListsByTheirOldIndexes) {
  const char* const item = R"({"l":{"L":[{"N":"0"},{"N":"1"},{"N":"2"}]}})";
  const std::pair<const char*, const char*> cases[] = {
      {"REMOVE l[0], l[1]", R"({"l":{"L":[{"N":"2"}]}})"},
      {"REMOVE l[0], l[1], l[2]", R"({"l":{"L":[]}})"},
      {"SET l[2] = :s REMOVE l[0]", R"({"l":{"L":[{"N":"1"},{"S":"new"}]}})"},
      {"SET l[7] = :s", R"({"l":{"L":[{"N":"0"},{"N":"1"},{"N":"2"},{"S":"new"}]}})"},
      {"SET l[9] = :two, l[5] = :one", R"({"l":{"L":[{"N":"0"},{"N":"1"},{"N":"2"},{"N":"1"},{"N":"2"}]}})"},
      {"SET l[0] = l[2], l[2] = l[0]", R"({"l":{"L":[{"N":"2"},{"N":"1"},{"N":"0"}]}})"},
      {"ADD l[1] :two, l[8] :one", R"({"l":{"L":[{"N":"0"},{"N":"3"},{"N":"2"},{"N":"1"}]}})"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(run(text, item).item, expected) << text;
}

TEST(Update, AddsToNumbersAndSetsAndDeletesFromSets) {
  const std::pair<const char*, const char*> cases[] = {
      {"ADD n :one", R"({"n":{"N":"11"}})"},
      {"ADD z :one", R"({"z":{"N":"1"}})"},
      {"ADD m.b :two", R"({"m":{"M":{"b":{"N":"7"}}}})"},
      {"ADD m.z :two", R"({"m":{"M":{"z":{"N":"2"}}}})"},
      {"ADD ss :ss", R"({"ss":{"SS":["a","b","c","d"]}})"},
      {"ADD ns :ns", R"({"ns":{"NS":["1","2","10"]}})"},
      {"ADD z :bs", R"({"z":{"BS":["AQ=="]}})"},
      {"DELETE ss :ss", R"({"ss":{"SS":["a","c"]}})"},
      {"DELETE ns :ns", R"({"ns":{"NS":["1"]}})"},
      {"DELETE ss :ssall", "{}"},
      {"DELETE z :ss", "{}"},
      {"ADD n :one DELETE ss :ss SET a = :s REMOVE l", R"({"a":{"S":"new"},"n":{"N":"11"},"ss":{"SS":["a","c"]}})"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(updated(text), expected) << text;
  EXPECT_EQ(run("DELETE ss :ssall", R"({"a":{"S":"x"},"ss":{"SS":["a"]}})").item, R"({"a":{"S":"x"}})");
}

TEST(Update, TellsWhatWasAndWhatIsNow) {
  const Outcome outcome = run("SET m.b = :s, z = :one REMOVE a, l[0] ADD n :one");
  EXPECT_EQ(outcome.old, R"({"a":{"S":"x"},"l":{"L":[{"N":"0"}]},"m":{"M":{"b":{"N":"5"}}},"n":{"N":"10"}})");
  EXPECT_EQ(outcome.updated, R"({"l":{"L":[{"N":"1"}]},"m":{"M":{"b":{"S":"new"}}},"n":{"N":"11"},"z":{"N":"1"}})");
  EXPECT_EQ(outcome.item,
            R"({"l":{"L":[{"N":"1"},{"M":{"k":{"S":"v"}}}]},"m":{"M":{"b":{"S":"new"},"d":{"M":{}}}},"n":{"N":"11"},)"
            R"("ns":{"NS":["1","2"]},"ss":{"SS":["a","b","c"]},"z":{"N":"1"}})");
}

TEST(Update, RefusesWhatDoesNotFitTheItem) {
  const char* const path = "The document path provided in the update expression is invalid for update";
  const char* const missing = "The provided expression refers to an attribute that does not exist in the item";
  const char* const type = "An operand in the update expression has an incorrect data type";
  const char* const overflow =
      "Number overflow. Attempting to store a number with magnitude larger than supported range";
  const std::pair<const char*, const char*> cases[] = {{"SET z.b = :s", path},
                                                       {"SET a.b = :s", path},
                                                       {"SET a[0] = :s", path},
                                                       {"SET m[0] = :s", path},
                                                       {"SET l.k = :s", path},
                                                       {"SET m.z.k = :s", path},
                                                       {"SET l[8].k = :s", path},
                                                       {"REMOVE z.b", path},
                                                       {"REMOVE l[8].k", path},
                                                       {"ADD z.b :one", path},
                                                       {"DELETE a.b :ss", path},
                                                       {"SET z = y", missing},
                                                       {"SET z = m.nil", missing},
                                                       {"SET z = l[9]", missing},
                                                       {"SET z = y + :one", missing},
                                                       {"SET z = list_append(y, :list)", missing},
                                                       {"SET z = if_not_exists(y, x)", missing},
                                                       {"SET z = a + :one", type},
                                                       {"SET z = :one - l", type},
                                                       {"SET z = list_append(:list, a)", type},
                                                       {"ADD a :one", type},
                                                       {"ADD n :ss", type},
                                                       {"ADD ns :ss", type},
                                                       {"DELETE ns :ss", type},
                                                       {"DELETE a :ss", type},
                                                       {"SET z = :big + :one", overflow},
                                                       {"SET z = :huge + :huge", overflow},
                                                       {"ADD n :big", overflow}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(run(text).item, expected) << text;
}

TEST(Update, ReportsWhatIsWrongWithAwsMessages) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "1: The expression can not be empty;"},
      {"INVALID SYNTAX HERE", "Syntax error; token: \"INVALID\", near: \"INVALID SYNTAX\""},
      {"SET", "Syntax error; token: \"<EOF>\", near: \"SET\""},
      {"SET a", "Syntax error; token: \"<EOF>\", near: \"a\""},
      {"SET a = :s b = :s", "Syntax error; token: \"b\", near: \":s b =\""},
      {"SET a = :s,", "Syntax error; token: \"<EOF>\", near: \",\""},
      {"SET _a = :s", "Syntax error; token: \"_\", near: \"SET _a\""},
      {"set 0 = :s", "Syntax error; token: \"0\", near: \"set 0 =\""},
      {"SET :s = a", "Syntax error; token: \":s\", near: \"SET :s =\""},
      {"SET a = :one + :one + :one", "Syntax error; token: \"+\", near: \":one + :one\""},
      {"ADD  SET a", "Syntax error; token: \"SET\", near: \"ADD  SET a\""},
      {"ADD a b", "Syntax error; token: \"b\", near: \"a b\""},
      {"REMOVE a :s", "Syntax error; token: \":s\", near: \"a :s\""},
      {"SET a = ((:s))", "The expression has redundant parentheses;"},
      {"SET name = :s", "Attribute name is a reserved keyword; reserved keyword: name"},
      {"SET a = names", "Attribute name is a reserved keyword; reserved keyword: names"},
      {"REMOVE l[2147483648]", "List index is not within the allowable range; index: [2147483648]"},
      {"SET a = nope(:s)", "Invalid function name; function: nope"},
      {"SET a = size(a)", "The function is not allowed in an update expression; function: size"},
      {"SET a = :s SET b = :s", "1: The \"SET\" section can only be used once in an update expression;"},
      {"REMOVE a ADD b :one REMOVE c", "1: The \"REMOVE\" section can only be used once in an update expression;"},
      {"SET #z = :s", "An expression attribute name used in the document path is not defined; attribute name: #z"},
      {"SET a = #z", "An expression attribute name used in the document path is not defined; attribute name: #z"},
      {"SET a = :z", "An expression attribute value used in expression is not defined; attribute value: :z"},
      {"SET a = :s, a = :one",
       "1: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: "
       "[a], path two: [a]"},
      {"SET #a = :s REMOVE a.b",
       "1: Two document paths overlap with each other; must remove or rewrite one of these paths; path "
       "one: [a], path two: [a, b]"},
      {"SET m.b = :s, m[1] = :s",
       "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: "
       "[m, b], path two: [m, [1]]"},
      {"ADD a :s",
       "Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: "
       "ALLOWED_FOR_ADD_OPERAND"},
      {"ADD a :list",
       "Incorrect operand type for operator or function; operator: ADD, operand type: LIST, typeSet: "
       "ALLOWED_FOR_ADD_OPERAND"},
      {"DELETE a :one",
       "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, typeSet: "
       "ALLOWED_FOR_DELETE_OPERAND"},
      {"DELETE a :bool",
       "Incorrect operand type for operator or function; operator: DELETE, operand type: BOOLEAN, typeSet: "
       "ALLOWED_FOR_DELETE_OPERAND"},
      {"SET a = b + :s", "Incorrect operand type for operator or function; operator or function: +, operand type: S"},
      {"SET a = :null - b",
       "Incorrect operand type for operator or function; operator or function: -, operand type: NULL"},
      {"SET a = list_append(b, :s)",
       "Incorrect operand type for operator or function; operator or function: list_append, operand type: S"},
      {"SET a = list_append(list_append(b, :list), :list)",
       "The function is not allowed to be used this way in an expression; function: list_append"},
      {"SET a = list_append(b)",
       "Incorrect number of operands for operator or function; operator or function: list_append, number of operands: "
       "1"},
      {"SET a = if_not_exists(b, c, d)",
       "Incorrect number of operands for operator or function; operator or function: if_not_exists, number of "
       "operands: 3"},
      {"SET a = if_not_exists(:s, :s)",
       "Operator or function requires a document path; operator or function: if_not_exists"}};
  for (const auto& [text, expected] : cases) {
    std::string message = expected;
    const std::string prefix = message.starts_with("1: ") ? "1: " : "";
    message.erase(0, prefix.size());
    EXPECT_EQ(run(text).item, prefix + "Invalid UpdateExpression: " + message) << text;
  }
}

TEST(Update, LeavesKeysAlone) {
  Substitutions substitutions;
  substitutions.set_values(kValues);
  const std::string_view keys[] = {"pk", "sk"};
  EXPECT_NO_THROW(check_key_untouched(parse_update("SET a = pk", substitutions), keys));
  for (const char* text : {"SET sk = :s", "REMOVE sk", "ADD sk :one", "SET sk.a = :s"}) {
    try {
      check_key_untouched(parse_update(text, substitutions), keys);
      ADD_FAILURE() << text;
    } catch (const ExpressionError& error) {
      EXPECT_STREQ(
          error.what(),
          "One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key");
    }
  }
}

TEST(Update, LimitsWhatOneExpressionCanMake) {
  const std::string big(300000, 'x');
  const Item values{{":v", Value::list({Value::string(big), Value::string(big)})}};
  const auto error = [&](const std::string& text) -> std::string {
    Substitutions substitutions;
    substitutions.set_values(values);
    const auto result = apply(parse_update(text, substitutions), ItemView());
    return result ? "no error" : result.error().what();
  };
  std::string sets = "SET a0 = :v";
  for (int i = 1; i < 100; ++i) sets += ", a" + std::to_string(i) + " = :v";
  // list_append takes no list_append, but both take if_not_exists.
  std::string appends = "list_append(:v, :v)";
  for (int i = 1; i < 50; ++i) appends = "list_append(if_not_exists(z, " + appends + "), :v)";
  EXPECT_EQ(error("SET a = :v"), "no error");
  EXPECT_EQ(error(sets), "Item size to update has exceeded the maximum allowed size");
  EXPECT_EQ(error("SET a = " + appends), "Item size to update has exceeded the maximum allowed size");
}

TEST(Update, LimitsNesting) {
  std::string deep = R"({"S":"x"})";
  for (int i = 0; i < kDepthMax - 1; ++i) deep = R"({"M":{"k":)" + deep + "}}";
  const Item values = attribute_values_from_json(R"({":deep":)" + deep + "}");
  const Item item = item_from_json(R"({"m":{"M":{}}})");
  const auto error = [&](const char* text) -> std::string {
    Substitutions substitutions;
    substitutions.set_values(values);
    const auto result = apply(parse_update(text, substitutions), item);
    return result ? "no error" : result.error().what();
  };
  EXPECT_EQ(error("SET m = :deep"), "no error");
  EXPECT_EQ(error("SET m.k = :deep"), kNestedTooDeeply);
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
