#include "wire/access_key.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

TEST(AccessKey, TellsItsAccount) {
  for (const char* account : {"000000000000", "111122223333", "999999999999", "000000000001"}) {
    const std::string id = new_access_key_id(kSessionKeys, account);
    EXPECT_EQ(id.size(), 20U);
    EXPECT_TRUE(id.starts_with("ASIA")) << id;
    EXPECT_EQ(account_of_access_key(id), account) << id;
    EXPECT_NE(new_access_key_id(kSessionKeys, account), id);
  }
}

TEST(AccessKey, OfAwsTellsItsAccountTheSameWay) {
  EXPECT_EQ(account_of_access_key("ASIAQNZGKIQY56JQ7WML"), "029608264753");
}

TEST(AccessKey, OfTheOldKindOrOfAnotherFormTellsNone) {
  for (const char* id : {"", "test", "111122223333", "AKIAIOSFODNN7EXAMPLE", "AKIAJOSFODNN7EXAMPLE", "AKIAQOSFODNN7EXAMP1E",
                         "AROAQNZGKIQY56JQ7WML", "ASIAQNZGKIQY56JQ7WM", "ASIA7777777777777777"}) {
    EXPECT_EQ(account_of_access_key(id), std::nullopt) << id;
  }
}

TEST(AccessKey, SecretsAreFortyCharactersAndDiffer) {
  EXPECT_EQ(new_secret_access_key().size(), 40U);
  EXPECT_NE(new_secret_access_key(), new_secret_access_key());
}

}  // namespace
}  // namespace tidemill::wire
