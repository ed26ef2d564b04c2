#include "services/lambda/function_policy.h"

#include <algorithm>

#include "base/json.h"
#include "base/ordered.h"
#include "store/resources.h"

namespace tidemill::lambda {

namespace {

namespace json = base::json;

constexpr store::ResourceType kPolicies{"lambda", "policy"};

std::string policies_prefix(const FunctionAddress& address) {
  return store::resource_key(kPolicies, address.account, address.region, address.name);
}

std::string policy_key(const FunctionReference& reference) {
  std::string key = policies_prefix(reference.address);
  base::append_string(key, reference.qualifier);
  return key;
}

// "lambda:InvokeFunctionUrl", "lambda:*" or "*".
bool is_url_action(const json::Value* action) {
  if (!action) return false;
  if (action->is_array()) {
    return std::ranges::any_of(action->array(), [](const json::Value& each) { return is_url_action(&each); });
  }
  return action->is_string() &&
         (action->string() == "lambda:InvokeFunctionUrl" || action->string() == "lambda:*" || action->string() == "*");
}

bool is_anybody(const json::Value* principal) {
  if (!principal) return false;
  if (const json::Value* accounts = principal->find("AWS")) principal = accounts;
  return principal->is_string() && principal->string() == "*";
}

// Of what AddPermission writes: which account, which source, which organization it is, is not known of anybody.
bool holds_for_anybody(const json::Value& condition) {
  if (!condition.is_object()) return false;
  for (const auto& [kind, tests] : condition.object()) {
    if (!tests.is_object()) return false;
    for (const auto& [name, value] : tests.object()) {
      const bool is_type = kind == "StringEquals" && name == "lambda:FunctionUrlAuthType";
      const bool is_way = kind == "Bool" && name == "lambda:InvokedViaFunctionUrl";
      if (!value.is_string() || !(is_type || is_way)) return false;
      if (value.string() != (is_type ? "NONE" : "true")) return false;
    }
  }
  return true;
}

bool lets_anybody_ask(const json::Value& statement) {
  const json::Value* effect = statement.find("Effect");
  const json::Value* condition = statement.find("Condition");
  return effect && effect->is_string() && effect->string() == "Allow" && is_anybody(statement.find("Principal")) &&
         is_url_action(statement.find("Action")) && (!condition || holds_for_anybody(*condition));
}

}  // namespace

bool lets_anybody_ask(const lang::PolicyStatements& policy) {
  const auto document = json::parse(policy.text());
  const json::Value* statements = document ? document->find("Statement") : nullptr;
  if (!statements || !statements->is_array()) return false;
  return std::ranges::any_of(statements->array(), [](const json::Value& each) { return lets_anybody_ask(each); });
}

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
