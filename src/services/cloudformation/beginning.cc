#include "services/cloudformation/beginning.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/templates/parse.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/notifications.h"
#include "services/cloudformation/running.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

// What AWS's template reference says cannot be updated by itself. A parameter's value is compared apart.
constexpr std::array<std::string_view, 5> kSaysNothingToDeploy{"AWSTemplateFormatVersion", "Description", "Metadata",
                                                               "Parameters", "Rules"};
// Of these, what one template alone has is used by nothing that both have.
constexpr std::array<std::string_view, 2> kDeployedWhereUsed{"Conditions", "Mappings"};

bool agree(const json::Value& before, const json::Value* after) {
  if (!after || !before.is_object() || !after->is_object()) return true;
  return std::ranges::all_of(before.object(), [&](const auto& entry) {
    const json::Value* other = after->find(entry.first);
    return !other || json::equal(entry.second, *other);
  });
}

bool deploy_the_same(const json::Value& before, const json::Value& after) {
  const auto is_one_of = [](const auto& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  const auto holds = [&](const json::Value& one, const json::Value& other) {
    return std::ranges::all_of(one.object(), [&](const auto& entry) {
      const auto& [section, value] = entry;
      if (is_one_of(kSaysNothingToDeploy, section)) return true;
      const json::Value* matching = other.find(section);
      if (is_one_of(kDeployedWhereUsed, section)) return agree(value, matching);
      return matching && json::equal(value, *matching);
    });
  };
  return before.is_object() && after.is_object() && holds(before, after) && holds(after, before);
}

}  // namespace

Task<Stack> require_stack(store::Snapshot& reader, const wire::Context& context, std::string name_or_id) {
  auto stack = co_await find_stack(reader, place_of(context), name_or_id);
  if (!stack) throw errors::validation_error(cat("Stack with id ", name_or_id, " does not exist"));
  co_return *std::move(stack);
}

Task<Stack> require_stack_in_brackets(store::Snapshot& reader, const wire::Context& context, std::string name_or_id) {
  auto stack = co_await find_stack(reader, place_of(context), name_or_id);
  if (!stack) throw errors::validation_error(cat("Stack [", name_or_id, "] does not exist"));
  co_return *std::move(stack);
}

Task<Stack> require_stack_in_quotes(store::Snapshot& reader, const wire::Context& context, std::string name_or_id) {
  auto stack = co_await find_stack(reader, place_of(context), name_or_id);
  if (!stack) throw errors::validation_error(cat("Stack '", name_or_id, "' does not exist"));
  co_return *std::move(stack);
}

void require_updatable(const Stack& stack) {
  static constexpr std::array kUpdatable{status::kCreated, status::kUpdated, status::kUndone, status::kCreateFailed,
                                         status::kUpdateFailed, status::kImported, status::kImportUndone};
  if (std::ranges::find(kUpdatable, stack.status) != kUpdatable.end()) return;
  throw errors::validation_error(cat("Stack:", stack.id.arn(), " is in ", stack.status, " state and can not be updated."));
}

void require_unchanged(const Stack& stack, const Stack& before) {
  if (stack.operation == before.operation) return;
  throw errors::validation_error(
      cat("Stack:", stack.id.arn(), " is in ", status::kUpdating, " state and can not be updated."));
}

Task<Stack> new_stack(store::Transaction& txn, const wire::Context& context, std::string name, std::string uuid) {
  Stack stack;
  stack.id = {place_of(context), std::move(name), std::move(uuid)};
  stack.created = context.now();
  size_t count = 0;
  const auto names = store::Range::prefix(stack_name_key(stack.place(), "").substr(0, stack_name_key(stack.place(), "").size() - 2));
  co_await txn.scan_untracked(names, store::first(kStacksMax), [&](std::string_view, std::string_view) {
    ++count;
    return true;
  });
  if (count >= kStacksMax) {
    throw errors::limit_exceeded_exception(cat("Limit for stack has been exceeded: there are ", kStacksMax, " stacks."));
  }
  if (const auto parent = co_await txn.get(adoption_key(stack.place(), stack.id.name))) {
    txn.erase(adoption_key(stack.place(), stack.id.name));
    stack.parent = *parent;
    const auto of = co_await find_stack(txn, stack.place(), *parent);
    stack.root = !of || of->root.empty() ? *parent : of->root;
  }
  txn.put(stack_name_key(stack.place(), stack.id.name), stack.id.uuid);
  txn.put(stack_order_key(stack.place(), stack.created.time_since_epoch().count(), stack.id.uuid), "");
  co_return stack;
}

