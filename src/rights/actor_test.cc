#include "rights/actor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "rights/request_facts.h"
#include "rights/testing.h"
#include "wire/testing.h"
#include "services/iam/identity.h"
#include "services/sts/session.h"

namespace tidemill::rights {
namespace {

using lang::policies::PrincipalKind;
using testing::kAccount;
using testing::World;

constexpr const char* kAll = R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})";

iam::Identity identity(World& world, iam::Kind kind, std::string id, std::string document = kAll) {
  iam::Identity made = iam::new_identity({kind, kAccount, "ann"}, world.now());
  made.id = std::move(id);
  made.trust = kAll;
  made.inline_policies["own"] = std::move(document);
  return made;
}

void put(World& world, const iam::Identity& made) {
  world.write([&](store::Transaction& txn) -> Task<void> {
    iam::put_identity(txn, made);
    co_return;
  });
}

std::string key_of_session(World& world, std::string user_id, std::string arn) {
  sts::Session session = sts::new_session(kAccount, world.now() + std::chrono::hours(1));
  session.user_id = std::move(user_id);
  session.arn = std::move(arn);
  world.write([&](store::Transaction& txn) { return sts::put_session(txn, session); });
  return session.access_key_id;
}

TEST(Actors, ASessionOutlivesNeitherItsUserNorBelongsToANamesake) {
  World world;
  put(world, identity(world, iam::Kind::user, "AIDAONE"));
  const std::string key = key_of_session(world, "AIDAONE", base::cat("arn:aws:iam::", kAccount, ":user/ann"));
  EXPECT_EQ(world.actor(key)->caller.kind, PrincipalKind::user);
  EXPECT_EQ(world.actor(key)->identity.size(), 1u);
  put(world, identity(world, iam::Kind::user, "AIDATWO"));  // deleted, and made again by the same name
  EXPECT_EQ(world.actor(key)->caller.kind, PrincipalKind::anonymous);
  EXPECT_TRUE(world.actor(key)->identity.empty());
}

TEST(Actors, ASessionOutlivesNeitherItsRoleNorBelongsToANamesake) {
  World world;
  put(world, identity(world, iam::Kind::role, "AROAONE"));
  const std::string key =
      key_of_session(world, "AROAONE:me", base::cat("arn:aws:sts::", kAccount, ":assumed-role/ann/me"));
  EXPECT_EQ(world.actor(key)->identity.size(), 1u);
  EXPECT_EQ(world.actor(key)->caller.id, "AROAONE:me");
  put(world, identity(world, iam::Kind::role, "AROATWO"));
  EXPECT_TRUE(world.actor(key)->identity.empty());
  EXPECT_EQ(world.actor(key)->caller.id, "");
}

// Its requests are refused before: what acts in its name it has begun, and that goes on, bounded as the session was.
TEST(Actors, WhatASessionHasBegunOutlivesIt) {
  World world;
  put(world, identity(world, iam::Kind::role, "AROAONE"));
  sts::Session session = sts::new_session(kAccount, world.now() - std::chrono::minutes(1));
  session.user_id = "AROAONE:me";
  session.arn = base::cat("arn:aws:sts::", kAccount, ":assumed-role/ann/me");
  session.policy = kAll;
  world.write([&](store::Transaction& txn) { return sts::put_session(txn, session); });
  const auto actor = world.actor(session.access_key_id);
  EXPECT_EQ(actor->caller.id, "AROAONE:me");
  EXPECT_EQ(actor->identity.size(), 1u);
  EXPECT_EQ(actor->session.size(), 1u);
}

TEST(Actors, APolicyThatCannotBeReadDeniesAll) {
  World world;
  const char* const mistyped =
      R"({"Version":"2012-10-17","Statement":{"Effect":"Deny","Action":"sqs:*","Resource":"*",)"
      R"("Condition":{"StringEqual":{"aws:username":"ann"}}}})";
  iam::Identity ann = identity(world, iam::Kind::user, "AIDAONE", mistyped);
  ann.inline_policies["all"] = kAll;
  put(world, ann);
  const std::string key = key_of_session(world, "AIDAONE", base::cat("arn:aws:iam::", kAccount, ":user/ann"));
  const auto actor = world.actor(key);
  std::vector<lang::policies::NamedPolicy> policies;
  for (const auto& each : actor->identity) policies.push_back({each->name, &each->policy});
  const lang::policies::Facts facts;
  const auto decision = lang::policies::decide({actor->caller, "sns:Publish", "*", facts}, {.identity = policies});
  EXPECT_EQ(decision.outcome, lang::policies::Outcome::explicitly_denied);
  ASSERT_TRUE(decision.statement);
  EXPECT_EQ(decision.statement->label(), "ThePolicyCannotBeRead");
}

