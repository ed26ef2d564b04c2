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

enum class PolicyKind { none, managed, document, of_template };

// [condition, then, else] of Fn::If; null: it is something else.
const json::Array* choice_of(const json::Value& policy) {
  const json::Value* either = policy.find("Fn::If");
  return either != nullptr && either->is_array() && either->array().size() == 3 ? &either->array() : nullptr;
}

bool is_no_value(const json::Value& policy) {
  const json::Value* name = policy.find("Ref");
  return name != nullptr && name->is_string() && name->string() == "AWS::NoValue";
}

// Both sides of Fn::If are of one kind, or nothing: ARNs and documents go to different properties of the role.
PolicyKind kind_of(const json::Value& policy) {
  if (policy.is_string()) return PolicyKind::managed;
  if (!policy.is_object() || policy.object().empty()) throw ResourceError("Type of property 'Policies' is invalid.");
  if (policy.find("Statement") != nullptr) return PolicyKind::document;
  if (policy.object().size() != 1) throw ResourceError("Type of property 'Policies' is invalid.");
  if (is_no_value(policy)) return PolicyKind::none;
  if (const json::Array* either = choice_of(policy)) {
    const PolicyKind one = kind_of((*either)[1]), other = kind_of((*either)[2]);
    if (one == PolicyKind::none || one == other) return other;
    if (other == PolicyKind::none) return one;
    throw ResourceError(
        "Different policy types within the same Fn::If statement is unsupported. Separate different policy types into "
        "different Fn::If statements");
  }
  const std::string& name = policy.object().begin()->first;
  return name == "Ref" || name.starts_with("Fn::") ? PolicyKind::managed : PolicyKind::of_template;
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
    for (const json::Value& statement : plan_.statements) {
      inline_.push_back(inline_policy(policy_document({statement}), number_++));
    }
    if (!managed_.empty()) role.set("ManagedPolicyArns", std::move(managed_));
    if (!inline_.empty()) role.set("Policies", std::move(inline_));
  }

 private:
  void add_one(const json::Value& policy) {
    const PolicyKind kind = kind_of(policy);
    json::Value made = make(policy, number_++);
    if (kind == PolicyKind::document || kind == PolicyKind::of_template) {
      inline_.push_back(std::move(made));
    } else {
      add_managed(std::move(made));
    }
  }

  // As the role has it; of Fn::If, both sides.
  [[nodiscard]] json::Value make(const json::Value& policy, size_t number) const {
    if (policy.is_string()) return managed_policy(policy.string());
    if (const json::Array* either = choice_of(policy)) {
      return json::Object{
          {"Fn::If", json::Array{(*either)[0], make((*either)[1], number), make((*either)[2], number)}}};
    }
    switch (kind_of(policy)) {
      case PolicyKind::document:
        return inline_policy(policy, number);
      case PolicyKind::of_template: {
        const auto& [name, parameters] = *policy.object().begin();
        return inline_policy(policy_document(policy_template(name, parameters)), number);
      }
      case PolicyKind::none:
      case PolicyKind::managed:
        break;
    }
    return policy;
  }

  void add_managed(json::Value arn) {
    const bool is_there =
        std::ranges::any_of(managed_, [&](const json::Value& each) { return json::equal(each, arn); });
    if (!is_there) managed_.push_back(std::move(arn));
  }

  [[nodiscard]] json::Value inline_policy(json::Value document, size_t number) const {
    return json::Object{{"PolicyName", cat(plan_.id, "Policy", number)}, {"PolicyDocument", std::move(document)}};
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
