// AddLayerVersionPermission, RemoveLayerVersionPermission and GetLayerVersionPolicy: which other accounts may use a
// layer's version. That is enforced where functions name layers and where versions are read.
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_policy.h"
#include "services/lambda/layer.h"
#include "services/lambda/layer_policy.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;
using base::cat;

LayerReference own_version(const wire::Context& context, const std::string& name, int64_t number) {
  LayerReference reference = parse_layer_version(context, name, number);
  if (reference.address.account != context.account) {
    throw errors::resource_not_found_exception(no_such_layer_version(reference.arn()));
  }
  return reference;
}

json::Value principal_of(const std::string& principal) {
  if (principal == "*") return principal;
  if (principal.starts_with("arn:")) return json::Object{{"AWS", principal}};
  return json::Object{{"AWS", cat("arn:aws:iam::", principal, ":root")}};
}

json::Value make_statement(const shapes::AddLayerVersionPermissionInput& request, const std::string& resource) {
  json::Object statement{{"Sid", request.statement_id},
                         {"Effect", "Allow"},
                         {"Principal", principal_of(request.principal)},
                         {"Action", request.action},
                         {"Resource", resource}};
  if (request.organization_id) {
    statement.set("Condition",
                  json::Object{{"StringEquals", json::Object{{"aws:PrincipalOrgID", *request.organization_id}}}});
  }
  return statement;
}

// Changes the policy in one transaction. Gives its new revision.
template <class Change>
Task<std::string> change_policy(Service& service, LayerReference reference, std::optional<std::string> revision,
                                Change change) {
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<std::string> {
    if (!co_await load_layer_version(txn, reference)) {
      throw errors::resource_not_found_exception(no_such_layer_version(reference.arn()));
    }
    LayerPolicy policy = co_await load_layer_policy(txn, reference);
    if (revision && *revision != policy.revision) {
      throw errors::precondition_failed_exception(
          "The Revision Id provided does not match the latest Revision Id. Call the GetLayerPolicy API to retrieve the "
          "latest Revision Id");
    }
    change(policy.statements);
    save_layer_policy(txn, reference, policy);
    co_return policy.revision;
  });
}

}  // namespace

Task<shapes::AddLayerVersionPermissionOutput> add_layer_version_permission(
    Service& service, wire::Context& context, const shapes::AddLayerVersionPermissionInput& request) {
  const LayerReference reference = own_version(context, request.layer_name, request.version_number);
  if (request.organization_id && request.principal != "*") {
    throw errors::invalid_parameter_value_exception("OrganizationId goes with the principal * only");
  }
  const json::Value statement = make_statement(request, reference.arn());
  shapes::AddLayerVersionPermissionOutput out;
  out.revision_id =
      co_await change_policy(service, reference, request.revision_id, [&](lang::PolicyStatements& policy) {
        if (policy.has(request.statement_id)) {
          throw errors::resource_conflict_exception(
              cat("The statement id (", request.statement_id,
                  ") provided already exists. Please provide a new statement id, or remove the existing statement."));
        }
        policy.add(statement);
        if (policy.text().size() <= kPolicyBytesMax) return;
        throw errors::policy_length_exceeded_exception(
            cat("The final policy size (", policy.text().size(), ") is bigger than the limit (", kPolicyBytesMax, ")."));
      });
  out.statement = json::write(statement);
  co_return out;
}

Task<shapes::RemoveLayerVersionPermissionOutput> remove_layer_version_permission(
    Service& service, wire::Context& context, const shapes::RemoveLayerVersionPermissionInput& request) {
  const LayerReference reference = own_version(context, request.layer_name, request.version_number);
  co_await change_policy(service, reference, request.revision_id, [&](lang::PolicyStatements& policy) {
    if (policy.empty()) {
      throw errors::resource_not_found_exception("No policy is associated with the given resource.");
    }
    if (!policy.remove(request.statement_id)) {
      throw errors::resource_not_found_exception(
          cat("Statement ", request.statement_id, " is not found in resource policy."));
    }
  });
  co_return shapes::RemoveLayerVersionPermissionOutput{};
}

Task<shapes::GetLayerVersionPolicyOutput> get_layer_version_policy(
    Service& service, wire::Context& context, const shapes::GetLayerVersionPolicyInput& request) {
  const LayerReference reference = own_version(context, request.layer_name, request.version_number);
  const auto snapshot = service.store().snapshot();
  if (!co_await load_layer_version(*snapshot, reference)) {
    throw errors::resource_not_found_exception(no_such_layer_version(reference.arn()));
  }
  LayerPolicy policy = co_await load_layer_policy(*snapshot, reference);
  if (policy.statements.empty()) {
    throw errors::resource_not_found_exception("No policy is associated with the given resource.");
  }
  shapes::GetLayerVersionPolicyOutput out;
  out.policy = policy.statements.text();
  out.revision_id = policy.revision;
  co_return out;
}

}  // namespace tidemill::lambda
