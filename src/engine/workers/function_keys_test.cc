#include "engine/workers/function_keys.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "wire/access_key.h"

namespace tidemill::engine {
namespace {

constexpr std::string_view kAccount = "111122223333";

FunctionSession session(std::string name) {
  return {std::string(kAccount), "arn:aws:iam::111122223333:role/brewer", std::move(name)};
}

TEST(FunctionKeys, AreKnownAgainByTheirToken) {
  const FunctionKeys keys;
  const FunctionCredentials made = keys.make(session("kettle"));
  EXPECT_EQ(wire::account_of_access_key(made.access_key_id), kAccount);
  EXPECT_EQ(made.secret.size(), 40U);
  const auto found = keys.find(made.access_key_id, made.token);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->secret, made.secret);
  EXPECT_EQ(found->session.role_arn, "arn:aws:iam::111122223333:role/brewer");
  EXPECT_EQ(found->session.name, "kettle");
}

TEST(FunctionKeys, NobodyTakesAnothersRole) {
  const FunctionKeys keys;
  const FunctionCredentials made = keys.make(session("kettle"));
  const std::string told = base::base64_encode("arn:aws:iam::111122223333:role/owner\nkettle");
  EXPECT_FALSE(keys.find(made.access_key_id, made.token.substr(0, 44) + told));
  EXPECT_FALSE(keys.find(made.access_key_id, made.token.substr(0, 44)));
}

TEST(FunctionKeys, OfOthersAreNone) {
  const FunctionKeys keys;
  const FunctionCredentials one = keys.make(session("kettle"));
  const FunctionCredentials two = keys.make(session("kettle"));
  EXPECT_NE(one.secret, two.secret);
  EXPECT_FALSE(keys.find(one.access_key_id, two.token));
  EXPECT_FALSE(keys.find(one.access_key_id, ""));
  EXPECT_FALSE(FunctionKeys().find(one.access_key_id, one.token));  // another process's, or one after a restart
}

}  // namespace
}  // namespace tidemill::engine
