// Which messages are matched at once, and which on a thread.
#include "services/logs/pattern_matching.h"

#include <gtest/gtest.h>

namespace tidemill::logs {
namespace {

lang::logs::FilterPattern pattern(std::string_view text) { return lang::logs::FilterPattern::parse(text).value(); }

std::string absent_terms(int count) {
  std::string terms;
  for (int i = 0; i < count; ++i) terms += "-ab ";
  return terms;
}

struct Ways {
  PatternMatching matching{true};
  // A task that is not ready would go to the thread once somebody waited for it.
  bool matches_at_once(std::string_view text, const std::string& message) {
    return matching.matches(pattern(text), message).await_ready();
  }
  bool extracts_at_once(std::string_view text, const std::string& message) {
    return matching.extract(pattern(text), message).await_ready();
  }
};

const std::string kShort(200, 'x');
const std::string kLong(1'000'000, 'x');

TEST(PatternMatching, ShortMessagesAreMatchedAtOnce) {
  Ways ways;
  EXPECT_TRUE(ways.matches_at_once(absent_terms(250), kShort));
  EXPECT_TRUE(ways.matches_at_once("%[a-z]{200}%", kShort));
  EXPECT_TRUE(ways.matches_at_once("[a, ...]", kShort));
  EXPECT_TRUE(ways.extracts_at_once("[a, ...]", kShort));
  EXPECT_TRUE(ways.matches_at_once("ERROR", kLong)) << "one look at it";
}

TEST(PatternMatching, WhatTakesLongIsDoneOnAThread) {
  Ways ways;
  EXPECT_FALSE(ways.matches_at_once(absent_terms(250), kLong));
  EXPECT_FALSE(ways.matches_at_once("%[a-z]{200}%", kLong));
  EXPECT_FALSE(ways.matches_at_once("[a, ...]", kLong));
  EXPECT_FALSE(ways.matches_at_once("{ $.a = 1 }", kLong));
  EXPECT_FALSE(ways.extracts_at_once("[a, ...]", kLong));
  EXPECT_FALSE(ways.extracts_at_once("{ $.a = 1 }", kLong));
}

TEST(PatternMatching, SimulationsDoAllAtOnce) {
  PatternMatching matching(false);
  EXPECT_TRUE(matching.matches(pattern(absent_terms(250)), kLong).await_ready());
  EXPECT_TRUE(matching.extract(pattern("[a, ...]"), kLong).await_ready());
}

TEST(PatternMatching, ManyTermsCountForMoreOfASlice) {
  EXPECT_GE(PatternMatching::slice_steps(pattern(absent_terms(250)), kShort), 50U);
  EXPECT_LE(PatternMatching::slice_steps(pattern("ERROR"), kShort), 1U);
}

}  // namespace
}  // namespace tidemill::logs
