// Types of IAM through their service.
#include "services/cloudformation/types_testing.h"

namespace tidemill::cloudformation {
namespace {

using testing::World;

const std::string kPolicy =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]})";
const std::string kOtherPolicy =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"s3:*","Resource":"*"}]})";

json::Object parse_json(const std::string& text) { return json::parse(text)->object(); }

class IamTypes : public ::testing::Test {
 protected:
  IamTypes() {
    world.tell("iam", "CreateUser", R"({"UserName":"u"})");
    world.tell("iam", "CreateGroup", R"({"GroupName":"g"})");
    world.tell(
        "iam", "CreateRole",
        R"({"RoleName":"r","AssumeRolePolicyDocument":"{\"Version\":\"2012-10-17\",\"Statement\":[)"
        R"({\"Effect\":\"Allow\",\"Principal\":{\"Service\":\"ec2.amazonaws.com\"},)"
        R"(\"Action\":\"sts:AssumeRole\"}]}"})");
  }
  World world;
};

TEST_F(IamTypes, MakePoliciesInsideSeveral) {
  world.check({.type = "AWS::IAM::Policy",
               .properties = R"({"PolicyName":"p","Roles":["r"],"Users":["u"],"PolicyDocument":)" + kPolicy + "}",
               .attributes = R"({"Id":"{ID}"})",
               .made = {{"iam", "ListRolePolicies", R"({"RoleName":"r"})", R"({"PolicyNames":["p"]})"},
                        {"iam", "ListUserPolicies", R"({"UserName":"u"})", R"({"PolicyNames":["p"]})"}},
               .updated = R"({"PolicyName":"q","Roles":["r"],"Groups":["g"],"PolicyDocument":)" + kOtherPolicy + "}",
               .changed = {{"iam", "ListRolePolicies", R"({"RoleName":"r"})", R"({"PolicyNames":["q"]})"},
                           {"iam", "ListGroupPolicies", R"({"GroupName":"g"})", R"({"PolicyNames":["q"]})"},
                           {"iam", "ListUserPolicies", R"({"UserName":"u"})", R"({"PolicyNames":[]})"}},
               .gone = {"iam", "ListRolePolicies", R"({"RoleName":"r"})", R"({"PolicyNames":[]})"}});
}

TEST_F(IamTypes, MakeManagedPolicies) {
  world.check({.type = "AWS::IAM::ManagedPolicy",
               .properties = R"({"Roles":["r"],"Path":"/x/","PolicyDocument":)" + kPolicy + "}",
               .attributes = R"({"PolicyArn":"{ID}","DefaultVersionId":"v1"})",
               .made = {{"iam", "ListAttachedRolePolicies", R"({"RoleName":"r"})",
                         R"({"AttachedPolicies":[{"PolicyArn":"{ID}"}]})"}},
               .updated = R"({"Users":["u"],"Path":"/x/","PolicyDocument":)" + kOtherPolicy + "}",
               .changed = {{"iam", "ListAttachedRolePolicies", R"({"RoleName":"r"})", R"({"AttachedPolicies":[]})"},
                           {"iam", "ListAttachedUserPolicies", R"({"UserName":"u"})",
                            R"({"AttachedPolicies":[{"PolicyArn":"{ID}"}]})"}},
               .gone = {"iam", "GetPolicy", R"({"PolicyArn":"{ID}"})", "NoSuchEntityException"}});
}

TEST_F(IamTypes, MakeUsersAndGroups) {
  world.check({.type = "AWS::IAM::User",
               .properties = R"({"Groups":["g"],"Policies":[{"PolicyName":"p","PolicyDocument":)" + kPolicy + "}]}",
               .attributes = R"({"Arn":"arn:aws:iam::000000000000:user/{ID}"})",
               .made = {{"iam", "ListGroupsForUser", R"({"UserName":"{ID}"})", R"({"Groups":[{"GroupName":"g"}]})"},
                        {"iam", "ListUserPolicies", R"({"UserName":"{ID}"})", R"({"PolicyNames":["p"]})"}},
               .updated = R"({"Path":"/x/","Tags":[{"Key":"a","Value":"b"}]})",
               .changed = {{"iam", "ListGroupsForUser", R"({"UserName":"{ID}"})", R"({"Groups":[]})"},
                           {"iam", "GetUser", R"({"UserName":"{ID}"})", R"({"User":{"Path":"/x/"}})"}},
               .gone = {"iam", "GetUser", R"({"UserName":"{ID}"})", "NoSuchEntityException"}});
  world.check({.type = "AWS::IAM::Group",
               .properties = R"({"GroupName":"h","Policies":[{"PolicyName":"p","PolicyDocument":)" + kPolicy + "}]}",
               .attributes = R"({"Arn":"arn:aws:iam::000000000000:group/h"})",
               .updated = R"({"GroupName":"h"})",
               .changed = {{"iam", "ListGroupPolicies", R"({"GroupName":"h"})", R"({"PolicyNames":[]})"}},
               .gone = {"iam", "GetGroup", R"({"GroupName":"h"})", "NoSuchEntityException"}});
  world.check({.type = "AWS::IAM::UserToGroupAddition",
               .properties = R"({"GroupName":"g","Users":["u"]})",
               .made = {{"iam", "ListGroupsForUser", R"({"UserName":"u"})", R"({"Groups":[{"GroupName":"g"}]})"}},
               .gone = {"iam", "ListGroupsForUser", R"({"UserName":"u"})", R"({"Groups":[]})"}});
}

