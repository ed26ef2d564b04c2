#include "base/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/json_objects.h"

namespace tidemill::base {
namespace {

std::string round_trip(std::string_view text) {
  const auto value = json::parse(text);
  return value ? json::write(*value)
               : "error at " + std::to_string(value.error().offset) + ": " + value.error().message;
}

TEST(Json, KeepsWhatTheTextSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "null"},
      {" true ", "true"},
      {"false", "false"},
      {"1.0", "1.0"},
      {"-0", "-0"},
      {"1e400", "1e400"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"[]", "[]"},
      {"{}", "{}"},
      {"[ 1 , [2] ]", "[1,[2]]"},
      {R"({"b":1,"a":{"c":[]}})", R"({"b":1,"a":{"c":[]}})"},
      {R"("A\/\n\u00e9\ud83d\ude00")", "\"A/\\n\u00e9\U0001f600\""},
      {R"("\u0000\u001f\"\\")", R"("\u0000\u001f\"\\")"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(round_trip(text), expected) << text;
}

TEST(Json, TakesTheLastOfMembersWithOneNameAtTheFirstPlace) {
  EXPECT_EQ(round_trip(R"({"a":1,"b":2,"a":3,"b":4,"a":5,"c":6})"), R"({"a":5,"b":4,"c":6})");
}

TEST(Json, RefusesWhatIsNotStrict) {
  for (const char* text : {"",
                           " ",
                           "nul",
                           "tru",
                           "+1",
                           "01",
                           "1.",
                           ".5",
                           "1e",
                           "- 1",
                           "NaN",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\n\"",
                           "\"\xff\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xe2\x82\"",
                           "1 2",
                           "[1]]",
                           "// c\n1",
                           "[",
                           "{"}) {
    EXPECT_FALSE(json::parse(text).has_value()) << text;
  }
}

TEST(Json, LimitsDepth) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_TRUE(json::parse(nested(json::kDepthMax)).has_value());
  EXPECT_FALSE(json::parse(nested(json::kDepthMax + 1)).has_value());
  EXPECT_TRUE(json::parse("[1]", 1).has_value());
  EXPECT_FALSE(json::parse("[[1]]", 1).has_value());
  EXPECT_FALSE(json::parse(std::string(1000000, '[')).has_value());
}

TEST(Json, SaysWhereTheErrorIs) { EXPECT_EQ(round_trip("[1,x]"), "error at 3: unexpected character"); }

TEST(Json, FindsSetsAndErasesMembers) {
  json::Object object{{"a", 1}, {"b", "x"}};
  object.set("a", true);
  object.set("c", json::Array{1, nullptr});
  EXPECT_EQ(json::write(object), R"({"a":true,"b":"x","c":[1,null]})");
  EXPECT_TRUE(object.erase("b"));
  EXPECT_FALSE(object.erase("b"));
  EXPECT_EQ(object.find("b"), nullptr);
  EXPECT_TRUE(object.find("a")->boolean());
}

TEST(Json, ReadsNumbers) {
  EXPECT_EQ(json::parse("12")->to_int64(), 12);
  EXPECT_EQ(json::parse("-12.0")->to_int64(), -12);
  EXPECT_EQ(json::parse("1e2")->to_int64(), 100);
  EXPECT_EQ(json::parse("1.5")->to_int64(), std::nullopt);
  EXPECT_EQ(json::parse("9223372036854775808")->to_int64(), std::nullopt);
  EXPECT_EQ(json::parse("1.5")->to_double(), 1.5);
  EXPECT_EQ(json::parse("1e400")->to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(json::parse("-1e-400")->to_double(), 0);
  EXPECT_EQ(json::parse("\"1\"")->to_int64(), std::nullopt);
}

TEST(Json, ComparesByValue) {
  const auto same = [](const char* a, const char* b) { return json::equal(*json::parse(a), *json::parse(b)); };
  EXPECT_TRUE(same(R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1e0})"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"a":1,"b":1})"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same("1", "\"1\""));
}

