// AddPermission, RemovePermission and GetPolicy: who may invoke a function, as its resource policy says. The policy is
// kept and shown; nobody is refused by it, since every account sees only its own functions.
#include <algorithm>

#include "base/text.h"
#include "engine/policy_principals.h"
#include "services/lambda/alias.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_policy.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;
using base::cat;

constexpr size_t kAccountDigits = 12;

bool is_account(std::string_view text) {
  return text.size() == kAccountDigits && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

wire::Error invalid_principal() {
  return errors::invalid_parameter_value_exception(
      "The provided principal was invalid. Please check the principal and try again.");
}

json::Value principal_of(const std::string& principal) {
  if (principal == "*") return principal;
  if (is_account(principal)) return json::Object{{"AWS", cat("arn:aws:iam::", principal, ":root")}};
  if (principal.starts_with("arn:")) return json::Object{{"AWS", principal}};
  // Services are Amazon's.
  for (const std::string_view end : {".amazonaws.com", ".amazonaws.com.cn", ".amazon.com"}) {
    if (principal.size() > end.size() && principal.ends_with(end)) return json::Object{{"Service", principal}};
  }
  throw invalid_principal();
}

json::Object condition_of(const shapes::AddPermissionInput& request) {
  json::Object condition;
  const auto require = [&](const char* kind, const char* name, const std::optional<std::string>& value) {
    if (!value) return;
    json::Value* tests = condition.find(kind);
    if (!tests) tests = &condition.set(kind, json::Object{});
    tests->object().set(name, *value);
  };
  require("StringEquals", "AWS:SourceAccount", request.source_account);
  require("StringEquals", "lambda:EventSourceToken", request.event_source_token);
  require("StringEquals", "aws:PrincipalOrgID", request.principal_org_id);
  require("StringEquals", "lambda:FunctionUrlAuthType", request.function_url_auth_type);
  require("ArnLike", "AWS:SourceArn", request.source_arn);
  if (request.invoked_via_function_url) {
    condition.set("Bool", json::Object{{"lambda:InvokedViaFunctionUrl", *request.invoked_via_function_url ? "true" : "false"}});
  }
  return condition;
}

json::Value make_statement(const shapes::AddPermissionInput& request, const std::string& resource) {
  json::Object statement{{"Sid", request.statement_id},
                         {"Effect", "Allow"},
                         {"Principal", principal_of(request.principal)},
                         {"Action", request.action},
                         {"Resource", resource}};
  if (json::Object condition = condition_of(request); !condition.empty()) {
    statement.set("Condition", std::move(condition));
  }
  return statement;
}

// What has a policy: the function itself, one of its versions, or an alias.
struct Owner {
  std::optional<Function> function;
  std::optional<Alias> alias;

  [[nodiscard]] const std::string& revision() const { return alias ? alias->revision : function->revision; }
};

Task<Owner> load_owner(store::Snapshot& reader, FunctionReference reference) {
  Owner owner;
  const auto version = reference.is_latest() ? 0 : version_of_qualifier(reference.qualifier);
  if (version) owner.function = co_await load_function(reader, reference.address, *version);
  else owner.alias = co_await load_alias(reader, reference.address, reference.qualifier);
  if (!owner.function && !version && !owner.alias) {
    throw errors::resource_not_found_exception(cat("Cannot find alias arn: ", reference.arn()));
  }
  if (!owner.function && !owner.alias) throw function_not_found(reference.arn());
  co_return owner;
}

// The function whose policy is meant; the qualifier, if there is one, must name a version or an alias.
Task<Found> find_policy_owner(Service& service, wire::Context& context, const std::string& name,
                              const std::optional<std::string>& qualifier) {
  const FunctionReference reference = parse_function_name(context, name, qualifier);
  if (reference.qualifier == kLatest) {
    throw errors::invalid_parameter_value_exception("We currently do not support adding policies for $LATEST.");
  }
  if (!reference.is_latest() && !version_of_qualifier(reference.qualifier)) {
    const auto snapshot = service.store().snapshot();
    if (!co_await load_function(*snapshot, reference.address)) {
      throw function_not_found(FunctionReference{reference.address}.arn());
    }
    (void)co_await load_owner(*snapshot, reference);  // throws for an alias that is not there
  }
  co_return co_await find_function(service, context, name, qualifier);
}

// Changes the policy in one transaction; a changed policy is a new revision of its owner, whose processes stay.
template <class Change>
Task<void> change_policy(Service& service, FunctionReference reference, std::optional<std::string> revision,
                         Change change) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await load_function(txn, reference.address)) throw function_not_found(reference.arn());
    Owner owner = co_await load_owner(txn, reference);
    if (revision && *revision != owner.revision()) {
      throw errors::precondition_failed_exception(
          "The Revision Id provided does not match the latest Revision Id. Call the GetPolicy API to retrieve the latest "
          "Revision Id");
    }
    lang::PolicyStatements policy = co_await load_policy(txn, reference);
    change(policy);
    save_policy(txn, reference, policy);
    if (owner.alias) save_alias(txn, reference.address, *owner.alias);
    else renew_revision(txn, *owner.function);
  });
}

}  // namespace

Task<shapes::AddPermissionOutput> add_permission(Service& service, wire::Context& context,
                                                 const shapes::AddPermissionInput& request) {
  const Found found = co_await find_policy_owner(service, context, request.function_name, request.qualifier);
  const std::string statement = json::write(make_statement(request, found.reference.arn()));
  const std::string kept =
      co_await engine::with_ids(context, statement, [](std::string_view) { return invalid_principal(); });
  co_await change_policy(service, found.reference, request.revision_id, [&](lang::PolicyStatements& policy) {
    if (policy.has(request.statement_id)) {
      throw errors::resource_conflict_exception(
          cat("The statement id (", request.statement_id,
              ") provided already exists. Please provide a new statement id, or remove the existing statement."));
    }
    policy.add(json::parse(kept).value());
    if (policy.text().size() > kPolicyBytesMax) {
      throw errors::policy_length_exceeded_exception(
          cat("The final policy size (", policy.text().size(), ") is bigger than the limit (", kPolicyBytesMax, ")."));
    }
  });
  shapes::AddPermissionOutput out;
  out.statement = statement;
  co_return out;
}

Task<shapes::RemovePermissionOutput> remove_permission(Service& service, wire::Context& context,
                                                       const shapes::RemovePermissionInput& request) {
  const Found found = co_await find_policy_owner(service, context, request.function_name, request.qualifier);
  co_await change_policy(service, found.reference, request.revision_id, [&](lang::PolicyStatements& policy) {
    if (policy.empty()) {
      throw errors::resource_not_found_exception("No policy is associated with the given resource.");
    }
    if (!policy.remove(request.statement_id)) {
      throw errors::resource_not_found_exception(
          cat("Statement ", request.statement_id, " is not found in resource policy."));
    }
  });
  co_return shapes::RemovePermissionOutput{};
}

Task<shapes::GetPolicyOutput> get_policy(Service& service, wire::Context& context,
                                         const shapes::GetPolicyInput& request) {
  const Found found = co_await find_function(service, context, request.function_name, request.qualifier);
  const auto snapshot = service.store().snapshot();
  lang::PolicyStatements policy = co_await load_policy(*snapshot, found.reference);
  if (policy.empty()) throw errors::resource_not_found_exception("The resource you requested does not exist.");
  shapes::GetPolicyOutput out;
  out.policy = co_await engine::with_arns(context, policy.text());
  out.revision_id = (co_await load_owner(*snapshot, found.reference)).revision();
  co_return out;
}

}  // namespace tidemill::lambda
