#include "lang/dynamodb/expression.h"

#include <gtest/gtest.h>

#include <map>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

using Names = std::map<std::string, std::string>;

template <class Action>
std::string error_of(Action action) {
  try {
    action();
    return "no error";
  } catch (const ExpressionError& error) {
    return (error.prefixed() ? "1: " : "") + std::string(error.what());
  }
}

TEST(Substitutions, ChecksPlaceholders) {
  const auto names = [](const Names& names) { return error_of([&] { Substitutions().set_names(names); }); };
  EXPECT_EQ(names({{"#a", "x"}, {"#_1", "y"}, {"#0", "z"}}), "no error");
  EXPECT_EQ(names({}), "ExpressionAttributeNames must not be empty");
  EXPECT_EQ(names({{"a", "x"}}), "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"");
  EXPECT_EQ(names({{"#", "x"}}), "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\"");
  EXPECT_EQ(names({{"#a-b", "x"}}), "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#a-b\"");
  EXPECT_EQ(names({{"#a", ""}}), "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a");
  EXPECT_EQ(
      names({{"#" + std::string(255, 'a'), "x"}}),
      "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; "
      "size of key: 256");
  const auto values = [](const Item& values) { return error_of([&] { Substitutions().set_values(values); }); };
  EXPECT_EQ(values({{":a", Value::null()}}), "no error");
  EXPECT_EQ(values({}), "1: ExpressionAttributeValues must not be empty");
  EXPECT_EQ(values({{"a", Value::null()}}), "ExpressionAttributeValues contains invalid key: Syntax error; key: \"a\"");
  EXPECT_EQ(values({{"", Value::null()}}), "ExpressionAttributeValues contains invalid key: Syntax error; key: \"\"");
}

TEST(Substitutions, TellsWhatWasNotUsed) {
  const Names names{{"#a", "x"}, {"#b", "y"}};
  const Item values{{":c", Value::number(1)}, {":d", Value::number(2)}};
  Substitutions substitutions;
  substitutions.set_names(names);
  substitutions.set_values(values);
  EXPECT_EQ(substitutions.name("#z"), std::nullopt);
  EXPECT_EQ(substitutions.name("#b"), "y");
  EXPECT_EQ(substitutions.value(":e"), std::nullopt);
  EXPECT_EQ(error_of([&] { substitutions.check_all_used(); }),
            "1: Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}");
  EXPECT_EQ(substitutions.name("#a"), "x");
  EXPECT_EQ(error_of([&] { substitutions.check_all_used(); }),
            "1: Value provided in ExpressionAttributeValues unused in expressions: keys: {:c, :d}");
  EXPECT_EQ(substitutions.value(":c")->number(), Decimal(1));
  EXPECT_EQ(substitutions.value(":d")->number(), Decimal(2));
  EXPECT_EQ(error_of([&] { substitutions.check_all_used(); }), "no error");
  EXPECT_EQ(error_of([&] { Substitutions().check_all_used(); }), "no error");
}

TEST(ReservedWords, AreReservedInAnyCase) {
  for (const char* word : {"ABORT", "name", "Status", "zOnE", "TTL", "localtimestamp", "SQLEXCEPTION"}) {
    EXPECT_TRUE(is_reserved_word(word)) << word;
  }
  for (const char* word : {"", "id", "pk", "names_", "statusx", "localtimestampx", "ABOR"}) {
    EXPECT_FALSE(is_reserved_word(word)) << word;
  }
}

TEST(Path, FindsWhatItNames) {
  const Item item = item_from_json(R"({"a":{"M":{"b":{"L":[{"S":"x"},{"M":{"c":{"N":"5"}}}]}}}})");
  const auto step = [](const char* name) { return PathStep{name}; };
  const auto index = [](uint32_t i) { return PathStep{"", i, true}; };
  const auto found = [&](std::vector<PathStep> steps) {
    const auto value = resolve(Path{std::move(steps)}, item);
    return value ? to_json(*value) : "nothing";
  };
  EXPECT_EQ(found({step("a"), step("b"), index(1), step("c")}), R"({"N":"5"})");
  EXPECT_EQ(found({step("a"), step("b"), index(0)}), R"({"S":"x"})");
  EXPECT_EQ(found({step("a"), step("b"), index(2)}), "nothing");
  EXPECT_EQ(found({step("a"), index(0)}), "nothing");
  EXPECT_EQ(found({step("a"), step("b"), step("c")}), "nothing");
  EXPECT_EQ(found({step("z")}), "nothing");
  EXPECT_EQ((Path{{step("a"), step("b"), index(1), step("c")}}.to_string()), "[a, b, [1], c]");
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
