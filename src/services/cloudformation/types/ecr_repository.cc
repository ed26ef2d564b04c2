// AWS::ECR::Repository.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kRepositoryNameSizeMax = 256;
constexpr std::string_view kNoRepository = "RepositoryNotFoundException";

constexpr Property kRepositoryEncryption[] = {
    {.name = "EncryptionType", .required = true},
    {.name = "KmsKey"},
};

constexpr Property kRepositoryScanning[] = {
    {.name = "ScanOnPush", .kind = Kind::boolean},
};

constexpr Property kRepositoryLifecycle[] = {
    {.name = "LifecyclePolicyText"},
    {.name = "RegistryId"},
};

constexpr Property kRepositoryProperties[] = {
    {.name = "EmptyOnDelete", .kind = Kind::boolean},
    {.name = "EncryptionConfiguration", .kind = Kind::object, .update = Update::replaces, .members = kRepositoryEncryption},
    {.name = "ImageScanningConfiguration", .kind = Kind::object, .members = kRepositoryScanning},
    {.name = "ImageTagMutability"},
    {.name = "ImageTagMutabilityExclusionFilters", .kind = Kind::json,
     .refused = "repositories hold no images, and none is excluded."},
    {.name = "LifecyclePolicy", .kind = Kind::object, .members = kRepositoryLifecycle},
    {.name = "RepositoryName", .update = Update::replaces},
    {.name = "RepositoryPolicyText", .kind = Kind::json},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

constexpr TagOperations kRepositoryTags = {
    .service = "ecr", .tag = "TagResource", .untag = "UntagResource", .resource_member = "ResourceArn"};

std::string repository_arn(const Step& step, const std::string& name) {
  return step.arn("ecr", cat("repository/", name));
}

json::Object repository_named(const std::string& name) { return json::Object{{"RepositoryName", name}}; }

Task<void> set_repository_lifecycle(Step& step, std::string name, const json::Object& after) {
  json::Object request = take(object_of(after, "LifecyclePolicy"), {"LifecyclePolicyText", "RegistryId"});
  request.set("RepositoryName", name);
  if (request.find("LifecyclePolicyText")) {
    co_await step.call("ecr", "PutLifecyclePolicy", std::move(request));
  } else {
    co_await step.call_or_null("ecr", "DeleteLifecyclePolicy", repository_named(name),
                               {"LifecyclePolicyNotFoundException"});
  }
}

Task<void> set_repository_policy(Step& step, std::string name, const json::Object& after) {
  json::Object request = repository_named(name);
  if (const json::Value* policy = after.find("RepositoryPolicyText")) {
    request.set("PolicyText", json_text(*policy));
    co_await step.call("ecr", "SetRepositoryPolicy", std::move(request));
  } else {
    co_await step.call_or_null("ecr", "DeleteRepositoryPolicy", std::move(request),
                               {"RepositoryPolicyNotFoundException"});
  }
}

Task<std::string> create_repository(Step& step, const json::Object& properties) {
  std::string name = name_of(step, properties, "RepositoryName", kRepositoryNameSizeMax, NameLetters::lower);
  if (properties.find("RepositoryName")) {
    json::Object find{{"RepositoryNames", json::Array{name}}};
    co_await claim(step, name, {"ecr", "DescribeRepositories", std::move(find), {kNoRepository}});
  }
  json::Object request =
      take(properties, {"EncryptionConfiguration", "ImageScanningConfiguration", "ImageTagMutability"});
  request.set("RepositoryName", name);
  request.set("Tags", tag_list(step, properties));
  co_await step.call_or_null("ecr", "CreateRepository", std::move(request), {"RepositoryAlreadyExistsException"});
  co_await step.made(name);
  if (properties.find("LifecyclePolicy")) co_await set_repository_lifecycle(step, name, properties);
  if (properties.find("RepositoryPolicyText")) co_await set_repository_policy(step, name, properties);
  co_return name;
}

Task<std::string> update_repository(Step& step, std::string name, const json::Object& before,
                                    const json::Object& after) {
  if (!same_member(before, after, "ImageScanningConfiguration")) {
    json::Object request = repository_named(name);
    const bool scans = is_true(object_of(after, "ImageScanningConfiguration"), "ScanOnPush");
    request.set("ImageScanningConfiguration", json::Object{{"ScanOnPush", scans}});
    co_await step.call("ecr", "PutImageScanningConfiguration", std::move(request));
  }
  if (!same_member(before, after, "ImageTagMutability")) {
    json::Object request = repository_named(name);
    request.set("ImageTagMutability", text_or(after, "ImageTagMutability", "MUTABLE"));
    co_await step.call("ecr", "PutImageTagMutability", std::move(request));
  }
  if (!same_member(before, after, "LifecyclePolicy")) co_await set_repository_lifecycle(step, name, after);
  if (!same_member(before, after, "RepositoryPolicyText")) co_await set_repository_policy(step, name, after);
  co_await change_tags(step, kRepositoryTags, repository_arn(step, name), before, after);
  co_return name;
}

Task<void> remove_repository(Step& step, std::string name, const json::Object& properties) {
  json::Object request = repository_named(name);
  request.set("Force", is_true(properties, "EmptyOnDelete"));
  co_await step.call_or_null("ecr", "DeleteRepository", std::move(request), {kNoRepository});
}

Task<json::Object> describe_repository(Step& step, std::string name, const json::Object&) {
  const std::string uri = cat(step.account(), ".dkr.ecr.", step.region(), ".amazonaws.com/", name);
  co_return json::Object{{"Arn", repository_arn(step, name)}, {"RepositoryUri", uri}};
}

}  // namespace

const ResourceType types::kEcrRepository = {
    .name = "AWS::ECR::Repository",
    .properties = kRepositoryProperties,
    .create = create_repository,
    .update = update_repository,
    .remove = remove_repository,
    .attributes = describe_repository,
    .name_property = "RepositoryName",
};

}  // namespace tidemill::cloudformation
