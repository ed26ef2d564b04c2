// Whoever began something is the same one when its steps are made.
#include "engine/caller.h"

#include <gtest/gtest.h>

#include "base/json_members.h"

namespace tidemill::engine {
namespace {

using wire::Principal;

// Written down, and read again.
Principal kept(const Principal& principal) {
  const std::string bytes = base::json::encode(caller_of(principal), kCallerMembers);
  return base::json::decode<Caller>("caller", bytes, kCallerMembers).principal();
}

void expect_same(const Principal& principal) {
  const Principal again = kept(principal);
  EXPECT_EQ(again.kind(), principal.kind());
  EXPECT_EQ(again.name(), principal.name());
  ASSERT_EQ(again.standing() != nullptr, principal.standing() != nullptr);
  if (!again.standing()) return;
  EXPECT_EQ(again.standing()->role_arn, principal.standing()->role_arn);
  EXPECT_EQ(again.standing()->session_name, principal.standing()->session_name);
  EXPECT_EQ(again.standing()->service, principal.standing()->service);
  EXPECT_EQ(again.standing()->source_arn, principal.standing()->source_arn);
  EXPECT_EQ(again.standing()->source_account, principal.standing()->source_account);
  EXPECT_EQ(again.standing()->taken_by, principal.standing()->taken_by);
}

TEST(Callers, AreKeptAsTheyAre) {
  const wire::Standing standing{"arn:aws:iam::000000000000:role/r", "f", "states.amazonaws.com", "arn:aws:states:::m"};
  expect_same(Principal());
  expect_same(Principal("AKIAEXAMPLE"));
  expect_same(Principal::platform());
  expect_same(Principal::role(standing));
  expect_same(Principal::role({.role_arn = "arn:aws:iam::111111111111:role/s",
                               .session_name = "f",
                               .service = standing.service,
                               .source_arn = standing.source_arn,
                               .taken_by = standing.role_arn}));
  expect_same(Principal::role({standing.role_arn, "f", "", ""}, "ASIAEXAMPLE"));
  expect_same(Principal::service("scheduler.amazonaws.com", "arn:aws:scheduler:::schedule/s"));
  expect_same(Principal::service("s3.amazonaws.com", "arn:aws:s3:::bucket", "000000000000"));
}

TEST(Callers, OfWhomNothingIsKeptAreNobody) {
  EXPECT_EQ(base::json::decode<Caller>("caller", "{}", kCallerMembers).principal().kind(), Principal::Kind::anonymous);
}

}  // namespace
}  // namespace tidemill::engine
