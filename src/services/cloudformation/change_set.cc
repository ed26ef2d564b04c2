#include "services/cloudformation/change_set.h"

#include <utility>

#include "base/json_members.h"
#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/template_text.h"
#include "wire/arn.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

std::string ChangeSet::arn() const {
  return cat("arn:aws:cloudformation:", stack.place.region, ":", stack.place.account, ":changeSet/", name, "/", uuid);
}

namespace {

constexpr auto kChangeSetMembers = [](auto& member, auto& set) {
  member.as("stack", set.stack, [](const StackId& stack) { return stack.arn(); }, parse_stack_arn);
  member("name", set.name);
  member("uuid", set.uuid);
  member("created_us", set.created);
  member("status", set.status);
  member("execution_status", set.execution_status);
  member.part("settings", "stack's settings", set.settings, kSettingsMembers);
  member.added("changes", set.changes);
  member.unless_empty("description", set.description);
  member.unless_empty("reason", set.reason);
  member.unless_empty("is_creation", set.is_creation);
  member.unless_empty("include_nested", set.include_nested);
  member.unless_empty("on_failure", set.on_failure);
  member.unless_empty("token", set.token);
  member.unless_empty("parent", set.parent);
  member.unless_empty("root", set.root);
  member.unless_empty("importing", set.importing);
  member.unless_empty("nested", set.nested);
  member.unless_empty("operation", set.operation);
  member.unless_empty("ordered", set.ordered);
  member.unless_empty("import_existing", set.import_existing);
};

}  // namespace

std::string encode_change_set(const ChangeSet& set) { return json::encode(set, kChangeSetMembers); }

ChangeSet decode_change_set(const Place&, std::string_view bytes) {
  return json::decode<ChangeSet>("change set", bytes, kChangeSetMembers);
}

void put_change_set(store::Transaction& txn, const ChangeSet& set) {
  txn.put(change_set_key(set.stack.place, set.stack.uuid, set.name), encode_change_set(set));
  txn.put(change_set_id_key(set.stack.place, set.uuid), cat(set.stack.uuid, " ", set.name));
}

void erase_change_set(store::Transaction& txn, const ChangeSet& set) {
  txn.erase(change_set_key(set.stack.place, set.stack.uuid, set.name));
  txn.erase(change_set_id_key(set.stack.place, set.uuid));
  txn.erase(change_set_changes_key(set.stack.place, set.uuid));
  erase_template(txn, set.stack, set.uuid);
}

Task<void> put_new_change_set(store::Transaction& txn, ChangeSet set) {
  size_t count = 0;
  co_await txn.scan_untracked(change_sets_range(set.stack.place, set.stack.uuid), store::first(kChangeSetsMax),
                              [&](std::string_view, std::string_view) { return ++count < kChangeSetsMax; });
  if (count >= kChangeSetsMax) {
    throw errors::limit_exceeded_exception(
        cat("Limit for change sets has been exceeded: stack ", set.stack.name, " has ", kChangeSetsMax, " of them."));
  }
  const json::Array changes = std::exchange(set.changes, {});
  txn.put(change_set_changes_key(set.stack.place, set.uuid), json::write(json::Value(changes)));
  put_change_set(txn, set);
}

Task<json::Array> load_changes(store::Snapshot& reader, const ChangeSet& set) {
  if (!set.changes.empty()) co_return set.changes;
  const auto bytes = co_await reader.get(change_set_changes_key(set.stack.place, set.uuid));
  if (!bytes) co_return json::Array();
  auto changes = json::parse(*bytes);
  if (!changes || !changes->is_array()) throw std::runtime_error("the stored changes of a change set are damaged");
  co_return std::move(changes->array());
}

namespace {

Task<std::optional<ChangeSet>> read_change_set(store::Snapshot& reader, Place place, std::string stack_uuid,
                                               std::string name) {
  const auto bytes = co_await reader.get(change_set_key(place, stack_uuid, name));
  if (!bytes) co_return std::nullopt;
  co_return decode_change_set(place, *bytes);
}

}  // namespace

Task<std::optional<ChangeSet>> change_set_of_arn(store::Snapshot& reader, Place place, std::string text) {
  const auto arn = wire::parse_arn_of("cloudformation", text);
  if (!arn) co_return std::nullopt;
  const std::string uuid(arn->resource.substr(arn->resource.rfind('/') + 1));
  const auto where = co_await reader.get(change_set_id_key(place, uuid));
  if (!where) co_return std::nullopt;
  const size_t blank = where->find(' ');
  co_return co_await read_change_set(reader, place, where->substr(0, blank), where->substr(blank + 1));
}

Task<std::optional<ChangeSet>> find_change_set(store::Snapshot& reader, const wire::Context& context,
                                               std::string name_or_id, std::optional<std::string> stack) {
  const Place place = place_of(context);
  if (wire::parse_arn_of("cloudformation", name_or_id)) co_return co_await change_set_of_arn(reader, place, name_or_id);
  if (!stack) {
    throw errors::validation_error("StackName must be specified if ChangeSetName is not specified as an ARN.");
  }
  const Stack of = co_await require_stack_in_brackets(reader, context, *stack);
  co_return co_await read_change_set(reader, place, of.id.uuid, name_or_id);
}

Task<ChangeSet> require_change_set(store::Snapshot& reader, const wire::Context& context, std::string name_or_id,
                                   std::optional<std::string> stack) {
  auto found = co_await find_change_set(reader, context, name_or_id, std::move(stack));
  if (!found) throw errors::change_set_not_found_exception(cat("ChangeSet [", name_or_id, "] does not exist"));
  co_return *std::move(found);
}

Task<std::vector<ChangeSet>> change_sets_of(store::Snapshot& reader, const StackId& stack) {
  std::vector<ChangeSet> result;
  co_await reader.scan(change_sets_range(stack.place, stack.uuid), store::Direction::forward,
                       [&](std::string_view, std::string_view bytes) {
                         result.push_back(decode_change_set(stack.place, bytes));
                         return true;
                       });
  co_return result;
}

}  // namespace tidemill::cloudformation
