// Repositories over the simulated store.
#include <memory>

#include "services/ecr/service.h"
#include "services/test_world.h"

namespace tidemill::ecr {
namespace {

using base::cat;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kNowhere = "does not exist in the registry with id '000000000000'";

class World : public services::testing::TestWorld {
 public:
  World() : TestWorld({"ecr"}, 1, store::SimFaults::none()) { boot(); }
  ~World() { shut_down(); }

  std::string of(std::string_view operation, std::string_view name, std::string_view more = "") {
    return run(operation, cat(R"({"repositoryName":")", name, "\"", more, "}"));
  }

 private:
  void make_services() override {
    service_ = std::make_unique<Service>(*store);
    service_->register_operations(*registry);
  }
  void drop_services() override { service_.reset(); }

  std::unique_ptr<Service> service_;
};

std::string lifecycle_policy() {
  return R"({\"rules\":[{\"rulePriority\":1,\"selection\":{\"tagStatus\":\"untagged\",\"countType\":)"
         R"(\"sinceImagePushed\",\"countUnit\":\"days\",\"countNumber\":365},\"action\":{\"type\":\"expire\"}}]})";
}

TEST(Repositories, SurviveACrashWithAllThatTheyAreSetTo) {
  World world;
  EXPECT_THAT(world.of("CreateRepository", "team/mill", R"(,"imageTagMutability":"IMMUTABLE","tags":[{"Key":"k","Value":"v"}])"),
              HasSubstr(R"("repositoryUri":"000000000000.dkr.ecr.us-east-1.amazonaws.com/team/mill")"));
  EXPECT_EQ(world.of("CreateRepository", "team/mill"),
            "RepositoryAlreadyExistsException: The repository with name 'team/mill' already exists in the registry with id "
            "'000000000000'");
  EXPECT_THAT(world.of("PutLifecyclePolicy", "team/mill", cat(R"(,"lifecyclePolicyText":")", lifecycle_policy(), "\"")),
              HasSubstr("rulePriority"));
  EXPECT_THAT(world.of("SetRepositoryPolicy", "team/mill",
                       R"(,"policyText":"{\"Statement\":{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"ecr:*\"}}")"),
              StartsWith("{"));
  EXPECT_THAT(world.of("PutImageScanningConfiguration", "team/mill", R"(,"imageScanningConfiguration":{"scanOnPush":true})"),
              StartsWith("{"));
  world.crash();
  const std::string shown = world.run("DescribeRepositories", "{}");
  EXPECT_THAT(shown, HasSubstr(R"("imageTagMutability":"IMMUTABLE","imageScanningConfiguration":{"scanOnPush":true})"));
  EXPECT_THAT(world.of("GetLifecyclePolicy", "team/mill"), HasSubstr("rulePriority"));
  EXPECT_THAT(world.of("GetRepositoryPolicy", "team/mill"), HasSubstr("Statement"));
  EXPECT_THAT(world.of("DeleteLifecyclePolicy", "team/mill"), HasSubstr("rulePriority"));
  EXPECT_EQ(world.of("GetLifecyclePolicy", "team/mill"),
            "LifecyclePolicyNotFoundException: Lifecycle policy does not exist for the repository with name 'team/mill' in "
            "the registry with id '000000000000'");
  EXPECT_THAT(world.of("DeleteRepositoryPolicy", "team/mill"), StartsWith("{"));
  EXPECT_THAT(world.of("DeleteRepositoryPolicy", "team/mill"), StartsWith("RepositoryPolicyNotFoundException"));
  EXPECT_THAT(world.of("DeleteRepository", "team/mill"), StartsWith("{"));
  EXPECT_THAT(world.of("DeleteRepository", "team/mill"), HasSubstr(kNowhere));
}

TEST(Repositories, AreListedPageByPage) {
  World world;
  for (int i = 0; i < 5; ++i) (void)world.of("CreateRepository", cat("r", i));
  const json::Value first = world.ask("DescribeRepositories", R"({"maxResults":3})");
  EXPECT_EQ(first.find("repositories")->array().size(), 3u);
  const json::Value rest =
      world.ask("DescribeRepositories", cat(R"({"nextToken":")", first.find("nextToken")->string(), R"("})"));
  EXPECT_EQ(rest.find("repositories")->array().size(), 2u);
  EXPECT_THAT(world.run("DescribeRepositories", R"({"nextToken":"AAAA"})"), StartsWith("InvalidParameterException"));
  EXPECT_THAT(world.run("DescribeRepositories", R"({"repositoryNames":["r1","none"]})"), HasSubstr(kNowhere));
  EXPECT_THAT(world.of("ListImages", "r1", R"(,"registryId":"111111111111")"),
              HasSubstr("does not exist in the registry with id '111111111111'"));
}

TEST(Repositories, HaveNoImages) {
  World world;
  (void)world.of("CreateRepository", "mill");
  EXPECT_EQ(world.of("DescribeImages", "mill"), R"({"imageDetails":[]})");
  EXPECT_THAT(world.of("DescribeImages", "mill", R"(,"imageIds":[{"imageTag":"live"}])"),
              StartsWith("ImageNotFoundException: The image with imageId {imageDigest:'null', imageTag:'live'} does not exist"));
  EXPECT_EQ(world.of("ListImages", "mill"), R"({"imageIds":[]})");
  EXPECT_THAT(world.of("BatchGetImage", "mill", R"(,"imageIds":[{"imageTag":"live"},{}])"),
              HasSubstr(R"("failureCode":"MissingDigestAndTag")"));
  EXPECT_THAT(world.of("ListImages", "none"), HasSubstr(kNowhere));
}

TEST(Repositories, WhatIsNotRightOrNotSupportedIsRefused) {
  World world;
  EXPECT_THAT(world.of("CreateRepository", "Mill"), HasSubstr("repositoryName"));
  EXPECT_THAT(world.of("CreateRepository", "mill", R"(,"encryptionConfiguration":{"encryptionType":"KMS"})"),
              HasSubstr("encryptionType"));
  EXPECT_THAT(world.of("CreateRepository", "mill", R"(,"registryId":"111111111111")"), StartsWith("InvalidParameterException"));
  (void)world.of("CreateRepository", "mill", R"(,"encryptionConfiguration":{"encryptionType":"AES256"})");
  EXPECT_THAT(world.of("PutLifecyclePolicy", "mill", cat(R"(,"lifecyclePolicyText":")", std::string(100, 'x'), "\"")),
              HasSubstr("Lifecycle policy validation failure"));
  for (const char* bad : {"[]", R"({\"Statement\":{}})"}) {
    EXPECT_THAT(world.of("SetRepositoryPolicy", "mill", cat(R"(,"policyText":")", bad, "\"")),
                HasSubstr("Invalid repository policy"));
  }
  EXPECT_THAT(world.run("TagResource", R"({"resourceArn":"mill","tags":[]})"), StartsWith("InvalidParameterException"));
  EXPECT_EQ(world.of("CreateRepository", "other", R"(,"tags":[{"Key":"AWS:a","Value":"1"}])"),
            "InvalidTagParameterException: Tag keys that begin with aws: are reserved for AWS.");
}

}  // namespace
}  // namespace tidemill::ecr
