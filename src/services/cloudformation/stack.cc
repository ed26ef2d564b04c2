#include "services/cloudformation/stack.h"

#include "base/json_members.h"
#include "base/text.h"
#include "wire/arn.h"

namespace tidemill::cloudformation {

using base::cat;

bool status::is_running(std::string_view stack_status) {
  return stack_status.ends_with("_IN_PROGRESS") && stack_status != kReview;
}

bool is_held(const Stack& stack) {
  return stack.status == status::kCleaningUp && stack.nesting && stack.nesting->holds;
}

bool is_at_work(const Stack& stack) { return status::is_running(stack.status) && !is_held(stack); }

bool is_whole(const Stack& stack) {
  return stack.status != status::kCreateFailed && stack.status != status::kUpdateFailed &&
         stack.status != status::kImportUndone && !is_held(stack);
}

std::string StackId::arn() const {
  return cat("arn:aws:cloudformation:", place.region, ":", place.account, ":stack/", name, "/", uuid);
}

std::optional<StackId> parse_stack_arn(std::string_view text) {
  const auto arn = wire::parse_arn_of("cloudformation", text);
  constexpr std::string_view kBegin = "stack/";
  if (!arn || !arn->resource.starts_with(kBegin)) return std::nullopt;
  const std::string_view rest = arn->resource.substr(kBegin.size());
  const size_t slash = rest.find('/');
  StackId id{{std::string(arn->account), std::string(arn->region)}, std::string(rest.substr(0, slash)), ""};
  if (slash != std::string_view::npos) id.uuid = rest.substr(slash + 1);
  return id;
}

const Settings& Stack::settings() const {
  static const Settings kNone;
  if (target) return *target;
  return current ? *current : kNone;
}

lang::templates::ParameterValues Settings::values() const {
  lang::templates::ParameterValues result;
  for (const StackParameter& one : parameters) result[one.key] = {one.value, one.resolved};
  return result;
}

namespace {

constexpr auto kOutputMembers = [](auto& member, auto& output) {
  member("key", output.key);
  member("value", output.value);
  member.unless_empty("description", output.description);
  member.unless_empty("export", output.export_name);
};

constexpr auto kFormerMembers = [](auto& member, auto& former) {
  member.part("settings", "stack's settings", former.settings, kSettingsMembers);
  member.list_unless_empty("outputs", "stack's output", former.outputs, kOutputMembers);
  member.unless_empty("imports", former.imports);
};

constexpr auto kNestingMembers = [](auto& member, auto& nesting) {
  member("parents_operation", nesting.parents_operation);
  member("own_operation", nesting.own_operation);
  member.unless_empty("ordered", nesting.ordered);
  member.unless_empty("obeys", nesting.obeys);
  member.unless_empty("holds", nesting.holds);
  member.part("before", "stack's past", nesting.before, kFormerMembers);
  member.unless_empty("return_token", nesting.return_token);
  member.unless_empty("returning_to", nesting.returning_to);
  member.unless_empty("taken_back_by", nesting.taken_back_by);
};

constexpr auto kStackMembers = [](auto& member, auto& stack) {
  member.as("id", stack.id, [](const StackId& id) { return id.arn(); }, parse_stack_arn);
  member("status", stack.status);
  member("created_us", stack.created);
  member("operation", stack.operation);
  member("since", stack.since);
  member.unless_empty("reason", stack.reason);
  member("updated_us", stack.updated);
  member("deleted_us", stack.deleted);
  member.part("current", "stack's settings", stack.current, kSettingsMembers);
  member.part("target", "stack's settings", stack.target, kSettingsMembers);
  member.list_unless_empty("outputs", "stack's output", stack.outputs, kOutputMembers);
  member.unless_empty("disable_rollback", stack.disable_rollback);
  member.unless_empty("on_failure", stack.on_failure);
  member.unless_empty("retain_except_on_create", stack.retain_except_on_create);
  member.unless_empty("termination_protection", stack.termination_protection);
  member.unless_empty("cancelled", stack.cancelled);
  member.unless_empty("timeout_minutes", stack.timeout_minutes);
  member("deadline_us", stack.deadline);
  member.unless_empty("change_set", stack.change_set);
  member.unless_empty("token", stack.token);
  member.unless_empty("used_tokens", stack.used_tokens);
  member.unless_empty("parent", stack.parent);
  member.unless_empty("root", stack.root);
  member.part("nesting", "stack's nesting", stack.nesting, kNestingMembers);
  member.unless_empty("imports", stack.imports);
  member.unless_empty("importing", stack.importing);
  member.unless_empty("retained", stack.retained);
  member.unless_empty("policy", stack.policy);
  member.unless_empty("policy_of_update", stack.policy_of_update);
  member.unless_empty("policy_to_be", stack.policy_to_be);
  engine::kCallerMembers(member, stack.caller);
  member.unless_empty("endpoint", stack.endpoint);
};

}  // namespace

std::string encode_stack(const Stack& stack) { return json::encode(stack, kStackMembers); }

Stack decode_stack(std::string_view bytes) { return json::decode<Stack>("stack", bytes, kStackMembers); }

Task<std::optional<Stack>> load_stack(store::Snapshot& reader, const Place& place, std::string_view uuid) {
  const auto bytes = co_await reader.get(stack_key(place, uuid));
  if (!bytes) co_return std::nullopt;
  co_return decode_stack(*bytes);
}

Task<std::optional<Stack>> find_stack(store::Snapshot& reader, const Place& place, std::string_view name_or_id) {
  if (const auto id = parse_stack_arn(name_or_id)) {
    if (id->place != place || id->uuid.empty()) co_return std::nullopt;
    auto found = co_await load_stack(reader, place, id->uuid);
    if (found && found->id.name != id->name) co_return std::nullopt;
    co_return found;
  }
  const auto uuid = co_await reader.get(stack_name_key(place, name_or_id));
  if (!uuid) co_return std::nullopt;
  co_return co_await load_stack(reader, place, *uuid);
}

}  // namespace tidemill::cloudformation
