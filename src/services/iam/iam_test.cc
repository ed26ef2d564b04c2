// Users, groups, roles and policies over the simulated store.
#include "services/iam/testing.h"

namespace tidemill::iam {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::kGrant;
using testing::kTrust;
using testing::World;

std::string with(json::Object document) { return json::write(document); }

TEST(IamRoles, ARoleLivesFromCreationToDeletionAndSurvivesACrash) {
  World world;
  world.make_role("Reader");
  EXPECT_THAT(world.say("CreateRole", with({{"RoleName", "reader"}, {"AssumeRolePolicyDocument", kTrust}})),
              StartsWith("EntityAlreadyExistsException: Role with name reader already exists."));
  world.crash();
  const std::string shown = world.say("GetRole", R"({"RoleName":"Reader"})");
  EXPECT_THAT(shown, HasSubstr(R"("Arn":"arn:aws:iam::000000000000:role/Reader")"));
  EXPECT_THAT(shown, HasSubstr(R"("RoleId":"AROA)"));
  EXPECT_THAT(shown, HasSubstr(R"("MaxSessionDuration":3600)"));
  EXPECT_THAT(shown, HasSubstr("%7B%22Version%22%3A%222012-10-17%22"));
  EXPECT_EQ(world.say("GetRole", R"({"RoleName":"reader"})"),
            "NoSuchEntityException: The role with name reader cannot be found.");
  EXPECT_EQ(world.say("DeleteRole", R"({"RoleName":"Reader"})"), "{}");
  EXPECT_EQ(world.say("DeleteRole", R"({"RoleName":"Reader"})"),
            "NoSuchEntityException: The role with name Reader cannot be found.");
}

TEST(IamRoles, WhatARoleHasGoesBeforeIt) {
  World world;
  world.make_role("r");
  const std::string policy = world.make_policy("p");
  const std::string attach = with({{"RoleName", "r"}, {"PolicyArn", policy}});
  EXPECT_EQ(world.say("AttachRolePolicy", attach), "{}");
  EXPECT_EQ(world.say("AttachRolePolicy", attach), "{}");
  EXPECT_EQ(world.say("PutRolePolicy", with({{"RoleName", "r"}, {"PolicyName", "own"}, {"PolicyDocument", kGrant}})), "{}");
  EXPECT_EQ(world.say("CreateInstanceProfile", R"({"InstanceProfileName":"i"})").substr(0, 1), "{");
  EXPECT_EQ(world.say("AddRoleToInstanceProfile", R"({"InstanceProfileName":"i","RoleName":"r"})"), "{}");
  EXPECT_EQ(world.say("AddRoleToInstanceProfile", R"({"InstanceProfileName":"i","RoleName":"r"})"),
            "LimitExceededException: Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1");

  const auto remove = [&] { return world.say("DeleteRole", R"({"RoleName":"r"})"); };
  EXPECT_EQ(remove(), "DeleteConflictException: Cannot delete entity, must detach all policies first.");
  EXPECT_EQ(world.say("DeletePolicy", with({{"PolicyArn", policy}})),
            "DeleteConflictException: Cannot delete a policy attached to entities.");
  EXPECT_EQ(world.say("DetachRolePolicy", attach), "{}");
  EXPECT_EQ(world.say("DetachRolePolicy", attach), "NoSuchEntityException: Policy " + policy + " was not found.");
  EXPECT_EQ(remove(), "DeleteConflictException: Cannot delete entity, must delete policies first.");
  EXPECT_EQ(world.say("DeleteRolePolicy", R"({"RoleName":"r","PolicyName":"own"})"), "{}");
  EXPECT_EQ(world.say("DeleteRolePolicy", R"({"RoleName":"r","PolicyName":"own"})"),
            "NoSuchEntityException: The role policy with name own cannot be found.");
  EXPECT_EQ(remove(), "DeleteConflictException: Cannot delete entity, must remove roles from instance profile first.");
  EXPECT_THAT(world.say("ListInstanceProfilesForRole", R"({"RoleName":"r"})"),
              HasSubstr("arn:aws:iam::000000000000:instance-profile/i"));
  EXPECT_EQ(world.say("DeleteInstanceProfile", R"({"InstanceProfileName":"i"})"),
            "DeleteConflictException: Cannot delete entity, must remove roles from instance profile first.");
  EXPECT_EQ(world.say("RemoveRoleFromInstanceProfile", R"({"InstanceProfileName":"i","RoleName":"r"})"), "{}");
  EXPECT_EQ(remove(), "{}");
  EXPECT_EQ(world.say("DeletePolicy", with({{"PolicyArn", policy}})), "{}");
  EXPECT_EQ(world.say("DeleteInstanceProfile", R"({"InstanceProfileName":"i"})"), "{}");
}

TEST(IamRoles, TheirTrustPoliciesKeepTheIdsOfWhomTheyName) {
  World world;
  const json::Value made = world.tell("CreateUser", R"({"UserName":"ann"})");
  const std::string id = made.find("User")->find("UserId")->string();
  const std::string trust =
      R"({"Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::000000000000:user/ann"},"Action":"*"}]})";
  const std::string create = with({{"RoleName", "r"}, {"AssumeRolePolicyDocument", trust}});
  EXPECT_THAT(world.say("CreateRole", create), HasSubstr("user%2Fann%22"));
  EXPECT_EQ(world.say("CreateInstanceProfile", R"({"InstanceProfileName":"i"})").substr(0, 1), "{");
  EXPECT_EQ(world.say("AddRoleToInstanceProfile", R"({"InstanceProfileName":"i","RoleName":"r"})"), "{}");
  const auto expect_shown = [&](const std::string& principal) {
    const std::string quoted = "%22AWS%22%3A%22" + principal + "%22";
    EXPECT_THAT(world.say("GetRole", R"({"RoleName":"r"})"), HasSubstr(quoted));
    EXPECT_THAT(world.say("ListRoles", "{}"), HasSubstr(quoted));
    EXPECT_THAT(world.say("UpdateRoleDescription", R"({"RoleName":"r","Description":"d"})"), HasSubstr(quoted));
    EXPECT_THAT(world.say("GetInstanceProfile", R"({"InstanceProfileName":"i"})"), HasSubstr(quoted));
    EXPECT_THAT(world.say("ListInstanceProfilesForRole", R"({"RoleName":"r"})"), HasSubstr(quoted));
  };
  expect_shown("arn%3Aaws%3Aiam%3A%3A000000000000%3Auser%2Fann");
  EXPECT_EQ(world.say("UpdateUser", R"({"UserName":"ann","NewUserName":"anna"})"), "{}");
  world.crash();
  expect_shown("arn%3Aaws%3Aiam%3A%3A000000000000%3Auser%2Fanna");
  EXPECT_EQ(world.say("DeleteUser", R"({"UserName":"anna"})"), "{}");
  expect_shown(id);
  EXPECT_THAT(world.say("CreateUser", R"({"UserName":"ann"})"), StartsWith("{"));
  EXPECT_THAT(world.say("CreateUser", R"({"UserName":"anna"})"), StartsWith("{"));
  expect_shown(id);
}

TEST(IamRoles, OfEarlierVersionsAreFoundByTheirIdsFromTheNextStartOn) {
  World world;
  const std::string id = world.tell("CreateUser", R"({"UserName":"ann"})").find("User")->find("UserId")->string();
  world.make_role("helper");
  const json::Value helper = world.tell("GetRole", R"({"RoleName":"helper"})");
  const std::string role_id = helper.find("Role")->find("RoleId")->string();
  const std::string other_id = world.make_user_of("111111111111", "bob");
  world.forget_principals({id, role_id, other_id});
  world.start();
  const std::string trust = R"({"Statement":[{"Effect":"Allow","Principal":{"AWS":[")" + id + R"(",")" + role_id +
                            R"(",")" + other_id + R"("]},"Action":"*"}]})";
  EXPECT_THAT(world.say("CreateRole", with({{"RoleName", "r"}, {"AssumeRolePolicyDocument", trust}})), StartsWith("{"));
  EXPECT_THAT(world.say("GetRole", R"({"RoleName":"r"})"),
              AllOf(HasSubstr("000000000000%3Auser%2Fann"), HasSubstr("000000000000%3Arole%2Fhelper"),
                    HasSubstr("111111111111%3Auser%2Fbob"), Not(HasSubstr(id))));
}

