#include "wire/tags.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

TEST(Tags, OfAwsItselfBeginWithItsPrefixInAnyLetterCase) {
  for (const char* key : {"aws:", "aws:cloudformation:stack-id", "AWS:x", "Aws:x", "aWs:x"}) {
    EXPECT_TRUE(is_reserved_tag_key(key)) << key;
  }
  for (const char* key : {"", "aws", "AWS", "awsome", "aws-cdk:x", " aws:", "x:aws:"}) {
    EXPECT_FALSE(is_reserved_tag_key(key)) << key;
  }
}

TEST(Tags, OfAwsItselfMayBeRemovedWhereTheyAreThere) {
  const TagMap tags{{"AWS:team", "tide"}, {"mill", "1"}};
  EXPECT_TRUE(may_remove_tags(tags, {"AWS:team", "mill", "other"}));
  EXPECT_FALSE(may_remove_tags(tags, {"mill", "aws:team"}));
  EXPECT_FALSE(may_remove_tag({}, "AWS:team"));
  EXPECT_TRUE(may_remove_tag({}, "mill"));
}

TEST(Tags, HaveLettersDigitsAndSpacesOfAnyScriptAndAFewSigns) {
  for (const char* text : {"", "a Z9", "_.:/=+-@", "\xc3\xa4\xe6\x97\xa5", "\xc2\xa0", "\xe2\x85\xa7"}) {
    EXPECT_TRUE(is_tag_text(text)) << text;
  }
  for (const char* text : {"a!", "#", "a\tb", "a\nb", "{}", "\xf0\x9f\x8c\x8a", "a\xcd\x85"}) {
    EXPECT_FALSE(is_tag_text(text)) << text;
  }
}

TEST(Tags, AreMeasuredInCharacters) {
  std::string umlauts;
  for (size_t i = 0; i < kTagKeyMax; ++i) umlauts += "\xc3\xa4";
  EXPECT_TRUE(is_tag_key_size(umlauts));
  EXPECT_FALSE(is_tag_key_size(umlauts + "a"));
  EXPECT_FALSE(is_tag_key_size(""));
  EXPECT_TRUE(is_tag_value_size(umlauts + umlauts));
  EXPECT_FALSE(is_tag_value_size(umlauts + umlauts + "a"));
  EXPECT_TRUE(is_tag_value_size(""));
}

}  // namespace
}  // namespace tidemill::wire
