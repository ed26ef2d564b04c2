#include "rights/lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "lang/policies/decide.h"
#include "rights/authorizer.h"
#include "rights/member_facts.h"
#include "rights/testing.h"
#include "services/iam/identity.h"
#include "services/iam/instance_profile.h"
#include "services/s3/bucket.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/object.h"
#include "services/s3/settings_document.h"
#include "wire/shapes/cloudformation.h"
#include "wire/shapes/kinesis.h"
#include "wire/shapes/events.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::rights {
namespace {

using lang::policies::Caller;
using lang::policies::Outcome;
using lang::policies::PrincipalKind;
using testing::kAccount;
using testing::World;

constexpr const char* kForeign = "222222222222";
constexpr const char* kPublic =
    R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":"*","Action":"s3:GetObject",)"
    R"("Resource":"arn:aws:s3:::b/*"}})";

void put_bucket(World& world, std::string policy, bool restricts) {
  namespace ops = wire::s3::ops;
  s3::Bucket bucket{.name = "b", .id = std::string(16, 'i'), .account = kAccount, .region = testing::kRegion};
  bucket.settings[s3::kPolicy] = std::move(policy);
  bucket.settings[s3::kOwnershipControls] = s3::write_document<ops::GetBucketOwnershipControls>(
      {.ownership_controls = wire::s3::OwnershipControls{.rules = {{.object_ownership = "BucketOwnerEnforced"}}}});
  bucket.settings[s3::kPublicAccessBlock] = s3::write_document<ops::GetPublicAccessBlock>(
      {.public_access_block_configuration =
           wire::s3::PublicAccessBlockConfiguration{.restrict_public_buckets = restricts}});
  world.write([&](store::Transaction& txn) -> Task<void> {
    s3::save_bucket(txn, bucket);
    co_return;
  });
}

// What the bucket's policy alone says of reading an object.
Outcome read_by(const ResourceSide& side, const Caller& caller) {
  lang::policies::Facts facts;
  if (!caller.account.empty()) facts.set("aws:PrincipalAccount", caller.account);
  facts.set("aws:PrincipalIsAWSService", caller.kind == PrincipalKind::service ? "true" : "false");
  lang::policies::Policies policies;
  policies.resource = policy_for(side, "s3:GetObject");
  policies.resource_account = account_for(side, "s3:GetObject");
  const auto decision = lang::policies::decide({caller, "s3:GetObject", "arn:aws:s3:::b/k", facts}, policies);
  return decision.outcome;
}

const Caller kOwn{.kind = PrincipalKind::user, .account = kAccount, .arn = "arn:aws:iam::111111111111:user/u"};
const Caller kRoot{.kind = PrincipalKind::root, .account = kAccount, .arn = "arn:aws:iam::111111111111:root"};
const Caller kOther{.kind = PrincipalKind::root, .account = kForeign, .arn = "arn:aws:iam::222222222222:root"};
const Caller kService{.kind = PrincipalKind::service, .service = "logging.s3.amazonaws.com"};
const Caller kNobody{};

TEST(ResourceSides, APublicPolicyIsRestrictedToItsAccountAndServices) {
  World world;
  put_bucket(world, kPublic, false);
  for (const Caller& caller : {kOwn, kRoot, kOther, kService, kNobody}) {
    EXPECT_EQ(read_by(*world.side("arn:aws:s3:::b/k"), caller), Outcome::allowed) << static_cast<int>(caller.kind);
  }
  put_bucket(world, kPublic, true);
  const auto restricted = world.side("arn:aws:s3:::b/k");
  for (const Caller& caller : {kOwn, kRoot, kService}) {
    EXPECT_EQ(read_by(*restricted, caller), Outcome::allowed) << static_cast<int>(caller.kind);
  }
  for (const Caller& caller : {kOther, kNobody}) {
    EXPECT_EQ(read_by(*restricted, caller), Outcome::explicitly_denied) << static_cast<int>(caller.kind);
  }
}

TEST(ResourceSides, APolicyForSomebodyIsNotRestricted) {
  World world;
  put_bucket(world,
             R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":{"AWS":"222222222222"},)"
             R"("Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}})",
             true);
  EXPECT_EQ(read_by(*world.side("arn:aws:s3:::b/k"), kOther), Outcome::allowed);
}

// Stored before it was refused, or by a statement that names nobody, and so everybody.
TEST(ResourceSides, APolicyThatCannotBeReadDeniesAllButTheRoot) {
  for (const char* document :
       {R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"},)"
        R"({"Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"*","Condition":{"StringEqual":{"aws:a":"b"}}}]})",
        R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})"}) {
    World world;
    put_bucket(world, document, false);
    const auto side = world.side("arn:aws:s3:::b/k");
    EXPECT_EQ(read_by(*side, kRoot), Outcome::allowed) << document;
    for (const Caller& caller : {kOwn, kOther, kService, kNobody}) {
      EXPECT_EQ(read_by(*side, caller), Outcome::explicitly_denied) << document << static_cast<int>(caller.kind);
    }
  }
}

TEST(ResourceSides, ADocumentWithoutStatementsIsNoPolicy) {
  World world;
  put_bucket(world, "{}", false);
  const auto side = world.side("arn:aws:s3:::b");
  EXPECT_FALSE(side->policy);
  EXPECT_EQ(side->account, kAccount);
}

TEST(ResourceSides, WhatTheServiceCannotTellDeniesAllButTheRootUntilItCan) {
  World world;
  using Get = wire::secretsmanager::ops::GetResourcePolicy;
  std::string code;
  world.registry().add<Get>([&](wire::Context&, const Get::Request&) -> Task<Get::Response> {
    throw wire::Error(code, 400, "no");
    co_return Get::Response{};
  });
  const std::string arn = "arn:aws:secretsmanager:us-east-1:111111111111:secret:s-abcdef";
  for (const char* none : {"ResourceNotFoundException", "InvalidParameterException"}) {
    code = none;
    EXPECT_FALSE(world.side(arn)->policy) << none;
  }
  for (const char* untold : {"InternalServiceError", "InvalidRequestException"}) {
    code = untold;
    const auto side = world.side(arn);
    EXPECT_EQ(read_by(*side, kOwn), Outcome::explicitly_denied) << untold;
    EXPECT_EQ(read_by(*side, kRoot), Outcome::allowed) << untold;
    EXPECT_TRUE(side->may_change) << "it is not kept";
  }
}

TEST(ResourceSides, OnlyWhatIsAVersionsArnIsAskedForItsPolicy) {
  World world;
  using Get = wire::lambda::ops::GetLayerVersionPolicy;
  std::vector<int64_t> asked;
  world.registry().add<Get>([&](wire::Context&, const Get::Request& request) -> Task<Get::Response> {
    asked.push_back(request.version_number);
    co_return Get::Response{};
  });
  const std::string layer = "arn:aws:lambda:us-east-1:111111111111:layer:a";
  for (const char* number : {"", ":", ":01", ":99999999999999999999", ":7"}) {
    EXPECT_FALSE(world.side(layer + number)->policy) << number;
  }
  EXPECT_THAT(asked, ::testing::ElementsAre(7));
}

TEST(ResourceSides, TheRulesOfABusHaveItsPolicy) {
  World world;
  using Describe = wire::events::ops::DescribeEventBus;
  std::vector<std::string> asked;
  world.registry().add<Describe>([&](wire::Context& at, const Describe::Request& request) -> Task<Describe::Response> {
    asked.push_back(base::cat(at.account, " ", request.name.value_or("")));
    co_return Describe::Response{.policy = kPublic};
  });
  for (const char* resource : {"event-bus/aws.partner/a", "rule/aws.partner/a/r", "rule/r"}) {
    EXPECT_TRUE(world.side(base::cat("arn:aws:events:us-east-1:222222222222:", resource))->policy) << resource;
  }
  EXPECT_THAT(asked, ::testing::ElementsAre("222222222222 aws.partner/a", "222222222222 aws.partner/a",
                                            "222222222222 default"));
}

TEST(Lookups, AMappingIsJudgedByTheFunctionOfItsRecord) {
  World world;
  using Get = wire::lambda::ops::GetEventSourceMapping;
  const std::string function = "arn:aws:lambda:us-east-1:111111111111:function:f";
  world.registry().add<Get>([&](wire::Context&, const Get::Request& request) -> Task<Get::Response> {
    if (request.uuid != "there") throw wire::Error("ResourceNotFoundException", 404, "no");
    co_return Get::Response{.function_arn = function};
  });
  const std::string mappings = "arn:aws:lambda:us-east-1:111111111111:event-source-mapping:";
  const Ask there = world.settled({"lambda:DeleteEventSourceMapping", "there", {}, Lookup::mapping});
  EXPECT_EQ(there.resource, mappings + "there");
  ASSERT_EQ(there.facts.size(), 1u);
  EXPECT_EQ(there.facts[0].first, "lambda:FunctionArn");
  EXPECT_THAT(there.facts[0].second, ::testing::ElementsAre(function));
  const Ask gone = world.settled({"lambda:DeleteEventSourceMapping", "gone", {}, Lookup::mapping});
  EXPECT_EQ(gone.resource, mappings + "gone");
  EXPECT_TRUE(gone.facts.empty());
}

TEST(Lookups, AnApiDestinationIsJudgedByItsConnection) {
  World world;
  using Describe = wire::events::ops::DescribeApiDestination;
  const std::string connection = "arn:aws:events:us-east-1:111111111111:connection/c/uuid";
  world.registry().add<Describe>([&](wire::Context&, const Describe::Request& request) -> Task<Describe::Response> {
    if (request.name != "there") throw wire::Error("ResourceNotFoundException", 404, "no");
    co_return Describe::Response{.connection_arn = connection};
  });
  const auto settled = [&](const std::string& name) {
    return world.settled({"events:UpdateApiDestination", name, {}, Lookup::destination}).resource;
  };
  EXPECT_EQ(settled("there"), connection);
  EXPECT_EQ(settled("gone"), "arn:aws:events:us-east-1:111111111111:api-destination/gone");
}

iam::Identity put_user(World& world, std::string name) {
  iam::Identity user = iam::new_identity({iam::Kind::user, kAccount, std::move(name)}, world.now());
  user.path = "/cooks/";
  user.boundary = "arn:aws:iam::111111111111:policy/bound";
  world.write([&](store::Transaction& txn) -> Task<void> {
    iam::put_identity(txn, user);
    co_return;
  });
  return user;
}

TEST(Lookups, WhatChangesRightsIsJudgedByTheBoundaryThatIsThere) {
  World world;
  const iam::Identity ann = put_user(world, "ann");
  const Ask bounded = world.settled({"iam:PutUserPolicy", "ann", {}, Lookup::user});
  EXPECT_EQ(bounded.resource, ann.arn());
  ASSERT_EQ(bounded.facts.size(), 1u);
  EXPECT_EQ(bounded.facts[0].first, "iam:PermissionsBoundary");
  EXPECT_THAT(bounded.facts[0].second, ::testing::ElementsAre(ann.boundary));
  EXPECT_TRUE(world.settled({"iam:GetUser", "ann", {}, Lookup::user}).facts.empty());
  EXPECT_TRUE(world.settled({"iam:PutUserPolicy", "bob", {}, Lookup::user}).facts.empty());
}

TEST(Lookups, ANewNameIsAtThePathThatTheOldOneHas) {
  World world;
  put_user(world, "ann");
  EXPECT_EQ(world.settled({"iam:UpdateUser", "ann/eve", {}, Lookup::renamed_user}).resource,
            "arn:aws:iam::111111111111:user/cooks/eve");
  EXPECT_EQ(world.settled({"iam:UpdateGroup", "none/eve", {}, Lookup::renamed_group}).resource,
            "arn:aws:iam::111111111111:group/eve");
}

TEST(Lookups, AConsumerByItsNameIsTheOneThatIsRegistered) {
  World world;
  using Describe = wire::kinesis::ops::DescribeStreamConsumer;
  const std::string stream = "arn:aws:kinesis:us-east-1:111111111111:stream/s";
  world.registry().add<Describe>([&](wire::Context&, const Describe::Request& request) -> Task<Describe::Response> {
    if (request.stream_arn != stream || request.consumer_name != "there") {
      throw wire::Error("ResourceNotFoundException", 400, "no");
    }
    Describe::Response found;
    found.consumer_description.consumer_name = "there";
    found.consumer_description.consumer_arn = stream + "/consumer/there:1";
    found.consumer_description.consumer_status = "ACTIVE";
    found.consumer_description.stream_arn = stream;
    co_return found;
  });
  const auto settled = [&](const std::string& resource) {
    return world.settled({"kinesis:DescribeStreamConsumer", resource, {}, Lookup::consumer}).resource;
  };
  EXPECT_EQ(settled(stream + "/consumer/there"), stream + "/consumer/there:1");
  EXPECT_EQ(settled(stream + "/consumer/gone"), stream + "/consumer/gone");
}

TEST(Lookups, WhatAStackMadeIsJudgedByTheStack) {
  World world;
  using Describe = wire::cloudformation::ops::DescribeStackResources;
  const std::string stack = "arn:aws:cloudformation:us-east-1:111111111111:stack/s/u";
  world.registry().add<Describe>([&](wire::Context&, const Describe::Request& request) -> Task<Describe::Response> {
    if (request.physical_resource_id != "queue") throw wire::Error("ValidationError", 400, "no");
    wire::cloudformation::StackResource resource;
    resource.stack_id = stack;
    Describe::Response found;
    found.stack_resources.emplace().push_back(std::move(resource));
    co_return found;
  });
  const auto settled = [&](const std::string& id) {
    return world.settled({"cloudformation:DescribeStackResources", id, {}, Lookup::stack_of_resource}).resource;
  };
  EXPECT_EQ(settled("queue"), stack);
  EXPECT_EQ(settled("nobody's"), "*");
}

// What a policy says of its own replacement.
bool lets_replace(World& world, const wire::Principal& who, std::string_view principal, std::string_view effect = "Allow",
                  std::string_view action = "kms:*") {
  const auto policy = lang::policies::Policy::parse_of_resource(
      base::cat(R"({"Version":"2012-10-17","Statement":{"Effect":")", effect, R"(","Principal":{"AWS":")", principal,
                R"("},"Action":")", action, R"(","Resource":"*"}})"));
  const Ask ask{"kms:PutKeyPolicy", "arn:aws:kms:us-east-1:111111111111:key/k"};
  return lets(*policy, world.context(who), *world.actor(who), ask);
}

TEST(ResourceSides, APolicyLetsWhomItNamesOrWhoseAccount) {
  World world;
  const auto root = wire::Principal::service("", "arn:aws:events:us-east-1:111111111111:rule/r");
  EXPECT_TRUE(lets_replace(world, root, "arn:aws:iam::111111111111:root"));
  EXPECT_TRUE(lets_replace(world, root, "*"));
  EXPECT_FALSE(lets_replace(world, root, "arn:aws:iam::222222222222:root"));
  EXPECT_FALSE(lets_replace(world, root, "arn:aws:iam::111111111111:user/other"));
  EXPECT_FALSE(lets_replace(world, root, "*", "Allow", "kms:Decrypt"));
  EXPECT_FALSE(lets_replace(world, root, "*", "Deny"));
  const auto role = wire::Principal::role({.role_arn = "arn:aws:iam::111111111111:role/r", .session_name = "s"});
  EXPECT_TRUE(lets_replace(world, role, "111111111111")) << "its own policies decide";
  EXPECT_FALSE(lets_replace(world, role, "arn:aws:iam::111111111111:role/other"));
}

TEST(Lookups, AnInstanceProfileIsJudgedAtThePathThatItHas) {
  World world;
  const iam::InstanceProfile profile{.account = kAccount, .name = "p", .path = "/team/"};
  world.write([&](store::Transaction& txn) -> Task<void> {
    iam::put_profile(txn, profile);
    co_return;
  });
  const auto settled = [&](std::string name) {
    return world.settled({"iam:GetInstanceProfile", std::move(name), {}, Lookup::instance_profile}).resource;
  };
  EXPECT_EQ(settled("p"), "arn:aws:iam::111111111111:instance-profile/team/p");
  EXPECT_EQ(settled("q"), "arn:aws:iam::111111111111:instance-profile/q");
}

// A part cannot say how the object shall be encrypted, and a policy that asks for it would never let one in.
TEST(Lookups, PartsAreJudgedByWhatTheirUploadBeganWith) {
  World world;
  put_bucket(world, kPublic, false);
  s3::Upload upload{.id = "u"};
  upload.description.system = {{"x-amz-server-side-encryption", "AES256"}, {"content-type", "text/plain"}};
  world.write([&](store::Transaction& txn) -> Task<void> {
    txn.put(s3::upload_key(std::string(16, 'i'), "a/b", upload.id), s3::encode_upload(upload));
    co_return;
  });
  using Part = wire::s3::ops::UploadPart;
  Part::Request request;
  request.upload_id = "u";
  const auto encryption = [&](std::string action, std::string resource, const wire::OperationInfo& operation) {
    const auto facts = world.told_of_upload({std::move(action), std::move(resource)}, upload_of(operation, &request));
    const auto* values = facts.find("s3:x-amz-server-side-encryption");
    return values ? values->front() : "none";
  };
  EXPECT_EQ(encryption("s3:PutObject", "arn:aws:s3:::b/a/b", Part::info), "AES256");
  EXPECT_EQ(encryption("s3:PutObject", "arn:aws:s3:::b/a", Part::info), "none") << "another key's";
  EXPECT_EQ(encryption("s3:GetObject", "arn:aws:s3:::b/a/b", Part::info), "none") << "the source of a copy";
  EXPECT_EQ(world.told_of_upload({"s3:PutObject", "arn:aws:s3:::b/a/b"}, "u").find("s3:content-type"), nullptr);
}

}  // namespace
}  // namespace tidemill::rights
