// What conditions are told of a request's members.
#include "rights/member_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/shapes/dynamodb.h"
#include "wire/shapes/kms.h"
#include "wire/shapes/logs.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::rights {
namespace {

using lang::policies::Facts;
using ::testing::ElementsAre;
using ::testing::IsNull;
using ::testing::Pointee;

template <class Op>
Facts told(const typename Op::Request& request, std::string action) {
  Facts facts;
  add_member_facts(Op::info, &request, {std::move(action), "*"}, facts);
  return facts;
}

TEST(MemberFacts, TagsOfARequestAreToldHoweverTheyAreSpelled) {
  const auto listed = told<wire::dynamodb::ops::CreateTable>(
      {.table_name = "t", .tags = {{{.key = "team", .value = "tea"}, {.key = "env", .value = "prod"}}}},
      "dynamodb:CreateTable");
  EXPECT_THAT(listed.find("aws:requesttag/team"), Pointee(ElementsAre("tea")));
  EXPECT_THAT(listed.find("aws:tagkeys"), Pointee(ElementsAre("env", "team")));
  using Key = wire::kms::ops::CreateKey;
  const auto keys = told<Key>({.tags = {{{.tag_key = "team", .tag_value = "tea"}}}}, "kms:CreateKey");
  EXPECT_THAT(keys.find("aws:requesttag/team"), Pointee(ElementsAre("tea")));
  const std::map<std::string, std::string> pairs{{"team", "tea"}};
  const auto mapped = told<wire::logs::ops::CreateLogGroup>({.log_group_name = "g", .tags = pairs}, "logs:TagResource");
  EXPECT_THAT(mapped.find("aws:requesttag/team"), Pointee(ElementsAre("tea")));
  using Untag = wire::logs::ops::UntagResource;
  const auto taken = told<Untag>({.resource_arn = "g", .tag_keys = {"team"}}, "logs:UntagResource");
  EXPECT_THAT(taken.find("aws:requesttag/team"), IsNull());
  EXPECT_THAT(taken.find("aws:tagkeys"), Pointee(ElementsAre("team")));
}

// Of what else the request needs, as iam:PassRole, they are no keys.
TEST(MemberFacts, AreThoseOfTheServicesOwnActions) {
  const std::map<std::string, std::string> pairs{{"team", "tea"}};
  const auto facts = told<wire::logs::ops::CreateLogGroup>({.log_group_name = "g", .tags = pairs}, "iam:PassRole");
  EXPECT_THAT(facts.find("aws:tagkeys"), IsNull());
}

TEST(MemberFacts, S3sHeadersAreToldOfWhatIsPut) {
  using Put = wire::s3::ops::PutObject;
  Put::Request request;
  request.server_side_encryption = "AES256";
  request.object_lock_mode = "GOVERNANCE";
  request.if_none_match = "*";
  request.tagging = "team=tea&env=a%20b";
  const auto facts = told<Put>(request, "s3:PutObject");
  EXPECT_THAT(facts.find("s3:x-amz-server-side-encryption"), Pointee(ElementsAre("AES256")));
  EXPECT_THAT(facts.find("s3:object-lock-mode"), Pointee(ElementsAre("GOVERNANCE")));
  EXPECT_THAT(facts.find("s3:if-none-match"), Pointee(ElementsAre("*")));
  EXPECT_THAT(facts.find("s3:requestobjecttag/env"), Pointee(ElementsAre("a b")));
  EXPECT_THAT(facts.find("s3:requestobjecttagkeys"), Pointee(ElementsAre("env", "team")));
  EXPECT_THAT(facts.find("s3:x-amz-server-side-encryption-aws-kms-key-id"), IsNull());
  using Tag = wire::s3::ops::PutObjectTagging;
  Tag::Request tagging;
  tagging.tagging.tag_set = {{.key = "team", .value = "tea"}};
  EXPECT_THAT(told<Tag>(tagging, "s3:PutObjectTagging").find("s3:requestobjecttag/team"), Pointee(ElementsAre("tea")));
}

TEST(MemberFacts, TagsOfABucketAreTold) {
  using Create = wire::s3::ops::CreateBucket;
  Create::Request created;
  created.create_bucket_configuration = wire::s3::CreateBucketConfiguration{
      .tags = {{{.key = "team", .value = "tea"}, {.key = "env", .value = "prod"}}}};
  for (const char* action : {"s3:CreateBucket", "s3:TagResource"}) {
    const auto facts = told<Create>(created, action);
    EXPECT_THAT(facts.find("aws:requesttag/team"), Pointee(ElementsAre("tea"))) << action;
    EXPECT_THAT(facts.find("aws:tagkeys"), Pointee(ElementsAre("env", "team"))) << action;
  }
  using Tag = wire::s3::ops::PutBucketTagging;
  Tag::Request tagging;
  tagging.tagging.tag_set = {{.key = "team", .value = "tea"}};
  const auto facts = told<Tag>(tagging, "s3:PutBucketTagging");
  EXPECT_THAT(facts.find("aws:requesttag/team"), Pointee(ElementsAre("tea")));
  EXPECT_THAT(facts.find("aws:tagkeys"), Pointee(ElementsAre("team")));
  EXPECT_THAT(facts.find("s3:requestobjecttag/team"), IsNull());
}

// As the document of PutObjectTagging.
TEST(MemberFacts, TagsOfABrowsersFormAreTold) {
  using Post = wire::s3::ops::PostObject;
  Post::Request request;
  request.tagging =
      "<Tagging><TagSet><Tag><Key>team</Key><Value>tea</Value></Tag><Tag><Key>env</Key><Value>a+b=c</Value></Tag>"
      "</TagSet></Tagging>";
  const auto facts = told<Post>(request, "s3:PutObject");
  EXPECT_THAT(facts.find("s3:requestobjecttag/team"), Pointee(ElementsAre("tea")));
  EXPECT_THAT(facts.find("s3:requestobjecttag/env"), Pointee(ElementsAre("a+b=c")));
  EXPECT_THAT(facts.find("s3:requestobjecttagkeys"), Pointee(ElementsAre("env", "team")));
  request.tagging = "team=tea";  // which the operation refuses
  EXPECT_THAT(told<Post>(request, "s3:PutObject").find("s3:requestobjecttagkeys"), IsNull());
}

TEST(MemberFacts, AnEncryptionContextIsToldOfItsSide) {
  const std::map<std::string, std::string> from{{"a", "1"}};
  const std::map<std::string, std::string> to{{"b", "2"}};
  using ReEncrypt = wire::kms::ops::ReEncrypt;
  ReEncrypt::Request request;
  request.source_encryption_context = from;
  request.destination_encryption_context = to;
  EXPECT_THAT(told<ReEncrypt>(request, "kms:ReEncryptFrom").find("kms:encryptioncontext:a"), Pointee(ElementsAre("1")));
  EXPECT_THAT(told<ReEncrypt>(request, "kms:ReEncryptTo").find("kms:encryptioncontextkeys"), Pointee(ElementsAre("b")));
}

TEST(MemberFacts, ASecretsVersionIsToldAndNotTheSecret) {
  using Get = wire::secretsmanager::ops::GetSecretValue;
  const auto read = told<Get>({.secret_id = "s", .version_stage = "AWSPREVIOUS"}, "secretsmanager:GetSecretValue");
  EXPECT_THAT(read.find("secretsmanager:versionstage"), Pointee(ElementsAre("AWSPREVIOUS")));
  using Create = wire::secretsmanager::ops::CreateSecret;
  const auto made = told<Create>({.name = "s", .secret_string = "hidden"}, "secretsmanager:CreateSecret");
  EXPECT_THAT(made.find("secretsmanager:name"), Pointee(ElementsAre("s")));
  EXPECT_THAT(made.find("secretsmanager:secretstring"), IsNull());
}

}  // namespace
}  // namespace tidemill::rights
