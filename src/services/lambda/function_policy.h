// The resource policy of a function, a version or an alias, in the store: KeySpace::resource, (account, region, "lambda",
// "policy", name), then the qualifier; JSON. Absent: no statement.
#pragma once

#include "lang/policies/policy_statements.h"
#include "services/lambda/function_name.h"
#include "store/store.h"

namespace tidemill::lambda {

// AWS's limit.
inline constexpr size_t kPolicyBytesMax = 20'480;

// The read is tracked if `reader` is a transaction.
Task<lang::PolicyStatements> load_policy(store::Snapshot& reader, FunctionReference reference);

// A policy without a statement is erased.
void save_policy(store::Transaction& txn, const FunctionReference& reference, lang::PolicyStatements& policy);

// Whether anybody may call the function at a URL without authentication: a statement allows "*" lambda:InvokeFunctionUrl,
// on no condition that does not hold for such a call.
[[nodiscard]] bool lets_anybody_ask(const lang::PolicyStatements& policy);

// Those of a function and all its qualifiers, to be erased with it.
[[nodiscard]] store::Range policies_range(const FunctionAddress& address);

}  // namespace tidemill::lambda
