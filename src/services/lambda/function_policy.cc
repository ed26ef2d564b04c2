#include "services/lambda/function_policy.h"

#include "base/ordered.h"
#include "store/resources.h"

namespace tidemill::lambda {

namespace {

constexpr store::ResourceType kPolicies{"lambda", "policy"};

std::string policies_prefix(const FunctionAddress& address) {
  return store::resource_key(kPolicies, address.account, address.region, address.name);
}

std::string policy_key(const FunctionReference& reference) {
  std::string key = policies_prefix(reference.address);
  base::append_string(key, reference.qualifier);
  return key;
}

}  // namespace

Task<lang::PolicyStatements> load_policy(store::Snapshot& reader, FunctionReference reference) {
  const auto bytes = co_await reader.get(policy_key(reference));
  co_return lang::PolicyStatements(bytes.value_or(""), {{"Version", "2012-10-17"}, {"Id", "default"}});
}

void save_policy(store::Transaction& txn, const FunctionReference& reference, lang::PolicyStatements& policy) {
  if (policy.empty()) txn.erase(policy_key(reference));
  else txn.put(policy_key(reference), policy.text());
}

store::Range policies_range(const FunctionAddress& address) { return store::Range::prefix(policies_prefix(address)); }

}  // namespace tidemill::lambda
