#include "services/cloudformation/nesting.h"

#include <algorithm>

#include "base/ordered.h"
#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/notifications.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/running.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {
constexpr std::chrono::hours kChildWaitMax{24 * 365};  // a stack has its own time limits
}

// ---- Change sets of a hierarchy -------------------------------------------------------------------------------------

Task<void> end_review(store::Transaction& txn, Stack stack, Time now) {
  stack.deleted = now;
  stack.status = status::kDeleted;
  stack.reason.clear();
  put_stack(txn, stack);
  co_await put_stack_event(txn, stack, co_await next_event_time(txn, stack.id, EventBy::operation, now), now);
  co_await notify_of_events(txn, stack, now);
  txn.signal(stack_topic(stack.id.uuid));
  co_await forget_name(txn, stack, now);
}

Task<void> erase_hierarchy(store::Transaction& txn, ChangeSet set, Time now) {
  for (const auto& [name, arn] : set.nested) {
    auto below = co_await change_set_of_arn(txn, set.stack.place, arn);
    if (!below) continue;
    const StackId child = below->stack;
    co_await erase_hierarchy(txn, *std::move(below), now);
    auto stack = co_await load_stack(txn, child.place, child.uuid);
    if (stack && stack->status == status::kReview && (co_await change_sets_of(txn, child)).empty()) {
      co_await end_review(txn, *std::move(stack), now);
    }
  }
  erase_change_set(txn, set);
}

Task<void> erase_hierarchies(store::Transaction& txn, StackId stack, std::string except, Time now) {
  for (ChangeSet& set : co_await change_sets_of(txn, stack)) {
    if (set.uuid != except) co_await erase_hierarchy(txn, std::move(set), now);
  }
}

namespace {

Task<void> make_one_obsolete(store::Transaction& txn, ChangeSet set) {
  set.execution_status = "OBSOLETE";
  put_change_set(txn, set);
  for (const auto& [name, arn] : set.nested) {
    auto below = co_await change_set_of_arn(txn, set.stack.place, arn);
    if (below && below->execution_status == "AVAILABLE") co_await make_one_obsolete(txn, *std::move(below));
  }
}

}  // namespace

Task<void> make_obsolete(store::Transaction& txn, StackId stack) {
  for (ChangeSet& set : co_await change_sets_of(txn, stack)) {
    if (set.execution_status == "AVAILABLE") co_await make_one_obsolete(txn, std::move(set));
  }
}

Task<void> erase_unexecuted(store::Transaction& txn, StackId stack, Time now) {
  for (ChangeSet& set : co_await change_sets_of(txn, stack)) {
    if (set.operation == 0) continue;
    for (const auto& [name, arn] : set.nested) {
      auto below = co_await change_set_of_arn(txn, stack.place, arn);
      if (!below || below->operation != 0) continue;
      const StackId child = below->stack;
      co_await erase_hierarchy(txn, *std::move(below), now);
      auto reviewed = co_await load_stack(txn, child.place, child.uuid);
      if (reviewed && reviewed->status == status::kReview) co_await end_review(txn, *std::move(reviewed), now);
    }
  }
}

// ---- Protection -----------------------------------------------------------------------------------------------------

namespace {

// What the parent has it as, and does not count as gone. Nothing: it is no part of it.
Task<std::optional<Resource>> part_of(store::Snapshot& reader, const Stack& parent, const Stack& stack) {
  const std::string arn = stack.id.arn();
  const store::Range range = physical_range(stack.place(), arn);
  std::vector<std::string> names;  // of the parent's resources: others may have taken a stack of this ARN for theirs
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view) {
    base::OrderedReader parts(key.substr(range.begin.size()));
    if (parts.string() == parent.id.uuid) names.push_back(parts.string());
    return true;
  });
  for (const std::string& name : names) {
    auto resource = co_await find_resource(reader, parent.id, name);
    if (resource && resource->exists() && resource->now.physical_id == arn) co_return std::move(resource);
  }
  co_return std::nullopt;
}

}  // namespace

