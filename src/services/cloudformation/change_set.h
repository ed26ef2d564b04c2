// Change sets: what a request would change, kept until it is executed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "services/cloudformation/stack.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

struct ChangeSet {
  StackId stack;
  std::string name;
  std::string uuid;         // also the slot of its template
  std::string description;
  Time created;
  std::string status;            // CREATE_COMPLETE or FAILED
  std::string execution_status;  // UNAVAILABLE, AVAILABLE, EXECUTE_IN_PROGRESS, …
  std::string reason;
  bool is_creation = false;
  bool include_nested = false;
  std::string token;  // ClientToken of the request that made it
  std::string on_failure;
  Settings settings;
  json::Array changes;  // documents of shapes::Change, with values (changes.h)

  [[nodiscard]] std::string arn() const;
};

[[nodiscard]] std::string encode_change_set(const ChangeSet& set);
[[nodiscard]] ChangeSet decode_change_set(const Place& place, std::string_view bytes);
void put_change_set(store::Transaction& txn, const ChangeSet& set);
void erase_change_set(store::Transaction& txn, const ChangeSet& set);

// By its ARN, or its name and its stack. Throws ChangeSetNotFound and what is said of a stack that is not there.
Task<std::optional<ChangeSet>> find_change_set(store::Snapshot& reader, const wire::Context& context, std::string name_or_id,
                                               std::optional<std::string> stack);
Task<ChangeSet> require_change_set(store::Snapshot& reader, const wire::Context& context, std::string name_or_id,
                                   std::optional<std::string> stack);
Task<std::vector<ChangeSet>> change_sets_of(store::Snapshot& reader, const StackId& stack);

// The stack changes by other means: its change sets, but the one with this UUID, cannot be executed any more.
Task<void> make_obsolete(store::Transaction& txn, StackId stack, std::string except);
Task<void> erase_change_sets(store::Transaction& txn, StackId stack);

}  // namespace tidemill::cloudformation
