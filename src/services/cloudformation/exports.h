// Exports of stacks, and who imports them. An export that somebody imports can neither go nor change.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lang/templates/template_error.h"
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
// "No export named X found"
[[nodiscard]] lang::templates::TemplateError no_export(std::string_view name);
// Throws it.
Task<Export> require_export(store::Snapshot& reader, Place place, std::string name);

// Notes that the stack uses the export, in the transaction that has read it: who takes it away sees that, or conflicts.
void put_import(store::Transaction& txn, const StackId& stack, std::string_view name);
void erase_import(store::Transaction& txn, const StackId& stack, std::string_view name);
// The names of all exports that it was noted to use.
Task<std::set<std::string, std::less<>>> imports_of(store::Snapshot& reader, const StackId& stack);
// Whether the export may go although this stack uses it.
using Excuse = std::function<Task<bool>(const Stack& user)>;

// "Export X cannot be deleted as it is in use by A and B"; empty: it may go. `what`: "deleted" or "updated".
Task<std::string> why_not_change(store::Snapshot& reader, Place place, std::string name, std::string_view what,
                                 Excuse excuse = nullptr);

// ---- Of a stack that is deleted
// Takes its exports away, so that nobody begins to use them while it goes. Where one is in use by a stack that stays
// behind, none is taken, and this says why; empty: they are gone. What is below it goes with it, unless that is left
// alone; what is around it and goes has let go already of what used them.
Task<std::string> take_exports(store::Transaction& txn, const Stack& stack);
// It stays: they are there again, but for those whose names others have taken meanwhile.
Task<void> bring_exports_back(store::Transaction& txn, const Stack& stack);
// It is gone: those that it still has.
Task<void> erase_exports(store::Transaction& txn, const Stack& stack);

}  // namespace tidemill::cloudformation
