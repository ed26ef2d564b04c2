#include "lang/dynamodb/value.h"

#include <gtest/gtest.h>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

Decimal decimal(std::string_view text) { return *Decimal::parse(text); }

TEST(Value, SaysWhatItIs) {
  EXPECT_EQ(Value::string("ä").view().string(), "ä");
  EXPECT_EQ(Value::binary(std::string_view("\0\xff", 2)).view().string(), std::string_view("\0\xff", 2));
  EXPECT_EQ(Value::number(-5).view().number(), Decimal(-5));
  EXPECT_TRUE(Value::boolean(true).view().boolean());
  EXPECT_FALSE(Value::boolean(false).view().boolean());
  EXPECT_EQ(Value().type(), Type::NUL);
  for (const auto& [value, type] : {std::pair(Value::string(""), Type::S),
                                    {Value::binary(""), Type::B},
                                    {Value::number(1), Type::N},
                                    {Value::boolean(true), Type::BOOL},
                                    {Value::null(), Type::NUL},
                                    {Value::list({}), Type::L},
                                    {Value::map({}), Type::M},
                                    {Value::string_set({"a"}), Type::SS},
                                    {Value::number_set({Decimal(1)}), Type::NS},
                                    {Value::binary_set({"a"}), Type::BS}}) {
    EXPECT_EQ(value.type(), type);
    EXPECT_EQ(type_from_name(type_name(type)), type);
    EXPECT_TRUE(is_valid_value(value.encoded())) << type_name(type);
    EXPECT_EQ(Value(value.view()), value);
  }
  EXPECT_EQ(type_from_name("X"), std::nullopt);
}

TEST(Value, HasEqualBytesWhereValuesAreEqual) {
  EXPECT_EQ(Value::number(decimal("1.0")), Value::number(1));
  EXPECT_EQ(Value::string_set({"b", "a", "b"}), Value::string_set({"a", "b"}));
  EXPECT_EQ(Value::number_set({decimal("10"), decimal("9"), decimal("1e1")}),
            Value::number_set({Decimal(9), Decimal(10)}));
  EXPECT_EQ(Value::map({{"b", Value::number(1)}, {"a", Value()}}),
            Value::map({{"a", Value()}, {"b", Value::number(1)}}));
  EXPECT_NE(Value::list({Value::number(1), Value::number(2)}), Value::list({Value::number(2), Value::number(1)}));
  EXPECT_NE(Value::string("a"), Value::binary("a"));
}

TEST(Value, FindsWhatIsInside) {
  const Value map = Value::map(
      {{"list", Value::list({Value::number(1), Value::string("x")})}, {"set", Value::string_set({"p", "q"})}});
  const ValueView view = map.view();
  EXPECT_EQ(view.count(), 2u);
  EXPECT_EQ(view.find("list")->count(), 2u);
  EXPECT_EQ(view.find("list")->at(1)->string(), "x");
  EXPECT_EQ(view.find("list")->at(2), std::nullopt);
  EXPECT_EQ(view.find("nothing"), std::nullopt);
  EXPECT_TRUE(view.find("set")->set_contains("q"));
  EXPECT_FALSE(view.find("set")->set_contains("r"));
  EXPECT_EQ(view.find("set")->count(), 2u);
}

TEST(Value, OrdersStringsNumbersAndBinaries) {
  EXPECT_TRUE(compare(Value::string("a"), Value::string("b")) < 0);
  EXPECT_TRUE(compare(Value::string("a"), Value::string("")) > 0);
  EXPECT_TRUE(compare(Value::string("\x7f"), Value::string("ä")) < 0);
  EXPECT_TRUE(compare(Value::number(9), Value::number(10)) < 0);
  EXPECT_TRUE(compare(Value::number(-10), Value::number(-9)) < 0);
  EXPECT_TRUE(compare(Value::binary("\xff"), Value::binary("\x01")) > 0);
  EXPECT_TRUE(compare(Value::number(1), Value::number(decimal("1.00"))) == 0);
  EXPECT_FALSE(compare(Value::number(1), Value::string("1")) == 0);
  EXPECT_EQ(compare(Value::boolean(true), Value::boolean(true)), std::partial_ordering::unordered);
}

TEST(Item, IsEditedInPlace) {
  Item item{{"b", Value::number(1)}, {"a", Value::string("x")}};
  item.set("c", Value::null());
  item.set("b", Value::number(2));
  item.set("aa", Value::boolean(true));
  EXPECT_EQ(to_json(item.view()), R"({"a":{"S":"x"},"aa":{"BOOL":true},"b":{"N":"2"},"c":{"NULL":true}})");
  EXPECT_TRUE(item.remove("a"));
  EXPECT_FALSE(item.remove("a"));
  EXPECT_TRUE(item.remove("c"));
  EXPECT_EQ(item, (Item{{"aa", Value::boolean(true)}, {"b", Value::number(2)}}));
  EXPECT_EQ(item.view().count(), 2u);
  EXPECT_TRUE(Item().empty());
}

