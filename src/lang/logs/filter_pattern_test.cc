#include "lang/logs/filter_pattern.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/processor_time.h"

namespace tidemill::lang::logs {
namespace {

bool matches(std::string_view pattern, std::string_view message) {
  const auto parsed = FilterPattern::parse(pattern);
  EXPECT_TRUE(parsed) << pattern << ": " << (parsed ? "" : parsed.error());
  return parsed && parsed->matches(message);
}

std::string refusal(std::string_view pattern) {
  const auto parsed = FilterPattern::parse(pattern);
  return parsed ? "accepted" : parsed.error();
}

TEST(FilterPattern, NothingMatchesEverything) {
  EXPECT_TRUE(matches("", "a message"));
  EXPECT_TRUE(matches("  ", ""));
}

TEST(FilterPattern, AllTermsMustBeThereInAnyOrder) {
  EXPECT_TRUE(matches("ERROR", "[ERROR] A fatal exception has occurred"));
  EXPECT_TRUE(matches("ERROR", "Exiting with ERRORCODE: -1"));
  EXPECT_FALSE(matches("ERROR", "[error] lower case"));
  EXPECT_TRUE(matches("Exception ERROR", "[ERROR] Caught IllegalArgumentException"));
  EXPECT_FALSE(matches("Exception ERROR", "[ERROR] Unhandled"));
}

TEST(FilterPattern, PhrasesMatchAsTheyStand) {
  EXPECT_TRUE(matches("\"INTERNAL SERVER ERROR\"", "[ERROR 500] INTERNAL SERVER ERROR"));
  EXPECT_FALSE(matches("\"INTERNAL SERVER ERROR\"", "[ERROR 500] SERVER ERROR INTERNAL"));
  EXPECT_TRUE(matches(R"("say \"hi\" \\o/")", R"(they say "hi" \o/)"));
}

TEST(FilterPattern, ExcludedTermsMustNotBeThere) {
  EXPECT_FALSE(matches("ERROR -Exiting", "Exiting with ERRORCODE: -1"));
  EXPECT_TRUE(matches("ERROR -Exiting", "[ERROR 400] BAD REQUEST"));
  EXPECT_FALSE(matches("-\"BAD REQUEST\"", "[ERROR 400] BAD REQUEST"));
}

TEST(FilterPattern, OptionalTermsNeedOneOfThemAndMeanNothingBesideOthers) {
  EXPECT_TRUE(matches("?ERROR ?WARN", "[WARN] low"));
  EXPECT_FALSE(matches("?ERROR ?WARN", "[INFO] fine"));
  EXPECT_TRUE(matches("?ERROR ?WARN REQUEST", "[INFO] REQUEST FAILED"));
}

TEST(FilterPattern, RegularExpressionsAreSearchedFor) {
  EXPECT_TRUE(matches("%ERR[0-9]{2,}%", "an ERR42 occurred"));
  EXPECT_FALSE(matches("%^ERR%", "an ERR42 occurred"));
  EXPECT_TRUE(matches("%ERR|WARN% text", "WARN text"));
  EXPECT_EQ(refusal("%a(b)%"), "a character that regular expressions here cannot have at character 7");
  EXPECT_EQ(refusal("%a[%"), "not a regular expression at character 5");
  EXPECT_EQ(refusal("%a% %b% %c%"), "more than 2 regular expressions at character 10");
}

TEST(FilterPattern, TermsWithOtherCharactersMustBeQuoted) {
  EXPECT_EQ(refusal("a:b"),
            "a term with other characters than letters, digits and underscores must stand in quotation marks at "
            "character 2");
  EXPECT_EQ(refusal("\"open"), "a quotation mark is not closed at character 6");
}

constexpr std::string_view kEvent = R"({"eventType":"UpdateTrail","sourceIPAddress":"123.123.123.123",
  "arrayKey":["value","another"],"objectList":[{"name":"a","id":1,"flag":true},{"name":"b","id":2}],
  "SomeObject":null,"ok":false,"cluster.name":"c","latency":12.5,"text":"7"})";

TEST(FilterPattern, JsonMembersAreCompared) {
  EXPECT_TRUE(matches(R"({ $.eventType = "UpdateTrail" })", kEvent));
  EXPECT_TRUE(matches(R"({$.eventType=UpdateTrail})", kEvent));
  EXPECT_FALSE(matches(R"({ $.eventType != "UpdateTrail" })", kEvent));
  EXPECT_FALSE(matches(R"({ $.nothing != "x" })", kEvent)) << "a member that is not there";
  EXPECT_TRUE(matches(R"({ $.sourceIPAddress = 123.123.* })", kEvent));
  EXPECT_TRUE(matches(R"({ $.sourceIPAddress = "123.123.*" })", kEvent));
  EXPECT_TRUE(matches(R"({ $.eventType = %Trail$% })", kEvent));
  EXPECT_TRUE(matches("{ $.latency > 12 && $.latency <= 12.50 }", kEvent));
  EXPECT_TRUE(matches("{ $.text >= 7 }", kEvent));
  EXPECT_TRUE(matches("{ $.ok = false }", kEvent));
  EXPECT_FALSE(matches("{ $.latency = 12 }", "latency 12")) << "no JSON";
}

TEST(FilterPattern, JsonSelectorsReachIntoArraysAndOddNames) {
  EXPECT_TRUE(matches(R"({ $.arrayKey[0] = "value" })", kEvent));
  EXPECT_FALSE(matches(R"({ $.arrayKey[2] = "value" })", kEvent));
  EXPECT_TRUE(matches(R"({ $.arrayKey[*] = "another" })", kEvent));
  EXPECT_TRUE(matches("{ $.objectList[1].id = 2 }", kEvent));
  EXPECT_TRUE(matches("{ $.objectList[*].flag IS TRUE }", kEvent));
  EXPECT_TRUE(matches(R"({ $.["cluster.name"] = "c" })", kEvent));
  EXPECT_TRUE(matches(R"({ $.* = "UpdateTrail" })", kEvent));
}

TEST(FilterPattern, JsonTestsOfBeingThere) {
  EXPECT_TRUE(matches("{ $.SomeObject IS NULL }", kEvent));
  EXPECT_TRUE(matches("{ $.ok IS FALSE }", kEvent));
  EXPECT_TRUE(matches("{ $.SomeOtherObject NOT EXISTS }", kEvent));
  EXPECT_FALSE(matches("{ $.ok NOT EXISTS }", kEvent));
  EXPECT_FALSE(matches("{ $.ok IS NULL }", kEvent));
}

TEST(FilterPattern, JsonConditionsCombine) {
  EXPECT_TRUE(matches("{ ($.latency = 1) || ($.latency = 12.5) }", kEvent));
  EXPECT_TRUE(matches("{ $.ok IS FALSE && ($.latency = 1 || $.latency > 2) }", kEvent));
  EXPECT_TRUE(matches("{ $.latency = 12.5 || $.latency = 1 && $.latency = 2 }", kEvent)) << "&& binds tighter";
  EXPECT_EQ(refusal("{ $.a = 1 "), "expected '}' at character 11");
  EXPECT_EQ(refusal("{ $.a = }"), "expected a value at character 9");
  EXPECT_EQ(refusal("{ $.a > x }"), "expected a number at character 10");
  EXPECT_EQ(refusal("{ a = 1 }"), "expected '$' at character 3");
  EXPECT_EQ(refusal(std::string("{") + std::string(40, '(') + "$.a=1"), "too many parentheses at character 34");
}

TEST(FilterPattern, StarsStandForAnyCharacters) {
  const auto is_like = [](std::string_view text, std::string_view pattern) {
    return matches("{ $.a = \"" + std::string(pattern) + "\" }", R"({"a":")" + std::string(text) + R"("})");
  };
  EXPECT_TRUE(is_like("abcabd", "*ab*d"));
  EXPECT_TRUE(is_like("abc", "a**c"));
  EXPECT_TRUE(is_like("abc", "abc*"));
  EXPECT_TRUE(is_like("", "*"));
  EXPECT_FALSE(is_like("aba", "ab*ba")) << "the two ends do not overlap";
  EXPECT_FALSE(is_like("abc", "*b"));
  EXPECT_FALSE(is_like("abc", "b*"));
  // Would take half a minute if the work were the product of both sizes.
  EXPECT_FALSE(is_like(std::string(20'000'000, 'a'), "*" + std::string(900, 'a') + "b*"));
}

TEST(FilterPattern, RegularExpressionsAreOfLimitedSize) {
  EXPECT_EQ(refusal("%[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12} [A-Za-z0-9]{64}%"), "accepted");
  EXPECT_EQ(refusal("%[ab]{500}c%"), "too large a regular expression at character 13");
  EXPECT_EQ(refusal("%[ab]*a[ab]{200}[ab]*a[ab]{200}c%"), "too large a regular expression at character 34");
}

constexpr std::string_view kAccess =
    R"(127.0.0.1 Prod frank [10/Oct/2000:13:25:15 -0700] "GET /index.html HTTP/1.0" 404 1534)";

TEST(FilterPattern, FieldsAreComparedByTheirPlace) {
  EXPECT_TRUE(matches("[ip, user, username, timestamp, request, status_code, bytes]", kAccess));
  EXPECT_FALSE(matches("[ip, user, username]", kAccess));
  EXPECT_TRUE(matches("[ip, user, username, timestamp, request = *.html*, status_code = 4*, bytes]", kAccess));
  EXPECT_FALSE(matches("[ip, user, username, timestamp, request = *.html*, status_code = 5*, bytes]", kAccess));
  EXPECT_TRUE(matches("[ip, user, username, timestamp, request, status_code = 404 || status_code = 410, bytes > 1000]",
                      kAccess));
  EXPECT_FALSE(matches("[..., status_code != 403 && status_code != 404, bytes]", kAccess));
  EXPECT_TRUE(matches("[ip=%127\\.0\\.0\\.[0-9]{1,3}%, ...]", kAccess));
  EXPECT_TRUE(matches("[..., bytes=1534]", kAccess));
  EXPECT_TRUE(matches("[ip, ..., bytes]", kAccess));
  EXPECT_EQ(refusal("[a, ..., b, ...]"), "more than one ellipsis at character 16");
  EXPECT_EQ(refusal("[a=1 && b=2]"), "a condition of another field at character 10");
}

// Would take ten seconds each if the rest of the message were searched from every sign that might begin a group.
TEST(FilterPattern, FieldsWhoseGroupsDoNotEndTakeLinearTime) {
  std::string brackets;
  std::string mixed;
  while (brackets.size() < 1'000'000) {
    brackets += "[ ";
    mixed += "\" [x ";
  }
  mixed[0] = 'y';
  mixed += '"';
  const auto began = base::processor_time();
  EXPECT_FALSE(matches("[a]", brackets));
  EXPECT_TRUE(matches("[a, ...]", brackets));
  const auto parsed = FilterPattern::parse("[a, ..., z]");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->extract(brackets), (Extracted{{"$a", "["}, {"$z", "["}}));
  EXPECT_EQ(parsed->extract(mixed).size(), 2U);
  EXPECT_LT(base::processor_time() - began, std::chrono::seconds(10));
}