TEST(Json, WritesShortestDoubles) {
  for (const double number : {0.1, 1.0, -2.5, 1e300, 5e-324, 123456789.125}) {
    std::string text;
    json::Writer(text).number(number);
    EXPECT_EQ(json::parse(text)->to_double(), number) << text;
  }
  std::string text;
  json::Writer(text).number(std::nan(""));
  EXPECT_EQ(text, "null");
}

TEST(Json, WritesWithCommasWhereTheyBelong) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  writer.key("a");
  writer.begin_array();
  writer.integer(1);
  writer.integer(uint64_t{18446744073709551615u});
  writer.begin_object();
  writer.end_object();
  writer.null();
  writer.end_array();
  writer.key("q\"");
  writer.boolean(true);
  writer.key("r");
  writer.raw("[0]");
  writer.key("v");
  writer.value(json::Value("x"));
  writer.end_object();
  EXPECT_EQ(text, R"({"a":[1,18446744073709551615,{},null],"q\"":true,"r":[0],"v":"x"})");
}

TEST(Json, EscapesEveryByteAtEveryPlace) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (size_t before = 0; before < 18; ++before) {
      const std::string plain = std::string(before, 'x') + static_cast<char>(byte);
      std::string written;
      json::append_string(written, plain);
      ASSERT_EQ(json::is_plain(plain), written.size() == plain.size() + 2);
      ASSERT_EQ(json::is_plain(plain + std::string(before, 'y')), json::is_plain(plain));
      const auto parsed = json::parse(written);
      ASSERT_TRUE(parsed.has_value()) << written;
      ASSERT_EQ(parsed->string(), plain);
    }
  }
}

TEST(Json, BringsRandomDocumentsBack) {
  std::mt19937 random(3);
  const auto document = [&](auto& self, int depth) -> json::Value {
    switch (random() % (depth > 4 ? 4 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return random() % 2 == 0;
      case 2:
        return static_cast<int64_t>(random()) - 1000000;
      case 3: {
        std::string text;
        for (size_t i = random() % 20; i > 0; --i) text.push_back(static_cast<char>(random() % 0x80));
        return text;
      }
      case 4: {
        json::Array array;
        for (size_t i = random() % 4; i > 0; --i) array.push_back(self(self, depth + 1));
        return array;
      }
      default: {
        json::Object object;
        for (size_t i = random() % 4; i > 0; --i)
          object.set("k" + std::to_string(random() % 10), self(self, depth + 1));
        return object;
      }
    }
  };
  for (int i = 0; i < 2000; ++i) {
    const json::Value value = document(document, 0);
    const auto back = json::parse(json::write(value));
    ASSERT_TRUE(back.has_value());
    ASSERT_TRUE(json::equal(value, *back));
    ASSERT_EQ(json::write(*back), json::write(value));
  }
}

TEST(Json, ManyMembersAreSetAtOnce) {
  std::vector<json::Member> members{{"a", 1}, {"b", 2}, {"a", 3}, {"c", 4}};
  EXPECT_EQ(json::write(json::object_of(members)), R"({"a":3,"b":2,"c":4})");
  EXPECT_EQ(json::object_of({}).size(), 0u);
}

TEST(Json, LargeObjectsAreEqualInAnyOrder) {
  std::vector<json::Member> members;
  for (int i = 0; i < 20'000; ++i) members.emplace_back(std::to_string(i), i);
  const json::Value forward = json::object_of(members);
  std::ranges::reverse(members);
  EXPECT_TRUE(json::equal(forward, json::object_of(members)));
  members[7].second = "other";
  EXPECT_FALSE(json::equal(forward, json::object_of(members)));
  members[7].first = "other";
  EXPECT_FALSE(json::equal(forward, json::object_of(members)));
}

}  // namespace
}  // namespace tidemill::base
