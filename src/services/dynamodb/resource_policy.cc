// PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy, for tables and streams.
#include "engine/policy_principals.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/policy.h"
#include "services/dynamodb/stream.h"

namespace tidemill::dynamodb {

namespace {

// As ExpectedRevisionId: that there is no policy yet.
constexpr std::string_view kNoPolicy = "NO_POLICY";

// Splits the ARN of a table, or of a stream. Throws ValidationException with AWS's messages.
PolicyOwner resolve_owner(const wire::Context& context, const std::string& arn) {
  if (!arn.starts_with("arn:")) throw invalid_parameters("ARNs must start with 'arn:': " + arn);
  PolicyOwner owner;
  if (auto table = parse_table_arn(arn)) {
    owner.table = *std::move(table);
  } else if (auto stream = parse_stream_arn(arn)) {
    owner = {stream->table, stream->label};
  } else if (arn.find("/index/") != std::string::npos) {
    throw invalid_parameters(
        "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: " + arn);
  } else {
    throw invalid_parameters("Provided Arn is not a DynamoDB resource arn: " + arn);
  }
  if (owner.table.region != context.region) throw invalid_parameters("Invalid resource Arn: " + arn);
  if (owner.table.account != context.account) {
    throw validation("This action is only supported by accounts that match the resource owner's account.");
  }
  return owner;
}

Task<void> require_owner(store::Snapshot& snapshot, const PolicyOwner& owner) {
  if (owner.stream_label.empty()) {
    if (!co_await load_usable_table(snapshot, owner.table)) throw table_not_found(owner.table.name);
    co_return;
  }
  if (co_await load_stream(snapshot, {owner.table, owner.stream_label})) co_return;
  throw shapes::errors::resource_not_found_exception("Requested resource not found: Stream: " + owner.stream_label +
                                                     " not found for Table: " + owner.table.name);
}

std::string arn_of(const PolicyOwner& owner) {
  return owner.stream_label.empty() ? owner.table.arn() : StreamAddress{owner.table, owner.stream_label}.arn();
}

wire::Error policy_not_found(const std::string& reason) {
  return shapes::errors::policy_not_found_exception("Resource-based policy not found for the provided ResourceArn: " +
                                                    reason);
}

void check_revision(const PolicyOwner& owner, const std::optional<Policy>& current,
                    const std::optional<std::string>& expected) {
  if (!expected) return;
  const std::string target = owner.stream_label.empty() ? "table " + owner.table.name : "stream " + owner.stream_label;
  if (*expected == kNoPolicy) {
    if (!current) return;
    throw policy_not_found("Requested policy update expecting none to be present for " + target +
                           ", but a policy exists with revision id " + current->revision + ".");
  }
  if (current && *expected == current->revision) return;
  throw policy_not_found("Requested update for policy with revision id " + *expected + ", but " +
                         (current
                              ? "the policy associated to target " + target + " has revision id " + current->revision
                              : "no policy is associated to target " + target) +
                         ".");
}

// No two revisions of a policy are called the same, however fast they come.
Policy new_policy(const std::string& document, const std::optional<Policy>& current, base::Time now) {
  Policy policy = first_policy(document, now);
  if (current && std::stoll(policy.revision) <= std::stoll(current->revision)) {
    policy.revision = std::to_string(std::stoll(current->revision) + 1);
  }
  return policy;
}

}  // namespace

Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service&, wire::Context& context,
                                                          const shapes::PutResourcePolicyInput& request) {
  const PolicyOwner owner = resolve_owner(context, request.resource_arn);
  // ConfirmRemoveSelfResourceAccess confirms that a policy may lock its own author out. None here locks anybody out.
  const std::string document = co_await kept_policy(context, request.policy);
  const base::Time now = context.now();
  std::string revision = co_await context.store().transact([&](store::Transaction& txn) -> Task<std::string> {
    co_await require_owner(txn, owner);
    const std::optional<Policy> current = co_await load_policy(txn, owner);
    check_revision(owner, current, request.expected_revision_id);
    if (current && current->document == document) co_return current->revision;
    Policy policy = new_policy(document, current, now);
    save_policy(txn, owner, policy);
    co_return policy.revision;
  });
  co_return shapes::PutResourcePolicyOutput{.revision_id = std::move(revision)};
}

Task<shapes::GetResourcePolicyOutput> get_resource_policy(Service&, wire::Context& context,
                                                          const shapes::GetResourcePolicyInput& request) {
  const PolicyOwner owner = resolve_owner(context, request.resource_arn);
  const auto snapshot = context.store().snapshot();
  co_await require_owner(*snapshot, owner);
  std::optional<Policy> policy = co_await load_policy(*snapshot, owner);
  if (!policy) throw policy_not_found(arn_of(owner));
  co_return shapes::GetResourcePolicyOutput{.policy = co_await engine::with_arns(context, std::move(policy->document)),
                                            .revision_id = std::move(policy->revision)};
}

Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service&, wire::Context& context,
                                                                const shapes::DeleteResourcePolicyInput& request) {
  const PolicyOwner owner = resolve_owner(context, request.resource_arn);
  auto revision = co_await context.store().transact([&](store::Transaction& txn) -> Task<std::optional<std::string>> {
    co_await require_owner(txn, owner);
    const std::optional<Policy> current = co_await load_policy(txn, owner);
    check_revision(owner, current, request.expected_revision_id);
    if (!current) co_return std::nullopt;
    txn.erase(policy_key(owner));
    co_return current->revision;
  });
  co_return shapes::DeleteResourcePolicyOutput{.revision_id = std::move(revision)};
}

}  // namespace tidemill::dynamodb
