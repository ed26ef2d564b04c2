#include "crypto/sealing.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "base/hex.h"
#include "crypto/random.h"

namespace tidemill::crypto {
namespace {

const Secret& secret() {
  static const Secret value(std::string(kSealingKeySize, 'k'));
  return value;
}

TEST(Sealing, GivesBackWhatWasSealed) {
  for (const std::string& plain : {std::string(), std::string("tea"), random_bytes(65536)}) {
    const std::string sealed = seal(secret(), plain, "context");
    EXPECT_EQ(sealed.size(), plain.size() + kSealedExtra);
    const auto opened = open_sealed(secret(), sealed, "context");
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->bytes(), plain);
  }
}

TEST(Sealing, IsAnotherEachTime) {
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) all.insert(seal(secret(), "tea", ""));
  EXPECT_EQ(all.size(), 100u);
}

TEST(Sealing, TellsEveryChangedByteAndEveryCut) {
  const std::string sealed = seal(secret(), "green tea", "context");
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(open_sealed(secret(), changed, "context")) << i;
    EXPECT_FALSE(open_sealed(secret(), sealed.substr(0, i), "context")) << i;
  }
  EXPECT_FALSE(open_sealed(secret(), sealed + '\0', "context"));
}

TEST(Sealing, IsForItsContextAndSecretOnly) {
  const std::string sealed = seal(secret(), "tea", "context");
  EXPECT_FALSE(open_sealed(secret(), sealed, "Context"));
  EXPECT_FALSE(open_sealed(secret(), sealed, ""));
  EXPECT_FALSE(open_sealed(new_secret(kSealingKeySize), sealed, "context"));
  EXPECT_THROW((void)seal(Secret("short"), "tea", ""), std::logic_error);
}

// RFC 4231, test case 2.
TEST(Sealing, ItsAuthenticationCodesAreThoseOfTheStandard) {
  EXPECT_EQ(base::hex_of(authentication_code("SHA256", "Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(base::hex_of(authentication_code("SHA224", "Jefe", "what do ya want for nothing?")),
            "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44");
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

TEST(Sealing, SecretsAreGoneWhereTheyWereMovedFrom) {
  Secret from(std::string(100, 's'));
  const Secret to = std::move(from);
  EXPECT_EQ(to.bytes(), std::string(100, 's'));
  EXPECT_TRUE(from.bytes().empty());
}

}  // namespace
}  // namespace tidemill::crypto
