// Types of KMS, Secrets Manager and ECR through their services.
#include "services/cloudformation/types_testing.h"

namespace tidemill::cloudformation {
namespace {

using ::testing::HasSubstr;
using testing::TestStep;
using testing::World;

class KeyTypes : public ::testing::Test {
 protected:
  std::string make_key() {
    return world.tell("kms", "CreateKey", "{}").find("KeyMetadata")->find("KeyId")->string();
  }
  World world;
};

TEST_F(KeyTypes, MakeKeys) {
  world.check({.type = "AWS::KMS::Key",
               .properties = R"({"Description":"one","EnableKeyRotation":"true","Tags":[{"Key":"a","Value":"1"}]})",
               .attributes = R"({"KeyId":"{ID}","Arn":"arn:aws:kms:us-east-1:000000000000:key/{ID}"})",
               .made = {{"kms", "DescribeKey", R"({"KeyId":"{ID}"})",
                         R"({"KeyMetadata":{"Description":"one","KeyState":"Enabled"}})"},
                        {"kms", "GetKeyRotationStatus", R"({"KeyId":"{ID}"})", R"({"KeyRotationEnabled":true})"},
                        {"kms", "ListResourceTags", R"({"KeyId":"{ID}"})",
                         R"({"Tags":[{"TagKey":"a","TagValue":"1"},{"TagKey":"stack","TagValue":"shop"}]})"}},
               .updated = R"({"Description":"two","Enabled":false,"PendingWindowInDays":7})",
               .changed = {{"kms", "DescribeKey", R"({"KeyId":"{ID}"})",
                            R"({"KeyMetadata":{"Description":"two","KeyState":"Disabled"}})"},
                           {"kms", "GetKeyRotationStatus", R"({"KeyId":"{ID}"})", R"({"KeyRotationEnabled":false})"},
                           {"kms", "ListResourceTags", R"({"KeyId":"{ID}"})",
                            R"({"Tags":[{"TagKey":"stack","TagValue":"shop"}]})"}}});
}

TEST_F(KeyTypes, RotateAsUsualUnlessTheySayHowOften) {
  const auto rotates_in = [](const char* days) {
    return testing::Look{"kms", "GetKeyRotationStatus", R"({"KeyId":"{ID}"})",
                         base::cat(R"({"KeyRotationEnabled":true,"RotationPeriodInDays":)", days, "}")};
  };
  world.check({.type = "AWS::KMS::Key",
               .properties = R"({"EnableKeyRotation":true,"RotationPeriodInDays":100})",
               .made = {rotates_in("100")},
               .updated = R"({"EnableKeyRotation":true})",
               .changed = {rotates_in("365")}});
}

TEST_F(KeyTypes, GoBackFromAReservedTag) {
  const ResourceType& type = *find_type("AWS::KMS::Key");
  const auto tagged = [](const char* key) {
    return json::Object{{"Tags", json::Array{json::Object{{"Key", key}, {"Value", "1"}}}}};
  };
  TestStep making = world.step(type.name, 1, false), changing = world.step(type.name, 2, false);
  const std::string id = world.finish(type.create(making, tagged("a")));
  EXPECT_THROW((void)world.finish(type.update(changing, id, tagged("a"), tagged("aws:b"))), wire::Error);
  EXPECT_EQ(world.finish(type.update(changing, id, tagged("aws:b"), tagged("a"))), id);
  world.expect({"kms", "ListResourceTags", R"({"KeyId":"{ID}"})",
                R"({"Tags":[{"TagKey":"a","TagValue":"1"},{"TagKey":"stack","TagValue":"shop"}]})"},
               id);
}

// CreateKey was carried out, and the process was killed before it could note the key's id.
TEST_F(KeyTypes, FindTheKeyThatAKilledTryHasMade) {
  TestStep repeated = world.step("AWS::KMS::Key", 1, true);
  const json::Object request{
      {"Tags", json::Array{json::Object{{"TagKey", "tidemill:made-by-step"}, {"TagValue", repeated.client_token()}}}}};
  (void)make_key();
  const std::string made =
      world.tell("kms", "CreateKey", json::write(request)).find("KeyMetadata")->find("KeyId")->string();
  (void)make_key();
  EXPECT_EQ(world.finish(find_type("AWS::KMS::Key")->create(repeated, {})), made);
  EXPECT_EQ(repeated.made_id, made);
  world.expect({"kms", "ListResourceTags", R"({"KeyId":"{ID}"})", R"({"Tags":[]})"}, made);
}

TEST_F(KeyTypes, MakeAliases) {
  const std::string one = make_key();
  const std::string two = make_key();
  world.check({.type = "AWS::KMS::Alias",
               .properties = R"({"AliasName":"alias/shop","TargetKeyId":")" + one + "\"}",
               .made = {{"kms", "DescribeKey", R"({"KeyId":"{ID}"})", R"({"KeyMetadata":{"KeyId":")" + one + "\"}}"}},
               .updated = R"({"AliasName":"alias/shop","TargetKeyId":")" + two + "\"}",
               .changed = {{"kms", "DescribeKey", R"({"KeyId":"{ID}"})", R"({"KeyMetadata":{"KeyId":")" + two + "\"}}"}},
               .gone = {"kms", "DescribeKey", R"({"KeyId":"{ID}"})", "NotFoundException"}});
  world.tell("kms", "CreateAlias", R"({"AliasName":"alias/there","TargetKeyId":")" + one + "\"}");
  EXPECT_THAT(world.create("AWS::KMS::Alias", R"({"AliasName":"alias/there","TargetKeyId":")" + one + "\"}"),
              HasSubstr("'alias/there'"));
}

