// A set of patterns finds what each pattern by itself matches, and asks few others.
#include "lang/patterns/pattern_set.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace tidemill::lang::patterns {
namespace {

using base::cat;
using Places = std::vector<uint32_t>;

PatternSet set_of(const std::vector<std::string>& patterns) {
  PatternSet::Builder builder;
  for (const std::string& pattern : patterns) builder.add(Pattern::parse(pattern, without_limits(sns_body())));
  return std::move(builder).finish();
}

json::Value parse(std::string_view text) {
  auto document = json::parse(text);
  EXPECT_TRUE(document) << text;
  return document.value_or(json::Value());
}

TEST(PatternSetTest, FindsThePatternsThatMatchInTheirOrder) {
  const PatternSet set =
      set_of({R"({"a":["x"]})", R"({"a":["y"]})", R"({"a":["x","y"],"b":[1]})", "{}", R"({"b":[{"exists":false}]})"});
  EXPECT_EQ(set.match(parse(R"({"a":"x","b":1.0})")), (Places{0, 2, 3}));
  EXPECT_EQ(set.match(parse(R"({"a":"y"})")), (Places{1, 3, 4}));
  EXPECT_EQ(set.match(parse("[]")), Places{3});
}

TEST(PatternSetTest, AnEmptySetMatchesNothing) {
  EXPECT_EQ(PatternSet().match(parse("{}")), Places{});
  EXPECT_EQ(set_of({}).match(parse("{}")), Places{});
}

TEST(PatternSetTest, AnEventIsMatchedAPatternAtATime) {
  std::vector<std::string> patterns(300, R"({"a":[{"anything-but":"q"}]})");
  patterns[7] = R"({"a":[{"anything-but":"x"}]})";
  const PatternSet set = set_of(patterns);
  const json::Value event = parse(R"({"a":"x"})");
  PatternSet::Matching matching(set, event);
  size_t steps = 0;
  while (matching.step()) ++steps;
  EXPECT_EQ(steps, 300U);
  const Places places = std::move(matching).finish();
  EXPECT_EQ(places.size(), 299U);
  EXPECT_EQ(places, set.match(event));
}

TEST(PatternSetTest, EveryOperatorIsFound) {
  const std::vector<std::string> patterns{R"({"a":[{"prefix":"ab"}]})",
                                          R"({"a":[{"suffix":"cd"}]})",
                                          R"({"a":[{"prefix":{"equals-ignore-case":"AB"}}]})",
                                          R"({"a":[{"suffix":{"equals-ignore-case":"CD"}}]})",
                                          R"({"a":[{"equals-ignore-case":"ABxCD"}]})",
                                          R"({"a":[{"wildcard":"ab*"}]})",
                                          R"({"a":[{"wildcard":"*cd"}]})",
                                          R"({"a":[{"wildcard":"*x*"}]})",
                                          R"({"a":[{"wildcard":"abxcd"}]})",
                                          R"({"a":[{"anything-but":"q"}]})",
                                          R"({"a":[{"exists":true}]})",
                                          R"({"a":[{"prefix":""}]})"};
  const PatternSet set = set_of(patterns);
  EXPECT_EQ(set.match(parse(R"({"a":"abxcd"})")).size(), patterns.size());
  EXPECT_EQ(set.match(parse(R"({"b":"abxcd"})")), Places{});
  const PatternSet numbers = set_of({R"({"a":[{"numeric":["=",5]}]})", R"({"a":[{"numeric":[">",4,"<",6]}]})",
                                     R"({"a":[5]})", R"({"a":[{"cidr":"10.0.0.0/8"}]})", R"({"a":[null,true,false]})"});
  EXPECT_EQ(numbers.match(parse(R"({"a":5.0})")), (Places{0, 1, 2}));
  EXPECT_EQ(numbers.match(parse(R"({"a":"10.1.1.1"})")), Places{3});
  EXPECT_EQ(numbers.match(parse(R"({"a":[null]})")), Places{4});
  EXPECT_EQ(set_of({R"({"a":[0]})"}).match(parse(R"({"a":-0.0})")), Places{0});
}

TEST(PatternSetTest, FewAreAskedHoweverManyThereAre) {
  std::vector<std::string> patterns;
  for (int i = 0; i < 10'000; ++i) {
    patterns.push_back(cat(R"({"source":["shop"],"kind":["k)", i % 10, R"("],"detail":{"id":["i)", i, R"("]}})"));
  }
  const PatternSet set = set_of(patterns);
  const json::Value event = parse(R"({"source":"shop","kind":"k7","detail":{"id":"i4567"}})");
  EXPECT_EQ(set.match(event), Places{4567});
  EXPECT_EQ(set.candidates(event), Places{4567});
}

// No single key tells much, only all of them together.
TEST(PatternSetTest, WhatOnlyTogetherTellsIsFiledByOneKeyAfterTheOther) {
  std::vector<std::string> patterns;
  for (int i = 0; i < 8000; ++i) {
    patterns.push_back(cat(R"({"a":["a)", i % 20, R"("],"b":["b)", i / 20 % 20, R"("],"c":["c)", i / 400, R"("]})"));
  }
  const PatternSet set = set_of(patterns);
  const json::Value event = parse(R"({"a":"a3","b":"b5","c":"c7"})");
  EXPECT_EQ(set.match(event), Places{7 * 400 + 5 * 20 + 3});
  EXPECT_LE(set.candidates(event).size(), 20u);
}

TEST(PatternSetTest, LongListsDoNotMultiply) {
  std::string values;
  for (int i = 0; i < 300; ++i) values += cat(i > 0 ? "," : "", "\"v", i, "\"");
  const std::string list = cat("[", values, "]");
  std::vector<std::string> patterns;
  for (int i = 0; i < 200; ++i) {
    patterns.push_back(cat(R"({"a":)", list, R"(,"b":)", list, R"(,"c":)", list, R"(,"d":["d)", i % 7, R"("]})"));
  }
  const PatternSet set = set_of(patterns);
  EXPECT_EQ(set.match(parse(R"({"a":"v1","b":"v2","c":"v3","d":"d3"})")).size(), 29u);
}

// Whatever patterns and events there are: the set says what each pattern says by itself.
class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}

  std::string pattern(int depth = 0) {
    std::string out = "{";
    const int keys = 1 + below(3);
    for (int i = 0; i < keys; ++i) {
      if (i > 0) out += ",";
      if (depth < 2 && below(6) == 0) {
        out += cat(R"("$or":[)", pattern(depth + 1), ",", pattern(depth + 1), "]");
        continue;
      }
      out += cat("\"", name(), "\":");
      out += depth < 2 && below(3) == 0 ? pattern(depth + 1) : values();
    }
    return out + "}";
  }

  std::string event(int depth = 0) {
    switch (depth == 0 ? 0 : below(depth > 3 ? 4 : 7)) {
      case 1:
        return cat("\"", text(), "\"");
      case 2:
        return pick({"1", "1.0", "2", "-3.5", "1e2"});
      case 3:
        return pick({"null", "true", "false"});
      case 4:
        return cat("[", event(depth + 1), ",", event(depth + 1), "]");
      case 5:
        return "[]";
      default:
        break;
    }
    std::string out = "{";
    const int keys = below(4);
    for (int i = 0; i < keys; ++i) out += cat(i > 0 ? "," : "", "\"", name(), "\":", event(depth + 1));
    return out + "}";
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }
  std::string pick(std::vector<std::string> all) {
    return all[static_cast<size_t>(below(static_cast<int>(all.size())))];
  }
  std::string name() { return pick({"a", "b", "c", "a.b", "b.c"}); }
  std::string text() { return pick({"x", "xy", "Xy", "yx", "", "10.0.0.1", "xyxyx"}); }
  std::string value() {
    const std::string one = cat("\"", text(), "\"");
    return pick({one, one, "1", "100", "null", "true", R"({"prefix":"x"})", R"({"suffix":"y"})",
                 R"({"wildcard":"x*y"})", R"({"wildcard":"*y*"})", R"({"prefix":{"equals-ignore-case":"XY"}})",
                 R"({"equals-ignore-case":"XY"})", R"({"anything-but":["x",1]})", R"({"numeric":[">",0,"<=",2]})",
                 R"({"numeric":["=",1]})", R"({"exists":true})", R"({"exists":false})", R"({"cidr":"10.0.0.0/8"})"});
  }
  std::string values() {
    std::string out = "[" + value();
    for (int i = below(3); i > 0; --i) out += "," + value();
    return out + "]";
  }
  std::mt19937_64 random_;
};

TEST(PatternSetTest, SaysWhatEachPatternSaysByItself) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<std::string> texts;
    std::vector<Pattern> patterns;
    for (int i = 0; i < 100; ++i) {
      texts.push_back(random.pattern());
      patterns.push_back(Pattern::parse(texts.back(), event_bridge()));
    }
    const PatternSet set = set_of(texts);
    for (int i = 0; i < 50; ++i) {
      const std::string text = random.event();
      const json::Value event = parse(text);
      Places expected;
      for (uint32_t place = 0; place < patterns.size(); ++place) {
        if (patterns[place].matches(event)) expected.push_back(place);
      }
      ASSERT_EQ(set.match(event), expected) << text;
    }
  }
}

}  // namespace
}  // namespace tidemill::lang::patterns