Task<bool> is_protected(store::Snapshot& reader, Stack stack) {
  while (!stack.parent.empty()) {
    auto parent = co_await find_stack(reader, stack.place(), stack.parent);
    const auto part = parent ? co_await part_of(reader, *parent, stack) : std::nullopt;
    if (!part || part->status.starts_with("DELETE_")) co_return false;
    stack = *std::move(parent);
  }
  co_return stack.termination_protection;
}

// ---- Who goes with whom ---------------------------------------------------------------------------------------------

Task<bool> goes_with(store::Snapshot& reader, const Stack& around, Stack stack) {
  while (!stack.parent.empty()) {
    const bool is_outermost = stack.parent == around.id.arn();
    auto parent = is_outermost ? around : co_await find_stack(reader, stack.place(), stack.parent);
    const auto part = parent ? co_await part_of(reader, *parent, stack) : std::nullopt;
    if (!part || is_kept_by_policy(*parent, *part, part->undone)) co_return false;
    if (is_outermost) co_return std::ranges::find(around.retained, part->logical_id) == around.retained.end();
    stack = *std::move(parent);
  }
  co_return false;
}

Task<Stack> outermost_going_back(store::Snapshot& reader, Stack stack) {
  while (!stack.parent.empty()) {
    auto parent = co_await find_stack(reader, stack.place(), stack.parent);
    if (!parent || parent->status != status::kUndoing || !co_await part_of(reader, *parent, stack)) break;
    stack = *std::move(parent);
  }
  co_return std::move(stack);
}

Task<bool> goes_back_with(store::Snapshot& reader, const Stack& around, Stack stack) {
  while (stack.id.arn() != around.id.arn()) {
    auto parent = stack.parent.empty() ? std::nullopt : co_await find_stack(reader, stack.place(), stack.parent);
    const auto part = parent ? co_await part_of(reader, *parent, stack) : std::nullopt;
    if (!part) co_return false;
    const bool is_new = part->undone || (!part->before && part->operation >= parent->since);
    if (is_new && is_kept_by_policy(*parent, *part, true)) co_return false;
    stack = *std::move(parent);
  }
  co_return true;
}

namespace {

// Whether it is not bringing about anything any more.
bool is_removing(const Stack& stack) {
  return stack.status == status::kDeleting || stack.status == status::kRollingBack ||
         stack.status == status::kCleaningUp || stack.status == status::kUndoneCleaningUp;
}

Task<bool> stands_around(store::Snapshot& reader, std::string arn, Stack stack) {
  while (!stack.parent.empty()) {
    if (stack.parent == arn) co_return true;
    auto parent = co_await find_stack(reader, stack.place(), stack.parent);
    if (!parent) break;
    stack = *std::move(parent);
  }
  co_return false;
}

}  // namespace

Task<bool> is_done_with(store::Snapshot& reader, const Stack& around, Stack stack, std::string export_name) {
  if (!is_at_work(around) || !is_removing(around)) co_return false;
  if (!co_await stands_around(reader, around.id.arn(), std::move(stack))) co_return false;
  const bool is_to_stay = around.status == status::kCleaningUp || around.status == status::kUndoneCleaningUp;
  if (is_to_stay && std::ranges::find(around.imports, export_name) != around.imports.end()) co_return false;
  for (const auto& [name, resource] : co_await load_resources(reader, around.id)) {
    const auto& imports = resource.imports;
    if (resource.exists() && std::ranges::find(imports, export_name) != imports.end()) co_return false;
  }
  co_return true;
}

// ---- What a step tells a nested stack -------------------------------------------------------------------------------

Task<PlannedChild> planned_of_child(Step& step) {
  PlannedChild result;
  if (step.scope().brings_back) co_return result;
  const auto snapshot = step.context().store().snapshot();
  const auto id = parse_stack_arn(step.scope().stack_id);
  const auto parent = co_await load_stack(*snapshot, id->place, id->uuid);
  if (!parent || parent->change_set.empty()) co_return result;
  const auto set = co_await change_set_of_arn(*snapshot, id->place, parent->change_set);
  if (!set || set->operation != step.scope().operation || !set->include_nested) co_return result;
  result.is_known = true;
  const auto found = set->nested.find(step.scope().logical_id);
  if (found != set->nested.end()) result.set = co_await change_set_of_arn(*snapshot, id->place, found->second);
  co_return result;
}