TEST_F(IamTypes, MakePoliciesInsideOne) {
  for (const std::string kind : {"Role", "User", "Group"}) {
    const std::string name = kind == "Role" ? "r" : kind == "User" ? "u" : "g";
    const std::string key = "{\"" + kind + "Name\":\"" + name + "\",\"PolicyName\":\"p\"";
    world.check({.type = "AWS::IAM::" + kind + "Policy",
                 .properties = key + ",\"PolicyDocument\":" + kPolicy + "}",
                 .made = {{"iam", "Get" + kind + "Policy", key + "}", R"({"PolicyName":"p"})"}},
                 .updated = key + ",\"PolicyDocument\":" + kOtherPolicy + "}",
                 .gone = {"iam", "Get" + kind + "Policy", key + "}", "NoSuchEntityException"}});
  }
}

TEST_F(IamTypes, MakeInstanceProfilesAndLinkedRoles) {
  world.check({.type = "AWS::IAM::InstanceProfile",
               .properties = R"({"InstanceProfileName":"i","Roles":["r"]})",
               .attributes = R"({"Arn":"arn:aws:iam::000000000000:instance-profile/i"})",
               .made = {{"iam", "GetInstanceProfile", R"({"InstanceProfileName":"i"})",
                         R"({"InstanceProfile":{"Roles":[{"RoleName":"r"}]}})"}},
               .gone = {"iam", "GetInstanceProfile", R"({"InstanceProfileName":"i"})", "NoSuchEntityException"}});
  world.check({.type = "AWS::IAM::ServiceLinkedRole",
               .properties = R"({"AWSServiceName":"ecs.amazonaws.com"})",
               .attributes = R"({"RoleName":"AWSServiceRoleForECS"})",
               .gone = {"iam", "GetRole", R"({"RoleName":"{ID}"})", "NoSuchEntityException"}});
}

// What is refused for a malformed name or ARN never was there: neither the removal nor the way back stumbles over it.
TEST_F(IamTypes, GoBackFromNamesAndArnsThatAreMalformed) {
  const std::string trust =
      R"("AssumeRolePolicyDocument":{"Version":"2012-10-17","Statement":[{"Effect":"Allow",)"
      R"("Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]})";
  const std::string inside = R"("Policies":[{"PolicyName":"no name","PolicyDocument":)" + kPolicy + "}]";
  for (const std::string kind : {"Role", "User", "Group"}) {
    const ResourceType& type = *find_type("AWS::IAM::" + kind);
    const std::string name = "\"" + kind + "Name\":\"it\"";
    const std::string good = "{" + name + (kind == "Role" ? "," + trust : "");
    std::vector<std::string> wrong = {inside, R"("ManagedPolicyArns":["AmazonS3FullAccess"])",
                                      R"("ManagedPolicyArns":["AmazonEC2ContainerRegistryReadOnly"])",
                                      R"("ManagedPolicyArns":["arn:aws:sqs:us-east-1:000000000000:queue"])"};
    if (kind == "User") wrong.emplace_back(R"("Groups":["no name"])");
    const json::Object before = checked_properties(type, "It", parse_json(good + "}"));
    for (const std::string& each : wrong) {
      SCOPED_TRACE(kind + " " + each);
      const json::Object after = checked_properties(type, "It", parse_json(good + "," + each + "}"));
      auto making = world.step(type.name, 1, false);
      EXPECT_THROW((void)world.finish(type.create(making, after)), wire::Error);
      EXPECT_EQ(making.made_id, "it");
      EXPECT_NO_THROW(world.finish(World::done(type.remove(making, "it", after))));
      world.expect({"iam", "Get" + kind, "{" + name + "}", "NoSuchEntityException"}, "it");

      EXPECT_EQ(world.finish(type.create(making, before)), "it");
      EXPECT_THROW((void)world.finish(type.update(making, "it", before, after)), wire::Error);
      EXPECT_NO_THROW((void)world.finish(type.update(making, "it", after, before)));
      EXPECT_NO_THROW(world.finish(World::done(type.remove(making, "it", before))));
      world.expect({"iam", "Get" + kind, "{" + name + "}", "NoSuchEntityException"}, "it");
    }
  }
}

