// CreatePolicy, GetPolicy, ListPolicies, DeletePolicy and ListEntitiesForPolicy.
#include "base/text.h"
#include "services/iam/describing.h"
#include "services/iam/documents.h"
#include "services/iam/listing.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"

namespace tidemill::iam {
namespace {

using base::cat;

constexpr std::string_view kPolicyIds = "ANPA";

bool is_wanted(const ManagedPolicy& policy, const shapes::ListPoliciesInput& request) {
  const bool bounds = request.policy_usage_filter == shapes::PolicyUsage::kPermissionsBoundary;
  const bool attached = request.policy_usage_filter == shapes::PolicyUsage::kPermissionsPolicy;
  if (request.only_attached.value_or(false) && policy.attachments == 0 && policy.bounds == 0) return false;
  if (bounds && policy.bounds == 0) return false;
  if (attached && policy.attachments == 0) return false;
  return is_under(policy.path, request.path_prefix);
}

bool uses(const Identity& identity, const shapes::ListEntitiesForPolicyInput& request) {
  const auto& usage = request.policy_usage_filter;
  const std::string& arn = request.policy_arn;
  const bool attached = usage != shapes::PolicyUsage::kPermissionsBoundary && identity.attached.contains(arn);
  const bool bound = usage != shapes::PolicyUsage::kPermissionsPolicy && identity.boundary == arn;
  return (attached || bound) && is_under(identity.path, request.path_prefix);
}

void add_entity(shapes::ListEntitiesForPolicyOutput& out, const Identity& identity) {
  const auto& [kind, account, name] = identity.address;
  switch (kind) {
    case Kind::group: out.policy_groups->push_back({.group_name = name, .group_id = identity.id}); return;
    case Kind::role: out.policy_roles->push_back({.role_name = name, .role_id = identity.id}); return;
    case Kind::user: out.policy_users->push_back({.user_name = name, .user_id = identity.id}); return;
  }
}

std::optional<std::string_view> filter_of(Kind kind) {
  return kind == Kind::user ? shapes::EntityType::kUser
                            : kind == Kind::group ? shapes::EntityType::kGroup : shapes::EntityType::kRole;
}

}  // namespace

Task<shapes::CreatePolicyOutput> create_policy(Service& service, wire::Context& context,
                                               const shapes::CreatePolicyInput& request) {
  check_document(DocumentKind::identity, request.policy_document);
  check_policy_size(request.policy_document);
  const base::Time now = context.now();
  ManagedPolicy policy{.account = context.account,
                       .name = request.policy_name,
                       .path = request.path.value_or(std::string(kRootPath)),
                       .id = new_id(kPolicyIds),
                       .created = now,
                       .updated = now,
                       .description = request.description,
                       .versions = {{1, {request.policy_document, now}}}};
  if (request.tags) policy.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await txn.get(policy_key(policy.account, policy.name))) {
      throw errors::entity_already_exists_exception(
          cat("A policy called ", policy.name, " already exists. Duplicate names are not allowed."));
    }
    put_policy(txn, policy);
  });
  shapes::CreatePolicyOutput out;
  out.policy = describe_policy(policy, Shown::created);
  co_return out;
}

Task<shapes::GetPolicyOutput> get_policy(Service& service, wire::Context& context,
                                         const shapes::GetPolicyInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::GetPolicyOutput out;
  out.policy = describe_policy(co_await load_policy(*snapshot, context.account, request.policy_arn), Shown::whole);
  co_return out;
}

Task<shapes::ListPoliciesOutput> list_policies(Service& service, wire::Context& context,
                                               const shapes::ListPoliciesInput& request) {
  if (request.scope == shapes::PolicyScope::kAws) throw not_supported("listing AWS's own policies");
  const auto snapshot = service.store().snapshot();
  shapes::ListPoliciesOutput first;
  first.policies.emplace();
  co_return co_await list_records(*snapshot, policies_range(context.account), request, std::move(first),
                                  [&](shapes::ListPoliciesOutput& out, std::string_view bytes) {
                                    const ManagedPolicy policy = decode_policy(context.account, bytes);
                                    if (!is_wanted(policy, request)) return false;
                                    out.policies->push_back(describe_policy(policy, Shown::listed));
                                    return true;
                                  });
}

Task<shapes::DeletePolicyOutput> delete_policy(Service& service, wire::Context& context,
                                               const shapes::DeletePolicyInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const ManagedPolicy policy = co_await load_policy(txn, context.account, request.policy_arn);
    if (policy.attachments > 0 || policy.bounds > 0) throw conflict("Cannot delete a policy attached to entities.");
    if (policy.versions.size() > 1) {
      throw conflict(
          "This policy has more than one version. Before you delete a policy, you must delete the policy's versions. "
          "The default version is deleted with the policy.");
    }
    txn.erase(policy_key(policy.account, policy.name));
  });
  co_return shapes::DeletePolicyOutput{};
}

// Groups, then roles, then users; the marker tells the kind and the name of the last one.
Task<shapes::ListEntitiesForPolicyOutput> list_entities_for_policy(Service& service, wire::Context& context,
                                                                   const shapes::ListEntitiesForPolicyInput& request) {
  const auto snapshot = service.store().snapshot();
  if (!parse_policy_arn(request.policy_arn).is_of_aws()) {
    (void)co_await load_policy(*snapshot, context.account, request.policy_arn);
  }
  shapes::ListEntitiesForPolicyOutput out;
  out.policy_groups.emplace();
  out.policy_roles.emplace();
  out.policy_users.emplace();
  std::map<std::string, Identity> found;  // no more than the page, and one that tells of a next
  for (const Kind kind : {Kind::group, Kind::role, Kind::user}) {
    if (request.entity_filter && request.entity_filter != filter_of(kind)) continue;
    co_await snapshot->scan(identities_range(kind, context.account), store::Direction::forward,
                            [&](std::string_view, std::string_view bytes) {
                              Identity identity = decode_identity(kind, context.account, bytes);
                              std::string key = cat(name_of(kind), "/", identity.address.name);
                              if (request.marker && key <= *request.marker) return true;
                              if (!uses(identity, request)) return true;
                              found.emplace(std::move(key), std::move(identity));
                              if (found.size() > page_size(request) + 1) found.erase(std::prev(found.end()));
                              return true;
                            });
  }
  list_some(
      out, request, found, [](const auto& each) -> const std::string& { return each.first; },
      [&](const auto& each) { add_entity(out, each.second); });
  co_return out;
}

}  // namespace tidemill::iam