Task<void> order_child(Step& step, StackId child, const ChangeSet* planned, std::string token) {
  const StepScope& scope = step.scope();
  co_await step.context().store().transact([&](store::Transaction& txn) -> Task<void> {
    auto stack = co_await load_stack(txn, child.place, child.uuid);
    if (!stack) co_return;
    const bool is_between = is_held(*stack) || (stack->nesting && stack->nesting->before);
    if (!stack->nesting || (stack->nesting->parents_operation < scope.since && !is_between)) {
      stack->nesting = Nesting{.parents_operation = scope.operation, .own_operation = stack->operation + 1};
      const auto now = co_await load_template(txn, child, kCurrentTemplate);
      if (now) put_template(txn, child, kBeforeTemplate, *now);
    }
    stack->nesting->ordered = token;
    stack->nesting->return_token = scope.brings_back ? token : std::string();
    put_stack(txn, *stack);
    if (!planned) co_return;
    auto set = co_await change_set_of_arn(txn, child.place, planned->arn());
    if (!set) co_return;
    set->ordered = token;
    put_change_set(txn, *set);
  });
}

namespace {

Task<std::optional<ChangeSet>> ordered_set(store::Snapshot& reader, StackId stack, std::string token) {
  for (ChangeSet& set : co_await change_sets_of(reader, stack)) {
    if (set.ordered == token && set.operation == 0) co_return std::move(set);
  }
  co_return std::nullopt;
}

bool goes_back(const Stack& stack, const std::optional<std::string>& token) {
  return token && !token->empty() && stack.nesting && stack.nesting->return_token == *token;
}

}  // namespace

Task<std::optional<TemplateText>> ordered_template(store::Snapshot& reader, Stack stack,
                                                   std::optional<std::string> token) {
  if (stack.parent.empty() || !token || token->empty()) co_return std::nullopt;
  if (goes_back(stack, token)) co_return co_await load_template(reader, stack.id, kBeforeTemplate);
  const auto set = co_await ordered_set(reader, stack.id, *token);
  if (!set) co_return std::nullopt;
  co_return co_await load_template(reader, stack.id, set->uuid);
}

Task<base::json::TextMap> take_order(store::Transaction& txn, Stack& stack, std::optional<std::string> token) {
  if (stack.nesting) {
    stack.nesting->returning_to = goes_back(stack, token) ? stack.nesting->own_operation : 0;
    stack.nesting->obeys = token && !token->empty() && *token == stack.nesting->ordered;
  }
  if (stack.parent.empty() || !token || token->empty()) co_return base::json::TextMap();
  auto set = co_await ordered_set(txn, stack.id, *token);
  if (!set) co_return base::json::TextMap();
  set->execution_status = "EXECUTE_COMPLETE";
  set->operation = stack.operation + 1;  // the one that begins
  put_change_set(txn, *set);
  stack.change_set = set->arn();
  co_return std::move(set->importing);
}

// ---- Held until the parent has ended ---------------------------------------------------------------------------------

bool is_ordered_again(const Stack& stack, const std::optional<std::string>& token) {
  return is_held(stack) && token && *token == stack.nesting->ordered;
}

void forget_before(store::Transaction& txn, Stack& stack) {
  if (!stack.nesting || !stack.nesting->before) return;
  stack.nesting->before.reset();
  erase_template(txn, stack.id, kHeldTemplate);
}

Task<void> hold_if_ordered(store::Transaction& txn, Stack& stack) {
  if (!stack.nesting) co_return;
  Nesting& nesting = *stack.nesting;
  nesting.holds = stack.status == status::kCleaningUp && nesting.obeys && nesting.returning_to == 0;
  if (!nesting.holds) co_return forget_before(txn, stack);
  if (nesting.before) co_return;
  nesting.before = Former{stack.current, stack.outputs, stack.imports};
  const auto text = co_await load_template(txn, stack.id, kCurrentTemplate);
  if (text) put_template(txn, stack.id, kHeldTemplate, *text);
}

