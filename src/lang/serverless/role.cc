#include "lang/serverless/role.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

constexpr std::string_view kVersion = "2012-10-17";

json::Value managed_arn(std::string_view path) { return sub(cat("arn:${AWS::Partition}:iam::aws:policy/", path)); }

// AWS's policies for functions lie below a path; they may be given by their names alone.
json::Value managed_policy(const std::string& given) {
  if (given.find(':') != std::string::npos || given.starts_with("{{")) return given;
  constexpr std::string_view kBelow = "service-role/";
  const bool is_below = given.starts_with("AWSLambda") && given.ends_with("Role") && given != "AWSLambdaRole";
  return managed_arn(is_below || given == "AWSLambdaRole" ? cat(kBelow, given) : given);
}

class Policies {
 public:
  explicit Policies(const RolePlan& plan) : plan_(plan) {
    for (const std::string& path : plan.managed) managed_.push_back(managed_arn(path));
  }

  void add(const json::Value& policies) {
    if (!policies.is_array()) return add_one(policies);
    for (const json::Value& policy : policies.array()) add_one(policy);
  }

  void put(json::Object& role) {
    for (const json::Value& statement : plan_.statements) add_inline(policy_document({statement}));
    if (!managed_.empty()) role.set("ManagedPolicyArns", std::move(managed_));
    if (!inline_.empty()) role.set("Policies", std::move(inline_));
  }

 private:
  void add_one(const json::Value& policy) {
    ++number_;
    if (policy.is_string()) return add_managed(managed_policy(policy.string()));
    if (!policy.is_object() || policy.object().empty()) throw ResourceError("Type of property 'Policies' is invalid.");
    const auto& [name, parameters] = *policy.object().begin();
    if (policy.find("Statement") != nullptr) {
      add_inline(policy, number_ - 1);
    } else if (policy.object().size() == 1 && (name == "Ref" || name.starts_with("Fn::"))) {
      add_managed(policy);
    } else if (policy.object().size() == 1) {
      add_inline(policy_document(policy_template(name, parameters)), number_ - 1);
    } else {
      throw ResourceError("Type of property 'Policies' is invalid.");
    }
  }

  void add_managed(json::Value arn) {
    const bool is_there =
        std::ranges::any_of(managed_, [&](const json::Value& each) { return json::equal(each, arn); });
    if (!is_there) managed_.push_back(std::move(arn));
  }

  void add_inline(json::Value document) { add_inline(std::move(document), number_++); }
  void add_inline(json::Value document, size_t number) {
    inline_.emplace_back(
        json::Object{{"PolicyName", cat(plan_.id, "Policy", number)}, {"PolicyDocument", std::move(document)}});
  }

  const RolePlan& plan_;
  json::Array managed_;
  json::Array inline_;
  size_t number_ = 0;
};

}  // namespace

json::Value allow(json::Value actions, json::Value resources) {
  return json::Object{{"Effect", "Allow"}, {"Action", std::move(actions)}, {"Resource", std::move(resources)}};
}

json::Value policy_document(json::Array statements) {
  return json::Object{{"Version", kVersion}, {"Statement", std::move(statements)}};
}

json::Value trust_of(std::string_view service) {
  return policy_document(
      {json::Object{{"Action", json::Array{"sts:AssumeRole"}},
                    {"Effect", "Allow"},
                    {"Principal", json::Object{{"Service", json::Array{cat(service, ".amazonaws.com")}}}}}});
}

void add_role(Application& application, const Source& source, const RolePlan& plan) {
  json::Object role;
  const json::Value* trust = source.find("AssumeRolePolicyDocument");
  role.set("AssumeRolePolicyDocument", trust == nullptr ? trust_of(plan.principal) : *trust);
  Policies policies(plan);
  if (const json::Value* given = source.find("Policies")) policies.add(*given);
  policies.put(role);
  set_if(role, "PermissionsBoundary", source.find("PermissionsBoundary"));
  set_if(role, "Path", source.find("RolePath"));
  role.set("Tags", plan.tags);
  application.add(source, plan.id, "AWS::IAM::Role", std::move(role));
}

}  // namespace tidemill::lang::serverless