// A key that was made by a try that nobody heard of is of no use: it is replaced, and no third one is left.
TEST_F(IamTypes, MakeAccessKeysWhoseSecretIsKnown) {
  const ResourceType& type = *find_type("AWS::IAM::AccessKey");
  const json::Object properties{{"UserName", "u"}};
  auto first = world.step(type.name, 1, false);
  world.finish(type.create(first, properties));
  auto second = world.step(type.name, 1, true);
  second.set_memory(first.memory());
  const std::string id = world.finish(type.create(second, properties));
  const json::Object attributes = world.finish(type.attributes(second, id, properties));
  EXPECT_EQ(attributes.find("Id")->string(), id);
  EXPECT_EQ(attributes.find("SecretAccessKey")->string().size(), 40U);
  world.expect({"iam", "ListAccessKeys", R"({"UserName":"u"})", R"({"AccessKeyMetadata":[{"AccessKeyId":"{ID}"}]})"},
               id);
  auto removing = world.step(type.name, 2, false);
  world.finish(World::done(type.remove(removing, id, properties)));
  world.expect({"iam", "ListAccessKeys", R"({"UserName":"u"})", R"({"AccessKeyMetadata":[]})"}, id);
}

// ---- What holds of all types ----------------------------------------------------------------------------------------

TEST(AllTypes, RefuseToTakeOverWhatSomebodyElseHasMade) {
  World world;
  world.tell("sns", "CreateTopic", R"({"Name":"t"})");
  world.tell("s3", "CreateBucket", R"({"Bucket":"mine"})");
  world.tell("events", "PutRule", R"j({"Name":"r","ScheduleExpression":"rate(1 day)"})j");
  world.tell("ssm", "PutParameter", R"({"Name":"p","Value":"v","Type":"String"})");
  EXPECT_EQ(world.create("AWS::SNS::Topic", R"({"TopicName":"t"})"),
            "Resource of type 'AWS::SNS::Topic' with identifier 't'");
  EXPECT_EQ(world.create("AWS::S3::Bucket", R"({"BucketName":"mine"})"),
            "Resource of type 'AWS::S3::Bucket' with identifier 'mine'");
  EXPECT_EQ(world.create("AWS::Events::Rule", R"j({"Name":"r","ScheduleExpression":"rate(1 day)"})j"),
            "Resource of type 'AWS::Events::Rule' with identifier 'r'");
  EXPECT_EQ(world.create("AWS::SSM::Parameter", R"({"Name":"p","Value":"v","Type":"String"})"),
            "Resource of type 'AWS::SSM::Parameter' with identifier 'p'");
}

TEST(AllTypes, LeaveToTheServicesWhatTheseRefuse) {
  World world;
  EXPECT_THAT(world.create("AWS::Events::Rule",
                           R"j({"ScheduleExpression":"rate(1 day)",)j"
                           R"j("Targets":[{"Id":"a","Arn":"arn:aws:ecs:us-east-1:000000000000:cluster/c",)j"
                           R"j("EcsParameters":{"TaskDefinitionArn":"x"}}]})j"),
              ::testing::HasSubstr("EcsParameters"));
  EXPECT_THAT(world.create("AWS::S3::Bucket", R"({"AccelerateConfiguration":{"AccelerationStatus":"Enabled"}})"),
              ::testing::HasSubstr("there is no transfer acceleration"));
  EXPECT_THAT(world.create("AWS::S3::Bucket", R"({"LifecycleConfiguration":{"Rules":[{"Status":"Enabled",)"
                                              R"("Transitions":[{"StorageClass":"GLACIER",)"
                                              R"("TransitionInDays":1}]}]}})"),
              ::testing::HasSubstr("Transitions"));
  EXPECT_THAT(world.create("AWS::Kinesis::Stream", R"({"WarmThroughputMiBps":5,"ShardCount":1})"),
              ::testing::HasSubstr("WarmThroughputMiBps"));
}

TEST(AllTypes, StandInTheOrderOfTheirNamesEachOnce) {
  std::string last;
  for (const ResourceType* type : all_types()) {
    EXPECT_LT(last, type->name);
    EXPECT_TRUE(type->create && type->remove) << type->name;
    last = type->name;
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