namespace {

// The parent, while it may still ask for it: a process that has lost the parent meanwhile must not.
Task<std::optional<Stack>> parent_at_work(store::Transaction& txn, const StepScope& scope) {
  const auto id = parse_stack_arn(scope.stack_id);
  auto parent = co_await load_stack(txn, id->place, id->uuid);
  if (parent && (!is_at_work(*parent) || parent->operation != scope.operation)) parent.reset();
  co_return parent;
}

// What goes back does so as its parent: by now that may act as another role, or for somebody else.
void act_as_parent(Stack& stack, const Stack& parent) {
  stack.caller = parent.caller;
  stack.endpoint = parent.endpoint;
  if (!parent.settings().role.empty()) give_role(stack, parent.settings().role);
}

}  // namespace

Task<bool> take_back(Step& step, StackId child) {
  bool is_taken = false;
  co_await step.context().store().transact([&](store::Transaction& txn) -> Task<void> {
    auto stack = co_await load_stack(txn, child.place, child.uuid);
    const bool is_kept = stack && stack->status == status::kUpdateFailed && stack->nesting && stack->nesting->before;
    const auto parent = co_await parent_at_work(txn, step.scope());
    is_taken = stack && (is_kept || is_held(*stack)) && parent;
    if (!is_taken) co_return;
    stack->nesting->taken_back_by = step.scope().operation;
    co_await begin_undoing(txn, *stack);
    act_as_parent(*stack, *parent);
    co_await announce(txn, step.context(), *stack, status::kUndoing, "User Initiated");
  });
  co_return is_taken;
}

Task<bool> was_taken_back(Step& step, StackId child) {
  const auto snapshot = step.context().store().snapshot();
  const auto stack = co_await load_stack(*snapshot, child.place, child.uuid);
  co_return stack && stack->status == status::kUndone && stack->nesting && !stack->nesting->before &&
      stack->nesting->taken_back_by >= step.scope().since;
}

namespace {

// Of "CHILD.Logical" what stands behind the dot. What is of stacks further below goes on to them as it is, and means
// nothing here: no logical id has a dot.
std::vector<std::string> skipped_below(const std::vector<std::string>& names, std::string_view child) {
  const std::string own = cat(child, '.');
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (name.find('.') == std::string::npos) continue;
    result.push_back(name.starts_with(own) ? name.substr(own.size()) : name);
  }
  return result;
}

}  // namespace

Task<bool> resume_rollback(Step& step, StackId child) {
  bool is_resumed = false;
  co_await step.context().store().transact([&](store::Transaction& txn) -> Task<void> {
    auto stack = co_await load_stack(txn, child.place, child.uuid);
    const auto parent = co_await parent_at_work(txn, step.scope());
    is_resumed = stack && stack->status == status::kUndoFailed && parent;
    if (!is_resumed) co_return;
    act_as_parent(*stack, *parent);
    stack->retained = skipped_below(parent->retained, stack->id.name);
    co_await announce(txn, step.context(), *stack, status::kUndoing, "User Initiated");
  });
  co_return is_resumed;
}

Task<bool> let_clean_up(store::Transaction& txn, std::string arn, Time now) {
  const auto id = parse_stack_arn(arn);
  auto stack = id ? co_await load_stack(txn, id->place, id->uuid) : std::nullopt;
  if (!stack || stack->status != status::kCleaningUp) co_return false;
  if (!is_held(*stack)) co_return true;  // told before a crash
  stack->nesting->holds = false;
  put_stack(txn, *stack);
  co_await start_running(txn, *stack, now);
  co_return true;
}

Task<Stack> await_child(Step& step, std::string arn) {
  const auto id = parse_stack_arn(arn);
  Stack result;
  co_await step.wait_for_topic(
      stack_topic(id->uuid),
      [&]() -> Task<bool> {
        const auto snapshot = step.context().store().snapshot();
        const auto stack = co_await load_stack(*snapshot, id->place, id->uuid);
        if (!stack) throw StepFailed(cat("Stack ", arn, " does not exist"));
        result = *stack;
        co_return !is_at_work(*stack);
      },
      kChildWaitMax);
  co_return result;
}

}  // namespace tidemill::cloudformation
