// CreatePolicyVersion, GetPolicyVersion, ListPolicyVersions, SetDefaultPolicyVersion and DeletePolicyVersion.
#include <charconv>

#include "base/text.h"
#include "services/iam/documents.h"
#include "services/iam/listing.h"
#include "services/iam/managed_policy.h"
#include "services/iam/operations.h"

namespace tidemill::iam {
namespace {

using base::cat;

constexpr size_t kVersionsMax = 5;

std::string version_id(int64_t number) { return cat("v", number); }

// Throws NoSuchEntity.
std::pair<const int64_t, PolicyVersion>& version_of(ManagedPolicy& policy, const std::string& id) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data() + 1, id.data() + id.size(), number);
  const auto found = policy.versions.find(number);
  if (error != std::errc() || end != id.data() + id.size() || found == policy.versions.end()) {
    throw errors::no_such_entity_exception(
        cat("Policy ", policy.arn(), " version ", id, " does not exist or is not attachable."));
  }
  return *found;
}

shapes::PolicyVersion describe(const ManagedPolicy& policy, int64_t number, const PolicyVersion& version) {
  shapes::PolicyVersion result;
  result.version_id = version_id(number);
  result.is_default_version = number == policy.default_version;
  result.create_date = version.created;
  return result;
}

}  // namespace

Task<shapes::CreatePolicyVersionOutput> create_policy_version(Service& service, wire::Context& context,
                                                              const shapes::CreatePolicyVersionInput& request) {
  check_document(DocumentKind::identity, request.policy_document);
  check_policy_size(request.policy_document);
  const base::Time now = context.now();
  shapes::CreatePolicyVersionOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    ManagedPolicy policy = co_await load_policy(txn, context.account, request.policy_arn);
    if (policy.versions.size() == kVersionsMax) {
      throw errors::limit_exceeded_exception(
          cat("A managed policy can have up to ", kVersionsMax,
              " versions. Before you create a new version, you must delete an existing version."));
    }
    const int64_t number = ++policy.last_version;
    policy.versions[number] = {request.policy_document, now};
    if (request.set_as_default.value_or(false)) policy.default_version = number;
    policy.updated = now;
    put_policy(txn, policy);
    out.policy_version = describe(policy, number, policy.versions[number]);
  });
  co_return out;
}

Task<shapes::GetPolicyVersionOutput> get_policy_version(Service& service, wire::Context& context,
                                                        const shapes::GetPolicyVersionInput& request) {
  const auto snapshot = service.store().snapshot();
  ManagedPolicy policy = co_await load_policy(*snapshot, context.account, request.policy_arn);
  const auto& [number, version] = version_of(policy, request.version_id);
  shapes::GetPolicyVersionOutput out;
  out.policy_version = describe(policy, number, version);
  out.policy_version->document = url_encoded(version.document);
  co_return out;
}

Task<shapes::ListPolicyVersionsOutput> list_policy_versions(Service& service, wire::Context& context,
                                                            const shapes::ListPolicyVersionsInput& request) {
  const auto snapshot = service.store().snapshot();
  const ManagedPolicy policy = co_await load_policy(*snapshot, context.account, request.policy_arn);
  // The newest first, at most kVersionsMax: the marker is the last one shown.
  shapes::ListPolicyVersionsOutput out;
  out.versions.emplace();
  out.is_truncated = false;
  bool passed = !request.marker;
  for (auto each = policy.versions.rbegin(); each != policy.versions.rend(); ++each) {
    const std::string id = version_id(each->first);
    if (!passed) {
      passed = id == *request.marker;
      continue;
    }
    if (out.versions->size() == page_size(request)) {
      out.is_truncated = true;
      out.marker = out.versions->back().version_id;
      break;
    }
    out.versions->push_back(describe(policy, each->first, each->second));
  }
  if (!passed) throw invalid("Invalid Marker.");
  co_return out;
}

Task<shapes::SetDefaultPolicyVersionOutput> set_default_policy_version(
    Service& service, wire::Context& context, const shapes::SetDefaultPolicyVersionInput& request) {
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    ManagedPolicy policy = co_await load_policy(txn, context.account, request.policy_arn);
    policy.default_version = version_of(policy, request.version_id).first;
    policy.updated = now;
    put_policy(txn, policy);
  });
  co_return shapes::SetDefaultPolicyVersionOutput{};
}

Task<shapes::DeletePolicyVersionOutput> delete_policy_version(Service& service, wire::Context& context,
                                                              const shapes::DeletePolicyVersionInput& request) {
  const base::Time now = context.now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    ManagedPolicy policy = co_await load_policy(txn, context.account, request.policy_arn);
    const int64_t number = version_of(policy, request.version_id).first;
    if (number == policy.default_version) throw conflict("Cannot delete the default version of a policy.");
    policy.versions.erase(number);
    policy.updated = now;
    put_policy(txn, policy);
  });
  co_return shapes::DeletePolicyVersionOutput{};
}

}  // namespace tidemill::iam