void give_role(Stack& stack, const std::optional<std::string>& role) {
  if (!role) return;
  if (stack.current) stack.current->role = *role;
  if (stack.target) stack.target->role = *role;
}

void note_caller(Stack& stack, const wire::Context& context) {
  stack.caller = engine::caller_of(context.principal);
  if (!context.endpoint.empty()) stack.endpoint = context.endpoint;
}

Task<void> put_status(store::Transaction& txn, const wire::Context& context, Stack& stack,
                      std::string_view stack_status, std::string reason) {
  stack.status = stack_status;
  stack.reason = std::move(reason);
  put_stack(txn, stack);
  const Time time = co_await next_event_time(txn, stack.id, EventBy::operation, context.now());
  co_await put_stack_event(txn, stack, time, context.now());
  co_await notify_of_events(txn, stack, context.now());
  txn.signal(stack_topic(stack.id.uuid));
}

Task<void> announce(store::Transaction& txn, const wire::Context& context, Stack& stack, std::string_view stack_status,
                    std::string reason) {
  co_await put_status(txn, context, stack, stack_status, std::move(reason));
  if (status::is_running(stack_status)) co_await start_running(txn, stack, context.now());
}

Task<void> begin_creation(store::Transaction& txn, const wire::Context& context, Stack& stack, Settings settings,
                          const TemplateText& text, base::json::TextMap importing) {
  ++stack.operation;
  stack.since = stack.operation;
  stack.target = std::move(settings);
  stack.importing = std::move(importing);
  stack.outputs.clear();
  note_caller(stack, context);
  if (stack.timeout_minutes > 0) stack.deadline = context.now() + std::chrono::minutes(stack.timeout_minutes);
  put_template(txn, stack.id, kTargetTemplate, text);
  // A creation that fails leaves its template to be looked at.
  stack.current = stack.target;
  put_template(txn, stack.id, kCurrentTemplate, text);
  co_await announce(txn, context, stack, status::kCreating, "User Initiated");
}

Task<void> begin_update(store::Transaction& txn, const wire::Context& context, Stack& stack, Settings settings,
                        const TemplateText& text, UpdatePolicies policies, base::json::TextMap importing) {
  ++stack.operation;
  if (is_whole(stack)) stack.since = stack.operation;
  co_await begin_notifying(txn, stack, settings);
  stack.target = std::move(settings);
  stack.importing = std::move(importing);
  stack.updated = context.now();
  stack.cancelled = false;
  stack.retained.clear();
  stack.policy_of_update = std::move(policies.of_update);
  stack.policy_to_be = std::move(policies.to_be);
  note_caller(stack, context);
  put_template(txn, stack.id, kTargetTemplate, text);
  co_await announce(txn, context, stack, status::kUpdating, "User Initiated");
}

Task<void> begin_import(store::Transaction& txn, const wire::Context& context, Stack& stack, Settings settings,
                        const TemplateText& text, base::json::TextMap importing) {
  ++stack.operation;
  stack.since = stack.operation;
  co_await begin_notifying(txn, stack, settings);
  stack.target = std::move(settings);
  stack.importing = std::move(importing);
  if (stack.status != status::kReview) stack.updated = context.now();
  stack.cancelled = false;
  stack.retained.clear();
  note_caller(stack, context);
  put_template(txn, stack.id, kTargetTemplate, text);
  if (!stack.current) {  // an import that fails leaves its template to be looked at
    stack.current = stack.target;
    put_template(txn, stack.id, kCurrentTemplate, text);
  }
  co_await announce(txn, context, stack, status::kImporting, "User Initiated");
}

Task<bool> is_same(base::BlockingWork& work, const TemplateText& before, const Settings& settings_before,
                   const TemplateText& after, const Settings& settings_after) {
  if (settings_before.tags != settings_after.tags || settings_before.role != settings_after.role ||
      settings_before.notification_arns != settings_after.notification_arns) {
    co_return false;
  }
  const auto old_values = settings_before.values(), new_values = settings_after.values();
  const bool same_values = std::ranges::equal(old_values, new_values, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.effective() == b.second.effective();
  });
  if (!same_values) co_return false;
  if (before.deployed() == after.deployed()) co_return true;
  co_return co_await work.run_joined([&] {
    return deploy_the_same(lang::templates::parse(before.deployed()), lang::templates::parse(after.deployed()));
  });
}

}  // namespace tidemill::cloudformation