TEST(FilterPattern, WhatDoesNotEndIsAFieldAndWhatComesBehindItMayBeAGroup) {
  const auto parsed = FilterPattern::parse("[a, b, c, ...]");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->extract(R"([a "b c" "d e)"), (Extracted{{"$a", "[a"}, {"$b", "b c"}, {"$c", "\"d"}}));
  EXPECT_EQ(parsed->extract(R"("a [b c] [d e)"), (Extracted{{"$a", "\"a"}, {"$b", "b c"}, {"$c", "[d"}}));
}

TEST(FilterPattern, SaysHowManyStepsItTakesAtMost) {
  const auto steps = [](std::string_view pattern) { return FilterPattern::parse(pattern).value().steps(1'000'000); };
  EXPECT_EQ(steps(""), 0U);
  EXPECT_LT(steps("ERROR"), 2'000'000U);
  std::string terms;
  for (int i = 0; i < 250; ++i) terms += "-ab ";
  EXPECT_GE(steps(terms), 250'000'000U);
  EXPECT_GE(steps("%[a-z]{200}%"), 200'000'000U);
  EXPECT_GE(steps("[a = %[a-z]{200}%, ...]"), 200'000'000U);
  EXPECT_GE(steps("[a = *x* || a = *y* || a = *z*]"), 3'000'000U);
  EXPECT_GT(steps("{ $.a = 1 || $.b = 2 }"), steps("{ $.a = 1 }"));
}

TEST(FilterPattern, SaysWhatItTookOutOfAMessage) {
  const auto fields = FilterPattern::parse("[ip, , user, ..., bytes > 1]");
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->extract(kAccess),
            (Extracted{{"$ip", "127.0.0.1"}, {"$2", "Prod"}, {"$user", "frank"}, {"$bytes", "1534"}}));
  const auto members = FilterPattern::parse(R"({ $.latency > 1 && $.objectList[0].name = "a" })");
  ASSERT_TRUE(members);
  EXPECT_EQ(members->extract(kEvent), (Extracted{{"$.latency", "12.5"}, {"$.objectList[0].name", "a"}}));
}

}  // namespace
}  // namespace tidemill::lang::logs
