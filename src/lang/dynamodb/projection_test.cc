#include "lang/dynamodb/projection.h"

#include <gtest/gtest.h>

#include <map>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

const std::map<std::string, std::string> kNames = {{"#a", "a"}, {"#name", "name"}};

const Item kItem = item_from_json(R"({
  "a":{"S":"1"}, "lst":{"L":[{"N":"0"},{"M":{"k":{"N":"1"},"l":{"N":"2"}}},{"N":"3"},{"L":[{"S":"x"},{"S":"y"}]}]},
  "mp":{"M":{"p":{"M":{"q":{"S":"deep"},"r":{"S":"rest"}}},"s":{"N":"5"}}}, "name":{"S":"n"}, "z":{"NULL":true}})");

std::string outcome(const std::string& text) {
  Substitutions substitutions;
  substitutions.set_names(kNames);
  try {
    const Item item = apply(parse_projection(text, substitutions), kItem);
    EXPECT_TRUE(is_valid_item(item.encoded())) << text;
    return to_json(item.view());
  } catch (const ExpressionError& error) {
    return (error.prefixed() ? "1: " : "") + std::string(error.what());
  }
}

TEST(Projection, CutsOutWhatItNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"a", R"({"a":{"S":"1"}})"},
      {"z, #name ,a", R"({"a":{"S":"1"},"name":{"S":"n"},"z":{"NULL":true}})"},
      {"absent", "{}"},
      {"a.b", "{}"},
      {"a[0]", "{}"},
      {"mp.p.q", R"({"mp":{"M":{"p":{"M":{"q":{"S":"deep"}}}}}})"},
      {"mp.s, mp.p.r", R"({"mp":{"M":{"p":{"M":{"r":{"S":"rest"}}},"s":{"N":"5"}}}})"},
      {"mp.p.nil", "{}"},
      {"mp.p.nil, mp.s", R"({"mp":{"M":{"s":{"N":"5"}}}})"},
      {"lst[2]", R"({"lst":{"L":[{"N":"3"}]}})"},
      {"lst[2], lst[0]", R"({"lst":{"L":[{"N":"0"},{"N":"3"}]}})"},
      {"lst[1].l, lst[3][1]", R"({"lst":{"L":[{"M":{"l":{"N":"2"}}},{"L":[{"S":"y"}]}]}})"},
      {"lst[7]", "{}"},
      {"lst[1].nil, lst[0]", R"({"lst":{"L":[{"N":"0"}]}})"},
      {"lst.k", "{}"},
      {"mp[0]", "{}"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(text), expected) << text;
}

TEST(Projection, ReportsWhatIsWrongWithAwsMessages) {
  const std::pair<const char*, std::string> cases[] = {
      {"", "Invalid ProjectionExpression: The expression can not be empty;"},
      {"a,", "Invalid ProjectionExpression: Syntax error; token: \"<EOF>\", near: \",\""},
      {"a b", "Invalid ProjectionExpression: Syntax error; token: \"b\", near: \"a b\""},
      {"(a)", "Invalid ProjectionExpression: Syntax error; token: \"(\", near: \"(a\""},
      {"a, :b", "Invalid ProjectionExpression: Syntax error; token: \":b\", near: \", :b\""},
      {"name", "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: name"},
      {"set", "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: set"},
      {"#z",
       "Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; attribute "
       "name: #z"},
      {"a, #a",
       "1: Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of "
       "these "
       "paths; path one: [a], path two: [a]"},
      {"a, a.b[1]",
       "1: Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of "
       "these paths; path one: [a], path two: [a, b, [1]]"},
      {"a.b[1], c, a",
       "1: Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of "
       "these paths; path one: [a, b, [1]], path two: [a]"},
      {"a.b, a[1]",
       "Invalid ProjectionExpression: Two document paths conflict with each other; must remove or rewrite one of these "
       "paths; path one: [a, b], path two: [a, [1]]"},
      {"a.b, a[1], c, c",
       "1: Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one "
       "of these paths; path one: [c], path two: [c]"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(text), expected) << text;
}

TEST(Projection, IsMadeOfAttributeNamesToo) {
  EXPECT_EQ(to_json(apply(projection_of({"z", "a", "nil", "a"}), kItem)), R"({"a":{"S":"1"},"z":{"NULL":true}})");
  EXPECT_EQ(to_json(apply(projection_of({}), kItem)), "{}");
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
