// GetResourcePolicy, PutResourcePolicy and DeleteResourcePolicy. Policies are kept with the ids of whom they name;
// `--auth iam` enforces them (src/rights).
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/secret.h"

namespace tidemill::secretsmanager {
namespace {

namespace errors = shapes::errors;

// As it is kept.
Task<std::string> checked_policy(const wire::Context& context, const std::string& document) {
  if (!lang::policies::Policy::parse_of_resource(document)) {
    throw errors::malformed_policy_document_exception("This resource policy contains a syntax error.");
  }
  co_return co_await engine::with_ids(context, document, [](std::string_view) {
    return errors::malformed_policy_document_exception("This resource policy contains an unsupported principal.");
  });
}

template <class Output>
Task<Output> set_policy(Service& service, const wire::Context& context, const std::string& id,
                        std::optional<std::string> policy) {
  Output out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Secret secret = co_await load_kept_secret(txn, context, id);
    secret.policy = policy;
    save_secret(txn, secret);
    out.arn = secret.arn();
    out.name = secret.address.name;
  });
  co_return out;
}

// A secret that awaits its deletion has its policy still, by which whoever judges who may restore it asks.
Task<Secret> load_to_show(store::Snapshot& reader, const wire::Context& context, const std::string& id) {
  const bool is_judged_by = context.principal.kind() == wire::Principal::Kind::platform;
  return is_judged_by ? load_secret(reader, context, id) : load_kept_secret(reader, context, id);
}

}  // namespace

Task<shapes::GetResourcePolicyOutput> get_resource_policy(Service& service, wire::Context& context,
                                                          const shapes::GetResourcePolicyInput& request) {
  const auto snapshot = service.store().snapshot();
  const Secret secret = co_await load_to_show(*snapshot, context, request.secret_id);
  shapes::GetResourcePolicyOutput out;
  out.arn = secret.arn();
  out.name = secret.address.name;
  if (secret.policy) out.resource_policy = co_await engine::with_arns(context, *secret.policy);
  co_return out;
}

Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service& service, wire::Context& context,
                                                          const shapes::PutResourcePolicyInput& request) {
  co_return co_await set_policy<shapes::PutResourcePolicyOutput>(
      service, context, request.secret_id, co_await checked_policy(context, request.resource_policy));
}

Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service& service, wire::Context& context,
                                                                const shapes::DeleteResourcePolicyInput& request) {
  co_return co_await set_policy<shapes::DeleteResourcePolicyOutput>(service, context, request.secret_id, std::nullopt);
}

}  // namespace tidemill::secretsmanager
