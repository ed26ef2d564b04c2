// AWS::IAM::ManagedPolicy, with those to whom it is attached.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr Property kManagedPolicyProperties[] = {
    {.name = "ManagedPolicyName", .update = Update::replaces},
    {.name = "Description", .update = Update::replaces},
    {.name = "Groups", .form = Form::list},
    {.name = "Path", .update = Update::replaces},
    {.name = "PolicyDocument", .kind = Kind::json, .required = true},
    {.name = "Roles", .form = Form::list},
    {.name = "Users", .form = Form::list},
};

struct PolicyBearers {
  PrincipalKind kind;
  std::string_view property;
};
constexpr PolicyBearers kPolicyBearers[] = {
    {PrincipalKind::role, "Roles"}, {PrincipalKind::user, "Users"}, {PrincipalKind::group, "Groups"}};

json::Object managed_policy(const std::string& arn) { return json::Object{{"PolicyArn", arn}}; }

Task<void> change_bearers(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  for (const PolicyBearers& bearers : kPolicyBearers) {
    for (const std::string& bearer : texts_gone(before, after, bearers.property)) {
      co_await detach_policy(step, {bearers.kind, bearer}, arn);
    }
    for (const std::string& bearer : texts_gone(after, before, bearers.property)) {
      co_await attach_policy(step, {bearers.kind, bearer}, arn);
    }
  }
}

// The ids of versions that are not the default one, oldest first.
Task<std::vector<std::string>> spare_versions(Step& step, std::string arn) {
  const json::Value answer =
      co_await step.call_or_null("iam", "ListPolicyVersions", managed_policy(arn), {kNoSuchEntity});
  std::vector<std::string> result;
  if (answer.is_null()) co_return result;
  for (const json::Value& version : list_of(answer.object(), "Versions")) {
    if (!is_true(version.object(), "IsDefaultVersion")) result.push_back(text_of(version.object(), "VersionId"));
  }
  std::ranges::sort(result, {}, [](const std::string& id) { return std::stol(id.substr(1)); });
  co_return result;
}

Task<void> delete_version(Step& step, std::string arn, std::string version) {
  co_await step.call_or_null("iam", "DeletePolicyVersion", json::Object{{"PolicyArn", arn}, {"VersionId", version}},
                             {kNoSuchEntity});
}

Task<std::string> create_managed_policy(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "ManagedPolicyName", kPolicyNameSizeMax);
  const std::string path = text_or(properties, "Path", "/");
  const std::string arn = cat("arn:", step.partition(), ":iam::", step.account(), ":policy", path, name);
  if (properties.find("ManagedPolicyName")) {
    co_await claim(step, arn, {"iam", "GetPolicy", managed_policy(arn), {kNoSuchEntity}});
  }
  json::Object request = take(properties, {"Description", "Path", "PolicyDocument"});
  make_json_text(request, "PolicyDocument");
  request.set("PolicyName", name);
  co_await step.call_or_null("iam", "CreatePolicy", std::move(request), {kEntityExists});
  co_await step.made(arn);
  co_await change_bearers(step, arn, {}, properties);
  co_return arn;
}

// A policy has at most five versions: the oldest gives way.
Task<void> publish_policy(Step& step, std::string arn, const json::Object& properties) {
  constexpr size_t kSpareVersionsMax = 4;
  const std::vector<std::string> spare = co_await spare_versions(step, arn);
  if (spare.size() >= kSpareVersionsMax) co_await delete_version(step, arn, spare.front());
  json::Object request = take(properties, {"PolicyDocument"});
  make_json_text(request, "PolicyDocument");
  request.set("PolicyArn", arn);
  request.set("SetAsDefault", true);
  co_await step.call("iam", "CreatePolicyVersion", std::move(request));
}

Task<std::string> update_managed_policy(Step& step, std::string arn, const json::Object& before,
                                        const json::Object& after) {
  if (!same_member(before, after, "PolicyDocument")) co_await publish_policy(step, arn, after);
  co_await change_bearers(step, arn, before, after);
  co_return arn;
}

Task<void> remove_managed_policy(Step& step, std::string arn, const json::Object& properties) {
  co_await change_bearers(step, arn, properties, {});
  for (const std::string& version : co_await spare_versions(step, arn)) co_await delete_version(step, arn, version);
  co_await step.call_or_null("iam", "DeletePolicy", managed_policy(arn), {kNoSuchEntity});
}

Task<json::Object> describe_managed_policy(Step& step, std::string arn, const json::Object&) {
  const json::Value answer = co_await step.call("iam", "GetPolicy", managed_policy(arn));
  json::Object result =
      take(object_of(answer.object(), "Policy"), {"AttachmentCount", "CreateDate", "DefaultVersionId", "IsAttachable",
                                                  "PermissionsBoundaryUsageCount", "PolicyId", "UpdateDate"});
  result.set("PolicyArn", arn);
  co_return result;
}

}  // namespace

const ResourceType types::kIamManagedPolicy = {
    .name = "AWS::IAM::ManagedPolicy",
    .properties = kManagedPolicyProperties,
    .create = create_managed_policy,
    .update = update_managed_policy,
    .remove = remove_managed_policy,
    .attributes = describe_managed_policy,
    .name_property = "ManagedPolicyName",
};

}  // namespace tidemill::cloudformation
