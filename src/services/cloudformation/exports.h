// Exports of stacks, and who imports them. An export that somebody imports can neither go nor change.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "services/cloudformation/stack.h"
#include "store/store.h"

namespace tidemill::cloudformation {

// An export that cannot be made, go or change.
struct ExportRefused : std::runtime_error {
  explicit ExportRefused(const std::string& what) : std::runtime_error(what) {}
};

struct Export {
  std::string name;
  std::string value;
  std::string stack;  // ARN
};

[[nodiscard]] std::string encode_export(const Export& one);
[[nodiscard]] Export decode_export(std::string_view bytes);
Task<std::optional<Export>> find_export(store::Snapshot& reader, const Place& place, std::string_view name);
// Throws TemplateError "No export named X found".
Task<Export> require_export(store::Snapshot& reader, Place place, std::string name);

// Notes that the stack uses the export.
void put_import(store::Transaction& txn, const StackId& stack, std::string_view name);
void erase_import(store::Transaction& txn, const StackId& stack, std::string_view name);
// The names of all exports that it was noted to use.
Task<std::set<std::string, std::less<>>> imports_of(store::Snapshot& reader, const StackId& stack);
// Names of the stacks that use it.
Task<std::vector<std::string>> importers(store::Snapshot& reader, const Place& place, std::string_view name);

// "Export X cannot be deleted as it is in use by A and B"; empty: it may go. `what`: "deleted" or "updated".
Task<std::string> why_not_change(store::Snapshot& reader, Place place, std::string name, std::string_view what);

}  // namespace tidemill::cloudformation