TEST_F(KeyTypes, MakeSecrets) {
  world.check({.type = "AWS::SecretsManager::Secret",
               .properties = R"({"Name":"s","Description":"one","SecretString":"tea"})",
               .attributes = R"({"Id":"{ID}"})",
               .made = {{"secretsmanager", "GetSecretValue", R"({"SecretId":"{ID}"})", R"({"Name":"s","SecretString":"tea"})"},
                        {"secretsmanager", "DescribeSecret", R"({"SecretId":"{ID}"})", R"({"Description":"one"})"}},
               .updated = R"({"Name":"s","SecretString":"coffee","Tags":[{"Key":"a","Value":"1"}]})",
               .changed = {{"secretsmanager", "GetSecretValue", R"({"SecretId":"{ID}"})", R"({"SecretString":"coffee"})"},
                           {"secretsmanager", "DescribeSecret", R"({"SecretId":"{ID}"})",
                            R"({"Tags":[{"Key":"a","Value":"1"},{"Key":"stack","Value":"shop"}]})"}},
               .gone = {"secretsmanager", "DescribeSecret", R"({"SecretId":"{ID}"})", "ResourceNotFoundException"}});
  world.check({.type = "AWS::SecretsManager::Secret",
               .properties = R"({"GenerateSecretString":{"PasswordLength":"20"}})"});
  EXPECT_THAT(world.create("AWS::SecretsManager::Secret", R"({"SecretString":"s","GenerateSecretString":{}})"),
              HasSubstr("both GenerateSecretString and SecretString"));
  EXPECT_THAT(world.create("AWS::SecretsManager::Secret", R"({"GenerateSecretString":{"GenerateStringKey":"k"}})"),
              HasSubstr("SecretStringTemplate"));
}

TEST_F(KeyTypes, BringBackThePasswordThatWasThere) {
  const ResourceType& type = *find_type("AWS::SecretsManager::Secret");
  const auto generated = [](int size) {
    return json::Object{{"GenerateSecretString", json::Object{{"PasswordLength", size}}}};
  };
  const json::Object given{{"SecretString", "given"}};
  TestStep making = world.step(type.name, 1, false);
  const std::string id = world.finish(type.create(making, generated(20)));
  const auto value = [&] {
    return world.tell("secretsmanager", "GetSecretValue", json::write(json::Object{{"SecretId", id}}))
        .find("SecretString")->string();
  };
  const auto change = [&](int64_t operation, const json::Object& before, const json::Object& after, bool again = false) {
    TestStep changing = world.step(type.name, operation, again);
    EXPECT_EQ(world.finish(type.update(changing, id, before, after)), id);
  };
  const auto bring_back = [&](int64_t operation, int64_t since, const json::Object& from, bool again = false) {
    TestStep changing = world.step(type.name, operation, again, true, since);
    EXPECT_EQ(world.finish(type.update(changing, id, from, generated(20))), id);
  };
  const std::string first = value();
  change(2, generated(20), generated(30));
  const std::string second = value();
  EXPECT_EQ(second.size(), 30U);
  change(2, generated(20), generated(30), true);
  EXPECT_EQ(value(), second) << "a try that is repeated makes no other";
  bring_back(2, 2, generated(30));
  EXPECT_EQ(value(), first);
  bring_back(2, 2, generated(30), true);
  EXPECT_EQ(value(), first);
  // It had not come to that yet.
  bring_back(3, 3, generated(30));
  EXPECT_EQ(value(), first);
  // Two changes that are taken back together.
  change(4, generated(20), generated(25));
  change(5, generated(25), given);
  EXPECT_EQ(value(), "given");
  bring_back(5, 2, given);
  EXPECT_EQ(value(), first);
  // What somebody has set since then is theirs.
  change(6, generated(20), generated(40));
  world.tell("secretsmanager", "PutSecretValue", json::write(json::Object{{"SecretId", id}, {"SecretString", "own"}}));
  bring_back(6, 6, generated(40));
  EXPECT_EQ(value(), "own");
}

TEST_F(KeyTypes, MakeRepositories) {
  world.check({.type = "AWS::ECR::Repository",
               .properties = R"({"RepositoryName":"mill","ImageTagMutability":"IMMUTABLE",
                                 "RepositoryPolicyText":{"Statement":[]}})",
               .attributes = R"({"Arn":"arn:aws:ecr:us-east-1:000000000000:repository/mill",
                                 "RepositoryUri":"000000000000.dkr.ecr.us-east-1.amazonaws.com/mill"})",
               .made = {{"ecr", "DescribeRepositories", R"({"RepositoryNames":["{ID}"]})",
                         R"({"Repositories":[{"ImageTagMutability":"IMMUTABLE"}]})"},
                        {"ecr", "GetRepositoryPolicy", R"({"RepositoryName":"{ID}"})",
                         R"({"PolicyText":"{\"Statement\":[]}"})"}},
               .updated = R"({"RepositoryName":"mill","ImageScanningConfiguration":{"ScanOnPush":"true"}})",
               .changed = {{"ecr", "DescribeRepositories", R"({"RepositoryNames":["{ID}"]})",
                            R"({"Repositories":[{"ImageTagMutability":"MUTABLE",
                                                 "ImageScanningConfiguration":{"ScanOnPush":true}}]})"},
                           {"ecr", "GetRepositoryPolicy", R"({"RepositoryName":"{ID}"})",
                            "RepositoryPolicyNotFoundException"}},
               .gone = {"ecr", "DescribeRepositories", R"({"RepositoryNames":["{ID}"]})",
                        "RepositoryNotFoundException"}});
}

}  // namespace
}  // namespace tidemill::cloudformation
