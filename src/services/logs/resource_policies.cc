// Resource policies: which services may write into an account's groups, as resources (account, region, "logs",
// "resource-policy", name). Where policies are enforced (--auth iam) all of an account's region count together.
#include <algorithm>
#include <map>

#include "base/base64.h"
#include "base/json_members.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/logs/errors.h"
#include "services/logs/operations.h"
#include "store/resources.h"

namespace tidemill::logs {
namespace {

using base::cat;

constexpr store::ResourceType kPolicyType{"logs", "resource-policy"};
constexpr size_t kPoliciesMax = 10;  // of an account's region
constexpr size_t kPoliciesByDefault = 50;

struct ResourcePolicy {
  std::string document;
  base::Time modified;
};

constexpr auto kPolicyMembers = [](auto& member, auto& policy) {
  member("document", policy.document);
  member("modified_us", policy.modified);
};

std::string key_of(const wire::Context& context, std::string_view name) {
  return store::resource_key(kPolicyType, context.account, context.region, name);
}

// By their names.
Task<std::map<std::string, ResourcePolicy>> list(store::Snapshot& reader, const wire::Context& context) {
  std::map<std::string, ResourcePolicy> all;
  const store::Range range = store::resources_range(kPolicyType, context.account, context.region);
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (auto address = store::resource_of_key(kPolicyType, key)) {
      all.emplace(address->name, json::decode<ResourcePolicy>("resource policy", value, kPolicyMembers));
    }
    return true;
  });
  co_return all;
}

std::string require(const std::optional<std::string>& value, std::string_view name) {
  if (value && !value->empty()) return *value;
  throw errors::invalid_parameter_exception(cat(name, " is required."));
}

Task<shapes::ResourcePolicy> shown(const wire::Context& context, std::string name, const ResourcePolicy& policy) {
  co_return shapes::ResourcePolicy{.policy_name = std::move(name),
                                   .policy_document = co_await engine::with_arns(context, policy.document),
                                   .last_updated_time = milliseconds(policy.modified),
                                   .policy_scope = std::string(shapes::PolicyScope::kAccount)};
}

}  // namespace

Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service& service, wire::Context& context,
                                                          const shapes::PutResourcePolicyInput& request) {
  const std::string name = require(request.policy_name, "policyName");
  ResourcePolicy policy{require(request.policy_document, "policyDocument"), context.now()};
  if (const auto parsed = lang::policies::Policy::parse_of_resource(policy.document); !parsed) {
    throw errors::invalid_parameter_exception(cat("The policy document is not valid: ", parsed.error()));
  }
  policy.document = co_await engine::with_ids(context, std::move(policy.document), [](std::string_view) {
    return errors::invalid_parameter_exception("Could not convert to persistable policy.");
  });
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto all = co_await list(txn, context);
    if (!all.contains(name) && all.size() >= kPoliciesMax) {
      throw errors::limit_exceeded_exception("Resource limit exceeded.");
    }
    txn.put(key_of(context, name), json::encode(policy, kPolicyMembers));
  });
  co_return shapes::PutResourcePolicyOutput{.resource_policy = co_await shown(context, name, policy)};
}

Task<shapes::DescribeResourcePoliciesOutput> describe_resource_policies(
    Service& service, wire::Context& context, const shapes::DescribeResourcePoliciesInput& request) {
  shapes::DescribeResourcePoliciesOutput out;
  auto& found = out.resource_policies.emplace();
  // Policies of single groups are not there.
  if (request.policy_scope == shapes::PolicyScope::kResource) co_return out;
  const auto all = co_await list(*service.store().snapshot(), context);
  auto from = all.begin();
  if (request.next_token) {
    const auto last = base::base64_decode(*request.next_token);
    if (!last) throw invalid_next_token();
    from = all.upper_bound(*last);
  }
  const size_t count_max = request.limit ? static_cast<size_t>(*request.limit) : kPoliciesByDefault;
  for (; from != all.end(); ++from) {
    if (found.size() == count_max) {
      out.next_token = base::base64_encode(*found.back().policy_name);
      break;
    }
    found.push_back(co_await shown(context, from->first, from->second));
  }
  co_return out;
}

Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service& service, wire::Context& context,
                                                                const shapes::DeleteResourcePolicyInput& request) {
  const std::string name = require(request.policy_name, "policyName");
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const std::string key = key_of(context, name);
    if (!co_await txn.get(key)) {
      throw errors::resource_not_found_exception(cat("Policy with name [", name, "] does not exist."));
    }
    txn.erase(key);
  });
  co_return shapes::DeleteResourcePolicyOutput{};
}

}  // namespace tidemill::logs
