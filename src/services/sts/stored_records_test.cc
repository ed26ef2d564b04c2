// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/sts/session.h"

namespace tidemill::sts {
namespace {

TEST(StoredRecords, OfSessions) {
  const auto same = [](std::string_view text) { EXPECT_EQ(encode_session(decode_session("", "", text)), text); };
  same(R"({"secret":"s","token":"t","expires_us":1,"user_id":"AROA:n","arn":"arn:aws:sts::1:assumed-role/r/n"})");
  same(R"({"secret":"s","token":"t","issued_us":0,"expires_us":1,"user_id":"AROA:n","arn":"arn:aws:sts::1:user/u"})");
  same(
      R"({"secret":"s","token":"t","expires_us":1,"user_id":"AROA:n","arn":"arn:aws:sts::1:assumed-role/r/n",)"
      R"("source_identity":"someone","policy":"{\"a\":1}","policy_arns":"arn:aws:iam::1:policy/a\narn:aws:iam::1:policy/b"})");
}

TEST(StoredRecords, OfSessionsHaveTheirManagedPolicies) {
  const Session session = decode_session(
      "1", "ASIA", R"({"secret":"","token":"","expires_us":1,"user_id":"","arn":"","policy_arns":"a\nb"})");
  EXPECT_EQ(session.account, "1");
  EXPECT_EQ(session.access_key_id, "ASIA");
  EXPECT_THAT(session.policy_arns, testing::ElementsAre("a", "b"));
}

}  // namespace
}  // namespace tidemill::sts
