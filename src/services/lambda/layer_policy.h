// The resource policy of a layer's version, in the store: KeySpace::resource, (account, region, "lambda", "layer-policy",
// name), then the number; its revision and the document. Absent: no statement. It says which other accounts may read the
// version and use it in their functions.
#pragma once

#include <string>
#include <string_view>

#include "lang/policies/policy_statements.h"
#include "services/lambda/layer.h"

namespace tidemill::lambda {

struct LayerPolicy {
  lang::PolicyStatements statements;
  std::string revision;  // empty: there never was a statement
};

// The read is tracked if `reader` is a transaction.
Task<LayerPolicy> load_layer_policy(store::Snapshot& reader, LayerReference reference);

// With a new revision. A policy without a statement is erased.
void save_layer_policy(store::Transaction& txn, const LayerReference& reference, LayerPolicy& policy);
void erase_layer_policy(store::Transaction& txn, const LayerReference& reference);

// Throws AWS's AccessDeniedException if the layer is another account's, and that does not allow `account` to read it.
// Conditions on an organisation are never met: there are none here.
Task<void> check_may_read(store::Snapshot& reader, std::string account, LayerReference reference);

}  // namespace tidemill::lambda
