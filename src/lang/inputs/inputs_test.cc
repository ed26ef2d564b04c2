// Paths into events and what templates make of them.
#include <gtest/gtest.h>

#include "lang/inputs/input_path.h"
#include "lang/inputs/input_template.h"

namespace tidemill::lang::inputs {
namespace {

std::string find(std::string_view path, std::string_view event) {
  const auto document = json::parse(event);
  const json::Value* found = InputPath::parse(path).find(*document);
  return found ? json::write(*found) : "nothing";
}

TEST(InputPathTest, NamesAndPlacesLeadToAValue) {
  constexpr std::string_view kEvent = R"({"id":"1","detail":{"detail-type":"x","items":[{"n":1.50},[7]]}})";
  EXPECT_EQ(find("$.id", kEvent), R"("1")");
  EXPECT_EQ(find("$", R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(find("$.detail.detail-type", kEvent), R"("x")");
  EXPECT_EQ(find("$.detail.items[0].n", kEvent), "1.50");
  EXPECT_EQ(find("$.detail.items[1][0]", kEvent), "7");
  EXPECT_EQ(find("$.detail.items[2]", kEvent), "nothing");
  EXPECT_EQ(find("$.detail.items.n", kEvent), "nothing");
  EXPECT_EQ(find("$.id[0]", kEvent), "nothing");
  EXPECT_EQ(find("$.none.at.all", kEvent), "nothing");
}

TEST(InputPathTest, WhatIsNoPathIsRefused) {
  for (const char* path : {"", "detail", "$detail", "$.", "$..a", "$.a[", "$.a[x]", "$.a[*]", "$.a[-1]", "$.a[0", "$.*",
                           "$['a']", "$.a[?(@.b)]", "$.a b"}) {
    EXPECT_THROW((void)InputPath::parse(path), InputError) << path;
  }
}

TEST(InputPathTest, AWildcardIsAListOfWhatIsBehindIt) {
  const auto event = json::parse(R"({"items":[{"id":1,"tags":["a","b"]},{"none":0},{"id":2,"tags":["c"]}],"n":1})");
  const auto select = [&](std::string_view path) {
    const auto found = InputPath::parse(path, InputPath::Wildcards::allowed).select(*event);
    return found ? json::write(*found) : "nothing";
  };
  EXPECT_EQ(select("$.items[*].id"), "[1,2]");
  EXPECT_EQ(select("$.items[*].tags[*]"), R"([["a","b"],["c"]])");
  EXPECT_EQ(select("$.items[2].id"), "2");
  EXPECT_EQ(select("$.n[*]"), "nothing");
  EXPECT_EQ(select("$.missing"), "nothing");
  EXPECT_THROW((void)InputPath::parse("$.items[*]"), InputError) << "only where they are allowed";
}

std::string render(std::string_view text) {
  static const auto kValues =
      json::parse(R"x({"name":"Ann \"A\"","count":3,"yes":true,"none":null,"list":["a",1],"object":{"k":"v"}})x");
  return InputTemplate::parse(text)
      .render([](std::string_view name) { return kValues->find(name); }, 1'000)
      .value_or("too long");
}

TEST(InputTemplateTest, OutsideOfQuotesAValueIsJson) {
  EXPECT_EQ(render(R"({"a":<name>,"b":<count>,"c":<object>,"d":<list>,"e":<none>})"),
            R"x({"a":"Ann \"A\"","b":3,"c":{"k":"v"},"d":["a",1],"e":null})x");
  EXPECT_EQ(render("<object>"), R"({"k":"v"})");
}

TEST(InputTemplateTest, WithinQuotesAValueIsItsText) {
  EXPECT_EQ(render(R"("<count> of <list>, <yes>: <object>")"), R"("3 of [a,1], true: {k:v}")");
  EXPECT_EQ(render(R"("<name>")"), R"x("Ann "A"")x") << "nothing is escaped";
  EXPECT_EQ(render(R"({"a":"say \"<count>\""})"), R"({"a":"say \"3\""})");
}

TEST(InputTemplateTest, WhatIsNotThereIsEmpty) {
  EXPECT_EQ(render(R"({"a":<missing>,"b":"x<missing>y"})"), R"({"a":"","b":"xy"})");
}

TEST(InputTemplateTest, WhatIsNoPlaceStaysAsItIs) {
  EXPECT_EQ(render(R"("1 < 2 and 3 > 2, < count>, <>, \<count")"), R"("1 < 2 and 3 > 2, < count>, <>, \<count")");
  EXPECT_EQ(InputTemplate::parse("<a> <b.c> <a>").names(), (std::vector<std::string_view>{"a", "b.c", "a"}));
}

TEST(InputTemplateTest, APlaceThatDoesNotEndIsFoundOutsideOfQuotes) {
  EXPECT_EQ(InputTemplate::unclosed(R"({"a":<count>,"b":"1 < 2, <a"})"), std::nullopt);
  EXPECT_EQ(InputTemplate::unclosed(R"({"a":<count,"b":1})"), "count");
  EXPECT_EQ(InputTemplate::unclosed("<count"), "count");
  EXPECT_EQ(InputTemplate::unclosed(R"("\"<a" <b)"), "b");
  EXPECT_EQ(InputTemplate::unclosed("< count>"), "");
}

TEST(InputTemplateTest, SeveralStringsStandOnLinesOfTheirOwn) {
  EXPECT_EQ(render("\"<count> times\"\n\"<yes>\""), "\"3 times\"\n\"true\"");
}

TEST(InputTemplateTest, IsNoLongerThanItMayBe) {
  const json::Value value = std::string(100, 'x');
  const auto rendered = [&](size_t places, size_t bytes_max) {
    std::string text;
    for (size_t i = 0; i < places; ++i) text += "<a>";
    const auto made = InputTemplate::parse(text).render([&](std::string_view) { return &value; }, bytes_max);
    return made ? made->size() : 0;
  };
  EXPECT_EQ(rendered(3, 306), 306u);
  EXPECT_EQ(rendered(3, 305), 0u);
  size_t asked = 0;
  const auto count = [&](std::string_view) { return ++asked, &value; };
  EXPECT_EQ(InputTemplate::parse("<a><a><a><a>").render(count, 150), std::nullopt);
  EXPECT_EQ(asked, 2u) << "what could not be kept is not made";
}

}  // namespace
}  // namespace tidemill::lang::inputs