TEST(IamRoles, AServicesOwnRoleIsThatServicesMatter) {
  World world;
  const std::string service = R"({"AWSServiceName":"ecs.amazonaws.com"})";
  EXPECT_THAT(world.say("CreateServiceLinkedRole", service),
              HasSubstr("role/aws-service-role/ecs.amazonaws.com/AWSServiceRoleForECS"));
  EXPECT_THAT(world.say("CreateServiceLinkedRole", service), StartsWith("InvalidInputException: Service role name"));
  EXPECT_THAT(world.say("CreateServiceLinkedRole", R"({"AWSServiceName":"tea.amazonaws.com"})"),
              StartsWith("ValidationErrorException: Tidemill does not support a role of the service tea.amazonaws.com"));
  EXPECT_THAT(world.say("DeleteRole", R"({"RoleName":"AWSServiceRoleForECS"})"),
              StartsWith("UnmodifiableEntityException: Cannot perform the operation on the protected role"));
  const json::Value deleted = world.tell("DeleteServiceLinkedRole", R"({"RoleName":"AWSServiceRoleForECS"})");
  EXPECT_EQ(world.say("GetServiceLinkedRoleDeletionStatus",
                      with({{"DeletionTaskId", deleted.find("DeletionTaskId")->string()}})),
            R"({"Status":"SUCCEEDED"})");
  EXPECT_THAT(world.say("GetServiceLinkedRoleDeletionStatus", R"({"DeletionTaskId":"task/other"})"),
              StartsWith("NoSuchEntityException"));
}