TEST(Actors, TheRootIsOfItsOwnAccountWhereverItAsks) {
  World world;
  const auto root = world.actor("AKIAROOT", {"AKIAROOT", kAccount}, "222222222222");
  EXPECT_EQ(root->caller.kind, PrincipalKind::root);
  EXPECT_EQ(root->caller.account, kAccount);
}

// Its ARN tells no account: that of the target is not its.
TEST(Actors, OfABucketsAccountNothingIsSaidThatNobodyKnows) {
  wire::testing::TestPlatform made;
  const auto told = [&](const char* source, const char* key) {
    const wire::Context context(made.platform, kAccount, testing::kRegion, "request",
                                wire::Principal::service("s3.amazonaws.com", source));
    const Actor nobody;
    const Ask ask{"sns:Publish", "*"};
    const RequestFacts facts(context, nobody, ask, kAccount, nullptr);
    const lang::policies::Values* values = facts.find(key);
    return values ? values->front() : std::string("nothing");
  };
  EXPECT_EQ(told("arn:aws:s3:::bucket", "aws:sourceaccount"), "nothing");
  EXPECT_EQ(told("arn:aws:s3:::bucket", "aws:sourceowner"), "nothing");
  EXPECT_EQ(told("arn:aws:events:us-east-1:222222222222:rule/r", "aws:sourceowner"), "222222222222");
}

// ---- What nobody tells ----

bool is_unknown(const char* key, Ask ask, wire::Principal principal = "AKIA") {
  wire::testing::TestPlatform made;
  const wire::Context context(made.platform, kAccount, testing::kRegion, "request", std::move(principal));
  const Actor nobody;
  return RequestFacts(context, nobody, ask, kAccount, nullptr).is_unknown(key);
}

TEST(Facts, KeysThatAwsWouldTellAreUnknownAndNoOthers) {
  const Ask read{"s3:GetObject", "arn:aws:s3:::b/k"};
  EXPECT_TRUE(is_unknown("aws:resourcetag/team", read));
  EXPECT_TRUE(is_unknown("s3:signatureage", read));
  EXPECT_FALSE(is_unknown("kms:viaservice", read));
  EXPECT_FALSE(is_unknown("aws:sourceip", read));
  EXPECT_FALSE(is_unknown("aws:nonsense", read));
  EXPECT_FALSE(is_unknown("aws:resourcetag/team", {"s3:ListAllMyBuckets", "*"}));
  EXPECT_TRUE(is_unknown("events:source", {"events:PutRule", "arn:aws:events:us-east-1:111111111111:rule/r"}));
  EXPECT_FALSE(is_unknown("events:source", {"events:PutEvents", "arn:aws:events:us-east-1:111111111111:event-bus/b"}));
  EXPECT_FALSE(is_unknown("lambda:sourcefunctionarn", read));
  const auto function = wire::Principal::role({"arn:aws:iam::1:role/r", "f", "", ""});
  EXPECT_TRUE(is_unknown("lambda:sourcefunctionarn", read, function));
}

TEST(Facts, ServicesAskEachOtherWhereNobodyListens) {
  wire::testing::TestPlatform made;
  wire::Context context(made.platform, kAccount, testing::kRegion, "request", "AKIA");
  const Actor nobody;
  const Ask ask{"s3:GetObject", "arn:aws:s3:::b/k"};
  const auto is_secure = [&] {
    return RequestFacts(context, nobody, ask, kAccount, nullptr).find("aws:securetransport")->front();
  };
  EXPECT_EQ(is_secure(), "true");
  context.source_ip = "127.0.0.1";
  context.endpoint = "http://127.0.0.1:4566";
  EXPECT_EQ(is_secure(), "false");
  context.endpoint = "https://127.0.0.1:4566";
  EXPECT_EQ(is_secure(), "true");
}

TEST(Facts, ASessionTellsWhenItWasIssued) {
  World world;
  put(world, identity(world, iam::Kind::user, "AIDAONE"));
  const std::string arn = base::cat("arn:aws:iam::", kAccount, ":user/ann");
  const auto told = [&](const std::string& key) {
    const auto actor = world.actor(key);
    const auto* values = actor->facts.find("aws:tokenissuetime");
    return values ? values->front() : std::string("nothing");
  };
  EXPECT_EQ(told(key_of_session(world, "AIDAONE", arn)),
            base::iso_milliseconds(base::Time{}) + "Z");  // from before it was kept
  sts::Session session = sts::new_session(kAccount, world.now() + std::chrono::hours(1));
  session.issued = world.now();
  session.user_id = "AIDAONE";
  session.arn = arn;
  world.write([&](store::Transaction& txn) { return sts::put_session(txn, session); });
  EXPECT_EQ(told(session.access_key_id), base::iso_milliseconds(world.now()) + "Z");
}

}  // namespace
}  // namespace tidemill::rights
