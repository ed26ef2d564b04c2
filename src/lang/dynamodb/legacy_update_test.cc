#include "lang/dynamodb/legacy_update.h"

#include <gtest/gtest.h>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

// Attribute "a" before and after; "" is none. Or the error.
std::string updated(const char* before, std::optional<std::string_view> action, const char* value) {
  const Item item = *before ? item_from_json(std::string(R"({"a":)") + before + "}") : Item();
  const Value operand = *value ? value_from_json(value) : Value();
  LegacyAttributeUpdate entry{"a", action, {}};
  if (*value) entry.value = operand.view();
  try {
    const Update update = legacy_update({&entry, 1});
    const auto result = apply(update, item);
    if (!result) return result.error().what();
    EXPECT_TRUE(is_valid_item(result->encoded()));
    const auto after = result->find("a");
    return after ? to_json(*after) : "";
  } catch (const ExpressionError& error) {
    return (error.prefixed() ? "1: " : "") + std::string(error.what());
  }
}

TEST(LegacyUpdates, PutSetsWhateverWasThere) {
  EXPECT_EQ(updated("", "PUT", R"({"S":"x"})"), R"({"S":"x"})");
  EXPECT_EQ(updated(R"({"N":"1"})", std::nullopt, R"({"L":[]})"), R"({"L":[]})");
}

TEST(LegacyUpdates, AddAddsNumbersElementsAndLists) {
  EXPECT_EQ(updated(R"({"N":"1"})", "ADD", R"({"N":"-2.5"})"), R"({"N":"-1.5"})");
  EXPECT_EQ(updated("", "ADD", R"({"N":"2"})"), R"({"N":"2"})");
  EXPECT_EQ(updated(R"({"SS":["a"]})", "ADD", R"({"SS":["b","a"]})"), R"({"SS":["a","b"]})");
  EXPECT_EQ(updated("", "ADD", R"({"NS":["1"]})"), R"({"NS":["1"]})");
  EXPECT_EQ(updated(R"({"L":[{"N":"1"}]})", "ADD", R"({"L":[{"N":"1"},{"S":"x"}]})"),
            R"({"L":[{"N":"1"},{"N":"1"},{"S":"x"}]})");
  EXPECT_EQ(updated("", "ADD", R"({"L":[{"N":"1"}]})"), R"({"L":[{"N":"1"}]})");
}

TEST(LegacyUpdates, DeleteRemovesTheAttributeOrElements) {
  EXPECT_EQ(updated(R"({"N":"1"})", "DELETE", ""), "");
  EXPECT_EQ(updated("", "DELETE", ""), "");
  EXPECT_EQ(updated(R"({"SS":["a","b"]})", "DELETE", R"({"SS":["b","c"]})"), R"({"SS":["a"]})");
  EXPECT_EQ(updated(R"({"SS":["a","b"]})", "DELETE", R"({"SS":["b","a"]})"), "");
}

TEST(LegacyUpdates, TypesMustFit) {
  const std::string invalid = "1: One or more parameter values were invalid: ";
  EXPECT_EQ(updated("", "PUT", ""), invalid + "Only DELETE action is allowed when no attribute value is specified");
  EXPECT_EQ(updated("", "ADD", R"({"S":"x"})"), invalid + "ADD action is not supported for the type S");
  EXPECT_EQ(updated("", "DELETE", R"({"L":[]})"), invalid + "DELETE action with value is not supported for the type L");
  EXPECT_EQ(updated(R"({"S":"x"})", "ADD", R"({"N":"1"})"), "Type mismatch for attribute to update");
  EXPECT_EQ(updated(R"({"SS":["x"]})", "ADD", R"({"L":[]})"), "Type mismatch for attribute to update");
  EXPECT_EQ(updated(R"({"SS":["x"]})", "DELETE", R"({"NS":["1"]})"), "Type mismatch for attribute to update");
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