TEST(IamPolicies, HaveFiveVersionsOfWhichOneIsTheDefault) {
  World world;
  const std::string arn = world.make_policy("p");
  const std::string more = with({{"PolicyArn", arn}, {"PolicyDocument", kGrant}, {"SetAsDefault", true}});
  for (int version = 2; version <= 5; ++version) {
    EXPECT_THAT(world.say("CreatePolicyVersion", more), HasSubstr(base::cat(R"("VersionId":"v)", version)));
  }
  EXPECT_THAT(world.say("CreatePolicyVersion", more),
              StartsWith("LimitExceededException: A managed policy can have up to 5 versions."));
  const auto version = [&](const char* id) { return with({{"PolicyArn", arn}, {"VersionId", id}}); };
  EXPECT_EQ(world.say("DeletePolicyVersion", version("v5")),
            "DeleteConflictException: Cannot delete the default version of a policy.");
  EXPECT_EQ(world.say("SetDefaultPolicyVersion", version("v2")), "{}");
  EXPECT_EQ(world.say("DeletePolicyVersion", version("v5")), "{}");
  EXPECT_THAT(world.say("GetPolicyVersion", version("v5")), StartsWith("NoSuchEntityException"));
  EXPECT_THAT(world.say("CreatePolicyVersion", more), HasSubstr(R"("VersionId":"v6")"));  // numbers are not used twice
  EXPECT_THAT(world.say("GetPolicyVersion", version("v2")), HasSubstr("%22Action%22%3A%22sqs%3ASendMessage%22"));
  EXPECT_THAT(world.say("DeletePolicy", with({{"PolicyArn", arn}})),
              StartsWith("DeleteConflictException: This policy has more than one version."));
  EXPECT_THAT(world.say("ListPolicyVersions", with({{"PolicyArn", arn}, {"MaxItems", 2}})),
              HasSubstr(R"("IsTruncated":true,"Marker":"v4")"));
  EXPECT_THAT(world.say("ListPolicyVersions", with({{"PolicyArn", arn}, {"Marker", "v4"}})),
              HasSubstr(R"("IsTruncated":false)"));
}

TEST(IamPolicies, TheirDocumentsAreChecked) {
  World world;
  const auto refusal = [&](std::string_view document) {
    return world.say("CreatePolicy", with({{"PolicyName", "p"}, {"PolicyDocument", document}}));
  };
  const std::string start = "MalformedPolicyDocumentException: ";
  EXPECT_EQ(refusal("tea"), start + "This policy contains invalid Json");
  EXPECT_EQ(refusal(R"({"Version":"2012-10-17"})"), start + "Syntax errors in policy.");
  EXPECT_EQ(refusal(R"({"Version":"2011-01-01","Statement":[]})"),
            start + "Policy document must be version 2012-10-17 or greater.");
  EXPECT_EQ(refusal(R"({"Statement":{"Effect":"Allow","Resource":"*"}})"),
            start + "Policy statement must contain actions.");
  EXPECT_EQ(refusal(R"({"Statement":{"Effect":"Allow","Action":"a:b"}})"),
            start + "Policy statement must contain resources.");
  EXPECT_EQ(refusal(R"({"Statement":{"Effect":"Allow","Action":"tea","Resource":"*"}})"),
            start + "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
  EXPECT_EQ(refusal(R"({"Statement":{"Effect":"Allow","Action":"a:b:c","Resource":"*"}})"),
            start + "Actions/Condition can contain only one colon.");
  EXPECT_EQ(refusal(R"({"Statement":{"Effect":"Allow","Action":"a:b","Resource":"tea"}})"),
            start + R"(Resource tea must be in ARN format or "*".)");
  EXPECT_EQ(refusal(R"({"Statement":{"Effect":"allow","Action":"a:b","Resource":"*"}})"),
            start + "Syntax errors in policy.");
  EXPECT_EQ(refusal(R"({"Statement":{"Effect":"Allow","Action":"a:b","NotAction":"a:b","Resource":"*"}})"),
            start + "Syntax errors in policy.");
  EXPECT_EQ(refusal(R"({"Statement":[{"Sid":"A","Effect":"Allow","Action":"a:b","Resource":"*"},)"
                    R"({"Sid":"A","Effect":"Deny","Action":"a:b","Resource":"*"}]})"),
            start + "Statement IDs (SID) in a single policy must be unique.");
  EXPECT_EQ(refusal(kTrust), start + "Policy document should not specify a principal.");
  EXPECT_EQ(refusal(base::cat(R"({"Statement":{"Effect":"Allow","Action":"a:b","Resource":"arn:aws:s3:::)",
                              std::string(6200, 'x'), R"("}})")),
            "LimitExceededException: Cannot exceed quota for PolicySize: 6144");
  EXPECT_EQ(world.say("CreateRole", with({{"RoleName", "r"}, {"AssumeRolePolicyDocument", kGrant}})),
            start + "Has prohibited field Resource.");
}

TEST(IamPolicies, OfAwsMayBeAttachedAndNotLookedInto) {
  World world;
  world.make_role("r");
  const std::string arn = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole";
  EXPECT_EQ(world.say("AttachRolePolicy", with({{"RoleName", "r"}, {"PolicyArn", arn}})), "{}");
  EXPECT_THAT(world.say("ListAttachedRolePolicies", R"({"RoleName":"r"})"),
              HasSubstr(R"("PolicyName":"AWSLambdaBasicExecutionRole")"));
  EXPECT_THAT(world.say("GetPolicy", with({{"PolicyArn", arn}})), HasSubstr("Tidemill does not support looking into"));
  EXPECT_EQ(world.say("AttachRolePolicy", R"({"RoleName":"r","PolicyArn":"arn:aws:iam::000000000000:policy/none"})"),
            "NoSuchEntityException: Policy arn:aws:iam::000000000000:policy/none does not exist or is not attachable.");
  EXPECT_EQ(world.say("GetPolicy", R"({"PolicyArn":"twenty letters or more"})"),
            "ValidationErrorException: Invalid ARN:  Could not be parsed!");
}

TEST(IamPolicies, AtMostTenAreAttachedAndBoundariesCount) {
  World world;
  world.make_role("r");
  for (int number = 0; number < 10; ++number) {
    const std::string arn = world.make_policy(base::cat("p", number));
    EXPECT_EQ(world.say("AttachRolePolicy", with({{"RoleName", "r"}, {"PolicyArn", arn}})), "{}");
  }
  const std::string bound = world.make_policy("bound");
  EXPECT_EQ(world.say("AttachRolePolicy", with({{"RoleName", "r"}, {"PolicyArn", bound}})),
            "LimitExceededException: Cannot exceed quota for PoliciesPerRole: 10");
  const std::string boundary = with({{"RoleName", "r"}, {"PermissionsBoundary", bound}});
  EXPECT_EQ(world.say("PutRolePermissionsBoundary", boundary), "{}");
  EXPECT_EQ(world.say("PutRolePermissionsBoundary", boundary), "{}");
  const std::string shown = world.say("GetPolicy", with({{"PolicyArn", bound}}));
  EXPECT_THAT(shown, HasSubstr(R"("AttachmentCount":0,"PermissionsBoundaryUsageCount":1)"));
  EXPECT_THAT(world.say("ListEntitiesForPolicy", with({{"PolicyArn", bound}})), HasSubstr(R"("RoleName":"r")"));
  EXPECT_THAT(world.say("ListEntitiesForPolicy", with({{"PolicyArn", bound}, {"EntityFilter", "User"}})),
              Not(HasSubstr(R"("RoleName":"r")")));
  EXPECT_EQ(world.say("DeleteRolePermissionsBoundary", R"({"RoleName":"r"})"), "{}");
  EXPECT_EQ(world.say("DeletePolicy", with({{"PolicyArn", bound}})), "{}");
}

TEST(IamLists, ComePageByPage) {
  World world;
  for (const char* name : {"a", "B", "c", "d", "e"}) world.make_role(name);
  std::string names;
  json::Object request{{"MaxItems", 2}};
  for (int page = 0; page < 3; ++page) {
    const json::Value answer = world.tell("ListRoles", json::write(request));
    for (const json::Value& role : answer.find("Roles")->array()) names += role.find("RoleName")->string();
    EXPECT_EQ(answer.find("IsTruncated")->boolean(), page < 2);
    if (page < 2) request.set("Marker", answer.find("Marker")->string());
  }
  EXPECT_EQ(names, "aBcde");
  EXPECT_EQ(world.say("ListRoles", R"({"Marker":"tea"})"), "ValidationErrorException: Invalid Marker.");
  EXPECT_EQ(world.tell("ListRoles", R"({"PathPrefix":"/other/"})").find("Roles")->array().size(), 0U);
}

TEST(IamLists, OfWhoHasAPolicyComePageByPage) {
  World world;
  const std::string arn = world.make_policy("p");
  // In the order of their names as they are written, which is not that of the store.
  for (const char* name : {"b", "C", "a", "D", "e"}) {
    world.make_role(name);
    EXPECT_EQ(world.say("AttachRolePolicy", with({{"RoleName", name}, {"PolicyArn", arn}})), "{}");
  }
  EXPECT_THAT(world.say("CreateGroup", R"({"GroupName":"g"})"), HasSubstr("AGPA"));
  EXPECT_EQ(world.say("AttachGroupPolicy", with({{"GroupName", "g"}, {"PolicyArn", arn}})), "{}");
  std::string names;
  json::Object request{{"MaxItems", 2}, {"PolicyArn", arn}};
  for (int page = 0; page < 3; ++page) {
    const json::Value answer = world.tell("ListEntitiesForPolicy", json::write(request));
    for (const json::Value& group : answer.find("PolicyGroups")->array()) names += group.find("GroupName")->string();
    for (const json::Value& role : answer.find("PolicyRoles")->array()) names += role.find("RoleName")->string();
    EXPECT_EQ(answer.find("IsTruncated")->boolean(), page < 2);
    if (page < 2) request.set("Marker", answer.find("Marker")->string());
  }
  EXPECT_EQ(names, "gCDabe");
}

TEST(IamUsers, AreInGroupsHaveTwoKeysAndMayBeRenamed) {
  World world;
  EXPECT_THAT(world.say("CreateUser", R"({"UserName":"ann"})"), HasSubstr(R"("UserId":"AIDA)"));
  EXPECT_THAT(world.say("CreateGroup", R"({"GroupName":"g"})"), HasSubstr(R"("GroupId":"AGPA)"));
  EXPECT_EQ(world.say("AddUserToGroup", R"({"GroupName":"g","UserName":"ann"})"), "{}");
  const json::Value key = world.tell("CreateAccessKey", R"({"UserName":"ann"})");
  const std::string id = key.find("AccessKey")->find("AccessKeyId")->string();
  EXPECT_THAT(id, StartsWith("AKIA"));
  EXPECT_THAT(world.say("CreateAccessKey", "{}", id), HasSubstr(R"("UserName":"ann")"));
  EXPECT_EQ(world.say("CreateAccessKey", "{}", id), "LimitExceededException: Cannot exceed quota for AccessKeysPerUser: 2");
  EXPECT_EQ(world.say("GetUser", "{}"),
            "ValidationErrorException: Must specify userName when calling with non-User credentials");

  EXPECT_EQ(world.say("UpdateUser", R"({"UserName":"ann","NewUserName":"Ann","NewPath":"/x/"})"), "{}");
  EXPECT_THAT(world.say("GetUser", "{}", id), HasSubstr("arn:aws:iam::000000000000:user/x/Ann"));
  EXPECT_THAT(world.say("GetGroup", R"({"GroupName":"g"})"), HasSubstr(R"("UserName":"Ann")"));
  EXPECT_EQ(world.say("UpdateGroup", R"({"GroupName":"g","NewGroupName":"h"})"), "{}");
  EXPECT_THAT(world.say("ListGroupsForUser", R"({"UserName":"Ann"})"), HasSubstr("arn:aws:iam::000000000000:group/h"));

  EXPECT_EQ(world.say("UpdateAccessKey", with({{"AccessKeyId", id}, {"Status", "Inactive"}}), id), "{}");
  EXPECT_THAT(world.say("ListAccessKeys", R"({"UserName":"Ann"})"), HasSubstr(R"("Status":"Inactive")"));
  EXPECT_THAT(world.say("ListAccessKeys", R"({"UserName":"Ann"})"), Not(HasSubstr("Secret")));
  const auto remove = [&] { return world.say("DeleteUser", R"({"UserName":"Ann"})"); };
  EXPECT_EQ(remove(), "DeleteConflictException: Cannot delete entity, must remove users from group first.");
  EXPECT_EQ(world.say("DeleteGroup", R"({"GroupName":"h"})"),
            "DeleteConflictException: Cannot delete entity, must remove users from group first.");
  EXPECT_EQ(world.say("RemoveUserFromGroup", R"({"GroupName":"h","UserName":"Ann"})"), "{}");
  EXPECT_EQ(remove(), "DeleteConflictException: Cannot delete entity, must delete access keys first.");
  const json::Value keys = world.tell("ListAccessKeys", R"({"UserName":"Ann"})");
  for (const json::Value& each : keys.find("AccessKeyMetadata")->array()) {
    const std::string erase = with({{"UserName", "Ann"}, {"AccessKeyId", each.find("AccessKeyId")->string()}});
    EXPECT_EQ(world.say("DeleteAccessKey", erase), "{}");
  }
  EXPECT_EQ(remove(), "{}");
  EXPECT_EQ(world.say("DeleteGroup", R"({"GroupName":"h"})"), "{}");
}

TEST(IamUsers, AreNotRenamedToOneThatIsThere) {
  World world;
  EXPECT_THAT(world.say("CreateUser", R"({"UserName":"ann"})"), StartsWith("{"));
  EXPECT_THAT(world.say("CreateUser", R"({"UserName":"bob"})"), StartsWith("{"));
  EXPECT_EQ(world.say("UpdateUser", R"({"UserName":"ann","NewUserName":"BOB"})"),
            "EntityAlreadyExistsException: User with name BOB already exists.");
  EXPECT_THAT(world.say("GetUser", R"({"UserName":"ann"})"), StartsWith("{"));
}

TEST(IamTags, AreCaseInsensitiveAndAtMostFifty) {
  World world;
  world.make_role("r");
  EXPECT_EQ(world.say("TagRole", R"({"RoleName":"r","Tags":[{"Key":"k","Value":"1"}]})"), "{}");
  EXPECT_EQ(world.say("TagRole", R"({"RoleName":"r","Tags":[{"Key":"K","Value":"2"}]})"), "{}");
  EXPECT_EQ(world.say("ListRoleTags", R"({"RoleName":"r"})"),
            R"({"Tags":[{"Key":"K","Value":"2"}],"IsTruncated":false})");
  EXPECT_EQ(world.say("TagRole", R"({"RoleName":"r","Tags":[{"Key":"a","Value":"1"},{"Key":"A","Value":"2"}]})"),
            "InvalidInputException: Duplicate tag keys found. Please note that Tag keys are case insensitive.");
  EXPECT_EQ(world.say("TagRole", R"({"RoleName":"r","Tags":[{"Key":"AWS:a","Value":"1"}]})"),
            "InvalidInputException: Caller is not an internal service, and thus is not allowed to set system tags");
  json::Array many;
  for (int number = 0; number < 50; ++number) {
    many.push_back(json::Object{{"Key", base::cat("n", number)}, {"Value", ""}});
  }
  EXPECT_EQ(world.say("TagRole", with({{"RoleName", "r"}, {"Tags", std::move(many)}})),
            "LimitExceededException: Cannot exceed quota for TagsPerResource: 50");
  EXPECT_EQ(world.say("UntagRole", R"({"RoleName":"r","TagKeys":["k"]})"), "{}");
  EXPECT_EQ(world.say("ListRoleTags", R"({"RoleName":"r"})"), R"({"Tags":[],"IsTruncated":false})");
}

}  // namespace
}  // namespace tidemill::iam
