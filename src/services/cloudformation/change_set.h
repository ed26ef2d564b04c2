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
  std::string parent;         // ARN of the change set of the stack around it; empty: it is a root
  std::string root;
  base::json::TextMap importing;  // physical ids of what it imports, by logical ids
  bool import_existing = false;   // ImportExistingResources: that was found, and is imported among other changes
  base::json::TextMap nested;  // the ARNs of those of nested stacks, by their logical ids
  int64_t operation = 0;       // of the stack: the one that has executed it
  std::string ordered;         // of a nested one: the token with which its parent executes it (nesting.h)
  // Documents of shapes::Change, with values (changes.h). They may be large: they are kept apart, load_changes() reads
  // them. Records of earlier versions have them within.
  json::Array changes;

  [[nodiscard]] std::string arn() const;
  // Of the type IMPORT, by which nothing else changes.
  [[nodiscard]] bool is_import() const { return !importing.empty() && !import_existing; }
};

inline constexpr size_t kChangeSetsMax = 1'000;  // of a stack, as on AWS

[[nodiscard]] std::string encode_change_set(const ChangeSet& set);
[[nodiscard]] ChangeSet decode_change_set(const Place& place, std::string_view bytes);
void put_change_set(store::Transaction& txn, const ChangeSet& set);
void erase_change_set(store::Transaction& txn, const ChangeSet& set);
// A new one, with its changes. Throws LimitExceededException beyond kChangeSetsMax.
Task<void> put_new_change_set(store::Transaction& txn, ChangeSet set);
Task<json::Array> load_changes(store::Snapshot& reader, const ChangeSet& set);

// By its ARN, or its name and its stack. Throws ChangeSetNotFound and what is said of a stack that is not there.
Task<std::optional<ChangeSet>> find_change_set(store::Snapshot& reader, const wire::Context& context, std::string name_or_id,
                                               std::optional<std::string> stack);
Task<ChangeSet> require_change_set(store::Snapshot& reader, const wire::Context& context, std::string name_or_id,
                                   std::optional<std::string> stack);
Task<std::vector<ChangeSet>> change_sets_of(store::Snapshot& reader, const StackId& stack);
Task<std::optional<ChangeSet>> change_set_of_arn(store::Snapshot& reader, Place place, std::string arn);

}  // namespace tidemill::cloudformation
