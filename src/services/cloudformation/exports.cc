#include "services/cloudformation/exports.h"

#include "base/executor.h"
#include "base/json_members.h"
#include "base/text.h"
#include "services/cloudformation/nesting.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr auto kExportMembers = [](auto& member, auto& one) {
  member("name", one.name);
  member("value", one.value);
  member("stack", one.stack);
};

}  // namespace

std::string encode_export(const Export& one) { return json::encode(one, kExportMembers); }

Export decode_export(std::string_view bytes) { return json::decode<Export>("export", bytes, kExportMembers); }

Task<std::optional<Export>> find_export(store::Snapshot& reader, const Place& place, std::string_view name) {
  const auto bytes = co_await reader.get(export_key(place, name));
  if (!bytes) co_return std::nullopt;
  co_return decode_export(*bytes);
}

lang::templates::TemplateError no_export(std::string_view name) {
  return lang::templates::TemplateError(cat("No export named ", name, " found"));
}

Task<Export> require_export(store::Snapshot& reader, Place place, std::string name) {
  auto found = co_await find_export(reader, place, name);
  if (!found) throw no_export(name);
  co_return *std::move(found);
}

void put_import(store::Transaction& txn, const StackId& stack, std::string_view name) {
  txn.put(import_key(stack.place, name, stack.uuid), stack.name);
  txn.put(stack_import_key(stack.place, stack.uuid, name), name);
}

void erase_import(store::Transaction& txn, const StackId& stack, std::string_view name) {
  txn.erase(import_key(stack.place, name, stack.uuid));
  txn.erase(stack_import_key(stack.place, stack.uuid, name));
}

Task<std::set<std::string, std::less<>>> imports_of(store::Snapshot& reader, const StackId& stack) {
  std::set<std::string, std::less<>> result;
  co_await reader.scan(stack_imports_range(stack.place, stack.uuid), store::Direction::forward,
                       [&](std::string_view, std::string_view name) {
                         result.emplace(name);
                         return true;
                       });
  co_return result;
}

namespace {

// Names of the stacks that use it and have no excuse.
Task<std::vector<std::string>> importers(store::Snapshot& reader, Place place, std::string name, Excuse excuse) {
  std::vector<std::string> users;
  co_await reader.scan(imports_range(place, name), store::Direction::forward,
                       [&](std::string_view, std::string_view stack) {
                         users.emplace_back(stack);
                         return true;
                       });
  if (!excuse) co_return users;
  std::vector<std::string> result;
  for (std::string& user : users) {
    if (base::slice_is_over()) co_await base::give_way();
    const auto stack = co_await find_stack(reader, place, user);
    if (!stack || !co_await excuse(*stack)) result.push_back(std::move(user));
  }
  co_return result;
}

}  // namespace

Task<std::string> why_not_change(store::Snapshot& reader, Place place, std::string name, std::string_view what,
                                 Excuse excuse) {
  const auto users = co_await importers(reader, place, name, std::move(excuse));
  if (users.empty()) co_return "";
  std::string list;
  for (size_t i = 0; i < users.size(); ++i) {
    list += i == 0 ? users[i] : cat(i + 1 == users.size() ? " and " : ", ", users[i]);
  }
  co_return cat("Export ", name, " cannot be ", what, " as it is in use by ", list);
}

namespace {

// The names of those that are there, and its own.
Task<std::vector<std::string>> exports_of(store::Snapshot& reader, const Stack& stack) {
  std::vector<std::string> result;
  for (const StackOutput& output : stack.outputs) {
    if (output.export_name.empty()) continue;
    const auto found = co_await find_export(reader, stack.place(), output.export_name);
    if (found && found->stack == stack.id.arn()) result.push_back(output.export_name);
  }
  co_return result;
}

}  // namespace

Task<std::string> take_exports(store::Transaction& txn, const Stack& stack) {
  for (const std::string& name : co_await exports_of(txn, stack)) {
    std::string problem =
        co_await why_not_change(txn, stack.place(), name, "deleted", [&](const Stack& user) -> Task<bool> {
          co_return co_await goes_with(txn, stack, user) || co_await is_done_with(txn, user, stack, name);
        });
    if (!problem.empty()) co_return problem;
  }
  co_await erase_exports(txn, stack);
  co_return "";
}

Task<void> bring_exports_back(store::Transaction& txn, const Stack& stack) {
  for (const StackOutput& output : stack.outputs) {
    if (output.export_name.empty() || co_await find_export(txn, stack.place(), output.export_name)) continue;
    txn.put(export_key(stack.place(), output.export_name),
            encode_export({output.export_name, output.value, stack.id.arn()}));
  }
}

Task<void> erase_exports(store::Transaction& txn, const Stack& stack) {
  for (const std::string& name : co_await exports_of(txn, stack)) txn.erase(export_key(stack.place(), name));
}

}  // namespace tidemill::cloudformation
