#include "services/cloudformation/types/iam_principals.h"

#include <algorithm>

#include "base/text.h"
#include "net/http.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

std::string_view word_of(PrincipalKind kind) {
  switch (kind) {
    case PrincipalKind::role:
      return "Role";
    case PrincipalKind::user:
      return "User";
    case PrincipalKind::group:
      return "Group";
  }
  return "";
}

const json::Value* find_policy(const json::Array& policies, const std::string& name) {
  const auto found = std::ranges::find_if(
      policies, [&](const json::Value& one) { return text_of(one.object(), "PolicyName") == name; });
  return found == policies.end() ? nullptr : &*found;
}

}  // namespace

std::string principal_operation(PrincipalKind kind, std::string_view verb, std::string_view object) {
  return cat(verb, word_of(kind), object);
}

json::Object principal_request(const Principal& principal) {
  return json::Object{{cat(word_of(principal.kind), "Name"), principal.name}};
}

Task<void> take_away(Step& step, std::string operation, json::Object request) {
  constexpr std::string_view kNoArn = "ValidationErrorException";
  constexpr std::string_view kArnOfSomethingElse = "InvalidInputException";
  co_await step.take_away("iam", std::move(operation), std::move(request),
                          {kNoSuchEntity, kNoArn, kArnOfSomethingElse});
}

Task<void> put_inline_policy(Step& step, Principal principal, std::string policy, json::Value document) {
  json::Object request = principal_request(principal);
  request.set("PolicyName", policy);
  request.set("PolicyDocument", json_text(document));
  co_await step.call("iam", principal_operation(principal.kind, "Put", "Policy"), std::move(request));
}

Task<void> remove_inline_policy(Step& step, Principal principal, std::string policy) {
  json::Object request = principal_request(principal);
  request.set("PolicyName", policy);
  co_await take_away(step, principal_operation(principal.kind, "Delete", "Policy"), std::move(request));
}

Task<void> attach_policy(Step& step, Principal principal, std::string arn) {
  json::Object request = principal_request(principal);
  request.set("PolicyArn", arn);
  co_await step.call("iam", principal_operation(principal.kind, "Attach", "Policy"), std::move(request));
}

Task<void> detach_policy(Step& step, Principal principal, std::string arn) {
  json::Object request = principal_request(principal);
  request.set("PolicyArn", arn);
  co_await take_away(step, principal_operation(principal.kind, "Detach", "Policy"), std::move(request));
}

std::vector<std::string> texts_gone(const json::Object& before, const json::Object& after, std::string_view name) {
  const std::vector<std::string> left = texts_of(after, name);
  std::vector<std::string> result = texts_of(before, name);
  std::erase_if(result, [&](const std::string& one) { return std::ranges::find(left, one) != left.end(); });
  return result;
}

Task<void> change_policies(Step& step, Principal principal, const json::Object& before, const json::Object& after) {
  const json::Array old_policies = list_of(before, "Policies"), new_policies = list_of(after, "Policies");
  for (const json::Value& policy : old_policies) {
    const std::string name = text_of(policy.object(), "PolicyName");
    if (!find_policy(new_policies, name)) co_await remove_inline_policy(step, principal, name);
  }
  for (const json::Value& policy : new_policies) {
    const std::string name = text_of(policy.object(), "PolicyName");
    const json::Value* old_policy = find_policy(old_policies, name);
    if (old_policy && json::equal(*old_policy, policy)) continue;
    co_await put_inline_policy(step, principal, name, answered(policy, "PolicyDocument"));
  }
  for (const std::string& arn : texts_gone(before, after, "ManagedPolicyArns")) {
    co_await detach_policy(step, principal, arn);
  }
  for (const std::string& arn : texts_gone(after, before, "ManagedPolicyArns")) {
    co_await attach_policy(step, principal, arn);
  }
}

json::Value policy_document(const json::Object& from, std::string_view name) {
  const auto text = net::percent_decode(text_of(from, name));
  auto parsed = json::parse(text.value_or(""));
  return parsed ? *std::move(parsed) : json::Value();
}

Task<json::Object> read_policies(Step& step, Principal principal) {
  const PageToken token{"Marker", "Marker"};
  const std::string_view word = word_of(principal.kind);
  const json::Object request = principal_request(principal);
  json::Object result;
  json::Array arns, policies;
  const auto attached = co_await list_all(step, "iam", cat("ListAttached", word, "Policies"), "AttachedPolicies",
                                          "PolicyArn", request, token);
  for (const std::string& arn : attached) arns.push_back(arn);
  if (!arns.empty()) result.set("ManagedPolicyArns", std::move(arns));
  const auto names =
      co_await list_all(step, "iam", cat("List", word, "Policies"), "PolicyNames", "", request, token);
  for (const std::string& name : names) {
    json::Object one = request;
    one.set("PolicyName", name);
    const json::Value found = co_await step.call("iam", principal_operation(principal.kind, "Get", "Policy"), std::move(one));
    policies.push_back(
        json::Object{{"PolicyName", name}, {"PolicyDocument", policy_document(found.object(), "PolicyDocument")}});
  }
  if (!policies.empty()) result.set("Policies", std::move(policies));
  co_return result;
}

Task<void> change_boundary(Step& step, Principal principal, const json::Object& before, const json::Object& after) {
  if (same_member(before, after, "PermissionsBoundary")) co_return;
  json::Object request = principal_request(principal);
  if (const json::Value* boundary = after.find("PermissionsBoundary")) {
    request.set("PermissionsBoundary", *boundary);
    co_await step.call("iam", principal_operation(principal.kind, "Put", "PermissionsBoundary"), std::move(request));
  } else {
    co_await step.call_or_null("iam", principal_operation(principal.kind, "Delete", "PermissionsBoundary"),
                               std::move(request), {kNoSuchEntity});
  }
}

Task<void> change_principal_tags(Step& step, Principal principal, const json::Object& before,
                                 const json::Object& after) {
  const std::string tag = principal_operation(principal.kind, "Tag", "");
  const std::string untag = principal_operation(principal.kind, "Untag", "");
  const std::string member = cat(word_of(principal.kind), "Name");
  const TagOperations operations{.service = "iam", .tag = tag, .untag = untag, .resource_member = member};
  co_await change_tags(step, operations, principal.name, before, after);
}

}  // namespace tidemill::cloudformation
