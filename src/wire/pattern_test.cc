#include "wire/pattern.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tidemill::wire {
namespace {

TEST(Pattern, MatchesARepeatedClassWithoutAnAutomaton) {
  const Pattern name("[a-zA-Z0-9_.-]+");
  EXPECT_TRUE(name.matches("Orders_2026.v-1"));
  EXPECT_FALSE(name.matches(""));
  EXPECT_FALSE(name.matches("a b"));
  EXPECT_FALSE(name.matches("\xc3\xa4"));
  EXPECT_TRUE(Pattern("[a-z]*").matches(""));
}

TEST(Pattern, MatchesTheWholeText) {
  const Pattern pattern("a|ab");
  EXPECT_TRUE(pattern.matches("ab"));
  EXPECT_FALSE(pattern.matches("abc"));
  EXPECT_FALSE(pattern.matches("xa"));
}

TEST(Pattern, LeavesWhatIsNoPlainClassToTheAutomaton) {
  EXPECT_TRUE(Pattern("[^\\s]+").matches("ab"));
  EXPECT_FALSE(Pattern("[^\\s]+").matches("a b"));
  EXPECT_TRUE(Pattern("[a-zA-Z0-9-_]+").matches("a-b_c"));
  EXPECT_TRUE(Pattern("[\\.\\-_/#A-Za-z0-9]+").matches("/aws/lambda"));
  EXPECT_TRUE(Pattern("[a][b]+").matches("abb"));
  EXPECT_FALSE(Pattern("[a][b]+").matches("ba"));
}

TEST(Pattern, NamesAMalformedPatternAtItsFirstUse) {
  const Pattern pattern("(");
  EXPECT_THROW((void)pattern.matches("x"), std::logic_error);
}

}  // namespace
}  // namespace tidemill::wire
