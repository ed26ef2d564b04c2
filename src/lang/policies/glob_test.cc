#include "lang/policies/glob.h"

#include <gtest/gtest.h>

#include <random>

namespace tidemill::lang::policies {
namespace {

std::optional<bool> matches(std::string_view pattern, std::string_view text, Wildcards wildcards = Wildcards::anywhere) {
  return Glob(pattern, {.wildcards = wildcards}).matches(text, Facts());
}

// What a pattern means, said as plainly as can be; in an ARN's first segments wildcards end at colons.
bool means(std::string_view pattern, std::string_view text, int segment) {
  if (pattern.empty()) return text.empty();
  const bool is_bounded = segment < 6;
  const char code = pattern[0];
  const std::string_view rest = pattern.substr(1);
  if (code == '*') {
    const bool stops_at_colon = is_bounded && !rest.empty() && rest[0] != ':';
    for (size_t taken = 0; taken <= text.size(); ++taken) {
      if (means(rest, text.substr(taken), segment)) return true;
      if (taken < text.size() && stops_at_colon && text[taken] == ':') return false;
    }
    return false;
  }
  if (text.empty() || (code == '?' ? is_bounded && text[0] == ':' : text[0] != code)) return false;
  return means(rest, text.substr(1), segment + (code == ':' ? 1 : 0));
}

std::string random_text(std::mt19937& random, std::string_view letters, size_t size_max) {
  std::string text(random() % (size_max + 1), ' ');
  for (char& letter : text) letter = letters[random() % letters.size()];
  return text;
}

TEST(Glob, MatchesWhatItMeans) {
  std::mt19937 random(5);
  constexpr int kNoSegments = 6;
  size_t matched = 0;
  for (int n = 0; n < 30'000; ++n) {
    const std::string pattern = random_text(random, "ab:*?", 9);
    const std::string text = random_text(random, "ab:", 9);
    const bool meant = means(pattern, text, kNoSegments);
    matched += meant ? 1 : 0;
    EXPECT_EQ(matches(pattern, text), meant) << pattern << " " << text;
    EXPECT_EQ(matches(pattern, text, Wildcards::arn), means(pattern, text, 1)) << pattern << " " << text;
  }
  EXPECT_GT(matched, 1000u);
}

TEST(Glob, PatternsMayBeLongerThanAWordOfPlaces) {
  std::mt19937 random(7);
  for (int n = 0; n < 200; ++n) {
    std::string text = random_text(random, "ab", 400), pattern = text;
    for (int more = 0; more < 8; ++more) pattern.insert(random() % (pattern.size() + 1), "*");
    for (size_t i = 0; i < pattern.size(); i += 7) pattern[i] = pattern[i] == '*' ? '*' : '?';
    EXPECT_EQ(matches(pattern, text), true) << pattern << " " << text;
    EXPECT_EQ(matches(pattern + "c", text), false);
  }
}

TEST(Glob, AQuestionMarkIsACharacter) {
  EXPECT_EQ(matches("?", "é"), true);
  EXPECT_EQ(matches("??", "é"), false);
  EXPECT_EQ(matches("*??", "é"), false);
  EXPECT_EQ(matches("a?c*", "aéc"), true);
  EXPECT_EQ(matches("a?*c", "a€c"), true);
  EXPECT_EQ(matches("?a", "€€a"), false);
  EXPECT_EQ(matches("?*", "\x80"), true);
}

TEST(Glob, VariablesStandForNoMoreThanCanMatch) {
  const auto with = [](std::string_view pattern, std::string_view text, const Facts& facts) {
    return Glob(pattern, {.has_variables = true}).matches(text, facts);
  };
  Facts facts;
  facts.set("aws:UserAgent", std::string(20, 'a'));
  EXPECT_EQ(with("${aws:UserAgent}*", std::string(25, 'a'), facts), true);
  EXPECT_EQ(with("**${aws:UserAgent}**", std::string(20, 'a'), facts), true);
  EXPECT_EQ(with("${aws:UserAgent}${aws:UserAgent}", std::string(40, 'a'), facts), true);
  EXPECT_EQ(with("*${aws:UserAgent}", "aa", facts), false);
  EXPECT_EQ(with("${aws:UserAgent}${aws:UserAgent}${aws:userid}", "aa", facts), std::nullopt) << "one has no value";
  // A thousand times this are twenty gigabytes, and places, without the bound.
  facts.set("aws:UserAgent", std::string(20'000'000, 'a'));
  std::string pattern = "*?";
  for (int n = 0; n < 1000; ++n) pattern += "${aws:UserAgent}";
  EXPECT_EQ(with(pattern, std::string(1000, 'a'), facts), false);
}

// Each of these takes minutes where a piece is compared whole at every place of the text.
TEST(Glob, WhatStrangersChooseTakesNoLongerThanItsLength) {
  const std::string text(300'000, 'a');
  const std::string piece(100'000, 'a');
  EXPECT_EQ(matches("*" + piece + "b", text), false);
  EXPECT_EQ(matches("*" + piece + "b*", text), false);
  EXPECT_EQ(matches("*" + piece + "*" + piece + "*", text), true);
  const std::string short_text = text.substr(0, 30'000), short_piece = piece.substr(0, 15'000);
  EXPECT_EQ(matches("*?" + short_piece + "b", short_text), false);
  EXPECT_EQ(matches("a*" + short_piece + "b:*", short_text, Wildcards::arn), false);
}

}  // namespace
}  // namespace tidemill::lang::policies