TEST(Item, TakesTheLastOfAttributesWithOneName) {
  const Value one = Value::number(1), two = Value::number(2), three = Value::number(3);
  MembersBuilder builder;
  builder.add("x", one);
  builder.add("a", two);
  builder.add("x", three);
  EXPECT_EQ(builder.build_item(), (Item{{"a", two}, {"x", three}}));
}

TEST(ItemSize, FollowsTheDeveloperGuide) {
  const std::pair<const char*, size_t> cases[] = {{R"({"id":{"S":"id_value"}})", 2 + 8},
                                                  {R"({"n":{"N":"101"}})", 1 + 3},
                                                  {R"({"n":{"N":"-101"}})", 1 + 4},
                                                  {R"({"n":{"N":"1000"}})", 1 + 2},
                                                  {R"({"n":{"N":"0"}})", 1 + 1},
                                                  {R"({"n":{"N":"1.5"}})", 1 + 3},
                                                  {R"({"n":{"N":"3.14159"}})", 1 + 5},
                                                  {R"({"n":{"N":"100.5"}})", 1 + 4},
                                                  {R"({"n":{"N":"0.0000001"}})", 1 + 2},
                                                  {R"({"n":{"N":"1e125"}})", 1 + 2},
                                                  {R"({"ä":{"S":"ö"}})", 2 + 2},
                                                  {R"({"b":{"B":"AAECAwQF"}})", 1 + 6},
                                                  {R"({"b":{"BOOL":true},"n":{"NULL":true}})", 4},
                                                  {R"({"l":{"L":[]}})", 1 + 3},
                                                  {R"({"l":{"L":[{"S":"ab"},{"N":"5"}]}})", 1 + 3 + 1 + 2 + 1 + 2},
                                                  {R"({"m":{"M":{"k":{"S":"ab"}}}})", 1 + 3 + 1 + 1 + 2},
                                                  {R"({"s":{"SS":["ab","c"]}})", 1 + 3},
                                                  {R"({"s":{"NS":["1","22","-3"]}})", 1 + 2 + 2 + 3},
                                                  {R"({"s":{"BS":["AAEC"]}})", 1 + 3},
                                                  {R"({})", 0}};
  for (const auto& [text, size] : cases) EXPECT_EQ(item_size(item_from_json(text)), size) << text;
}

TEST(Depth, CountsListsAndMaps) {
  EXPECT_EQ(depth(Value::string("x")), 1);
  EXPECT_EQ(depth(Value::string_set({"x"})), 1);
  EXPECT_EQ(depth(Value::list({})), 1);
  EXPECT_EQ(depth(Value::list({Value::map({{"a", Value::list({})}}), Value::number(1)})), 3);
}

TEST(Checking, RefusesBytesThatAreNoEncoding) {
  const std::string good[] = {Value::string("abc").encoded(), Value::number(12).encoded(),
                              Value::map({{"a", Value::list({Value::number(1)})}, {"b", Value()}}).encoded(),
                              Value::number_set({Decimal(1), Decimal(2)}).encoded()};
  for (const std::string& bytes : good) {
    EXPECT_TRUE(is_valid_value(bytes));
    EXPECT_FALSE(is_valid_value(bytes + "\x01"));
    for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(is_valid_value(bytes.substr(0, size)));
  }
  EXPECT_FALSE(is_valid_value(std::string("\x7f", 1)));
  EXPECT_FALSE(is_valid_value(std::string("\x05\x80\x00", 3)));          // a size in more bytes than needed
  EXPECT_FALSE(is_valid_value(std::string("\x09\x00\x00\x00\x00", 5)));  // an empty set
  EXPECT_FALSE(
      is_valid_value(std::string("\x09\x04\x00\x00\x00\x01"
                                 "b\x01"
                                 "a",
                                 9)));  // an unsorted one
  EXPECT_FALSE(
      is_valid_item(std::string("\x01"
                                "a\x01\x01"
                                "a\x01",
                                6)));  // a name twice
  EXPECT_TRUE(is_valid_item(""));
  Value deep = Value::list({});
  for (int i = 1; i < kDepthMax; ++i) deep = Value::list({deep});
  EXPECT_TRUE(is_valid_value(deep.encoded()));
  EXPECT_FALSE(is_valid_value(Value::list({deep}).encoded()));
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
