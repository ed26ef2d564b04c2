#include "rights/accounts.h"

#include <gtest/gtest.h>

#include "rights/testing.h"

namespace tidemill::rights {
namespace {

using testing::kAccount;
using testing::World;

std::string acting(wire::Principal principal) {
  World world;
  return account_acting(world.context(std::move(principal)));
}

TEST(Accounts, WhoActsIsOfTheAccountOfTheKeyTheRoleOrTheSource) {
  const std::string rule = "arn:aws:events:us-east-1:222222222222:rule/r";
  EXPECT_EQ(acting("AKIA"), kAccount);
  EXPECT_EQ(acting(wire::Principal::role({"arn:aws:iam::222222222222:role/r", "f", "", ""})), "222222222222");
  EXPECT_EQ(acting(wire::Principal::role({"arn:aws:iam::333333333333:role/r", "f", "events.amazonaws.com", rule})),
            "333333333333");
  EXPECT_EQ(acting(wire::Principal::service("events.amazonaws.com", rule)), "222222222222");
  EXPECT_EQ(acting(wire::Principal::service("s3.amazonaws.com", "arn:aws:s3:::b", "222222222222")), "222222222222");
  EXPECT_EQ(acting(wire::Principal::service("s3.amazonaws.com", "arn:aws:s3:::b")), "");
}

TEST(Accounts, OfABucketThatIsNotSaidToBeAnybodysTheRecordTellsTheAccount) {
  World world;
  Actor actor;
  actor.facts.set("aws:SourceAccount", "222222222222");
  const auto bucket = world.context(wire::Principal::service("s3.amazonaws.com", "arn:aws:s3:::b"));
  EXPECT_EQ(account_of(bucket, actor), "222222222222");
}

TEST(Accounts, ABucketMayBeAnybodysAndAllElseIsWhoseItsArnSays) {
  EXPECT_TRUE(is_within(kAccount, {"sqs:ListQueues", "*"}));
  EXPECT_TRUE(is_within(kAccount, {"sqs:SendMessage", "arn:aws:sqs:us-east-1:111111111111:q"}));
  EXPECT_TRUE(is_within(kAccount, {"iam:GetPolicy", "arn:aws:iam::aws:policy/ReadOnlyAccess"}));
  EXPECT_FALSE(is_within(kAccount, {"sqs:SendMessage", "arn:aws:sqs:us-east-1:222222222222:q"}));
  EXPECT_FALSE(is_within(kAccount, {"s3:GetObject", "arn:aws:s3:::b/k"}));
}

}  // namespace
}  // namespace tidemill::rights
