// CreateChangeSet, ExecuteChangeSet and DeleteChangeSet.
#include "base/text.h"
#include "base/uuid.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/changes.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/role.h"
#include "services/cloudformation/tokens.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr std::string_view kNoChanges =
    "The submitted information didn't contain changes. Submit different information to create a change set.";
constexpr std::string_view kExecute = "ExecuteChangeSet";
constexpr std::string_view kNoUpdates = "No updates are to be performed.";

// The stack that is to be changed, as it stands; nothing: it is to be made. Throws for what does not fit the type.
Task<std::optional<Stack>> find_base(store::Snapshot& reader, const wire::Context& context,
                                     const shapes::CreateChangeSetInput& request) {
  auto stack = co_await find_stack(reader, place_of(context), request.stack_name);
  if (stack && stack->status == status::kDeleted) stack.reset();
  const std::string type = request.change_set_type.value_or("UPDATE");
  if (type == "IMPORT") throw errors::validation_error("Tidemill does not support change sets of the type IMPORT.");
  if (type == "CREATE") {
    if (stack && stack->status != status::kReview) {
      throw errors::validation_error(cat("Stack [", stack->id.name, "] already exists and cannot be created again with the changeSet [",
                                         request.change_set_name, "]."));
    }
    co_return stack;
  }
  if (!stack) throw errors::validation_error(cat("Stack [", request.stack_name, "] does not exist"));
  if (stack->status == status::kReview) {
    throw errors::validation_error(cat("Stack [", stack->id.name, "] does not exist"));
  }
  require_updatable(*stack);
  co_return stack;
}

// What a request of the same token has made.
Task<std::optional<ChangeSet>> find_repeated(store::Snapshot& reader, const wire::Context& context,
                                             const shapes::CreateChangeSetInput& request) {
  if (request.client_token.value_or("").empty()) co_return std::nullopt;
  const auto stack = co_await find_stack(reader, place_of(context), request.stack_name);
  if (!stack || stack->status == status::kDeleted) co_return std::nullopt;
  auto set = co_await find_change_set(reader, context, request.change_set_name, request.stack_name);
  if (!set || set->token != *request.client_token) co_return std::nullopt;
  co_return set;
}

shapes::CreateChangeSetOutput answer_of(const ChangeSet& set) {
  shapes::CreateChangeSetOutput out;
  out.id = set.arn();
  out.stack_id = set.stack.arn();
  return out;
}

struct Found {
  ChangeSet set;
  TemplateText text;
};

Task<void> compare(base::BlockingWork& work, store::Snapshot& reader, wire::Context& context,
                   const shapes::CreateChangeSetInput& request, const Stack& stack, bool is_creation, Found& found) {
  std::optional<TemplateText> old_text;
  if (!is_creation) old_text = co_await load_template(reader, stack.id, kCurrentTemplate);
  const TemplateText before_text = old_text.value_or(TemplateText());
  const Previous previous{stack, before_text};
  const Definition definition =
      co_await define(work, context, asked_of(request), stack.id, is_creation ? nullptr : &previous, true);
  found.text = definition.text;
  found.set.settings = definition.settings;
  std::unique_ptr<Plan> before;
  Resources resources;
  if (!is_creation) {
    before = co_await load_plan(work, reader, stack.id, kCurrentTemplate, *stack.current);
    resources = co_await load_resources(reader, stack.id);
    require_kept_types(*definition.plan, resources);
  }
  Changes changes = co_await find_changes(reader, definition, before.get(), resources, stack);
  found.set.changes = std::move(changes.list);
  found.set.reason = changes.warning;
  const bool is_whole = stack.status != status::kCreateFailed && stack.status != status::kUpdateFailed;
  if (!is_creation && is_whole &&
      co_await is_same(work, before_text, *stack.current, definition.text, definition.settings)) {
    found.set.status = "FAILED";
    found.set.execution_status = "UNAVAILABLE";
    found.set.reason = definition.has_transforms ? kNoUpdates : kNoChanges;
  }
}

}  // namespace

Task<shapes::CreateChangeSetOutput> create_change_set(Service& service, wire::Context& context,
                                                      const shapes::CreateChangeSetInput& request) {
  Found found;
  ChangeSet& set = found.set;
  shapes::CreateChangeSetOutput out;
  {
    const auto snapshot = service.store().snapshot();
    if (const auto made = co_await find_repeated(*snapshot, context, request)) co_return answer_of(*made);
  }
  set.name = request.change_set_name;
  set.token = request.client_token.value_or("");
  set.uuid = base::new_uuid();
  set.description = request.description.value_or("");
  set.created = context.now();
  set.status = "CREATE_COMPLETE";
  set.execution_status = "AVAILABLE";
  set.include_nested = request.include_nested_stacks.value_or(false);
  set.on_failure = request.on_stack_failure.value_or("");
  set.is_creation = request.change_set_type == std::optional<std::string>("CREATE");
  Stack stack;
  stack.id = {place_of(context), request.stack_name, base::new_uuid()};
  {
    const auto snapshot = service.store().snapshot();
    if (auto base = co_await find_base(*snapshot, context, request)) stack = *std::move(base);
    std::string problem;
    try {
      co_await compare(service.template_work(), *snapshot, context, request, stack, set.is_creation, found);
    } catch (const TemplateRefused& error) {
      problem = error.what();
    }
    if (!problem.empty()) {
      set.status = "FAILED";
      set.execution_status = "UNAVAILABLE";
      set.reason = problem;
      found.text.original = co_await fetch_template(context, request.template_body, request.template_url);
    }
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (const auto made = co_await find_repeated(txn, context, request)) {
      out = answer_of(*made);
      co_return;
    }
    auto base = co_await find_base(txn, context, request);
    if (!base && set.is_creation) {
      Stack created = co_await new_stack(txn, context, stack.id.name, stack.id.uuid);
      created.target = set.settings;
      co_await announce(txn, context, created, status::kReview, "User Initiated");
      base = std::move(created);
    }
    if (!set.is_creation) require_unchanged(*base, stack);
    set.stack = base->id;
    const auto existing = co_await txn.get(change_set_key(base->place(), base->id.uuid, set.name));
    if (existing) {
      throw errors::already_exists_exception(cat("ChangeSet ", set.name, " cannot be created due to a mismatch with existing attribute Template"));
    }
    put_change_set(txn, set);
    put_template(txn, set.stack, set.uuid, found.text);
    out = answer_of(set);
  });
  co_return out;
}

Task<shapes::ExecuteChangeSetOutput> execute_change_set(Service& service, wire::Context& context,
                                                        const shapes::ExecuteChangeSetInput& request) {
  {
    const auto snapshot = service.store().snapshot();
    const ChangeSet set = co_await require_change_set(*snapshot, context, request.change_set_name, request.stack_name);
    co_await require_role(context, set.settings.role);
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    ChangeSet set = co_await require_change_set(txn, context, request.change_set_name, request.stack_name);
    auto stack = co_await load_stack(txn, place_of(context), set.stack.uuid);
    if (stack && was_begun(*stack, kExecute, request.client_request_token)) co_return;
    if (set.status != "CREATE_COMPLETE") {
      throw errors::invalid_change_set_status_exception(
          cat("ChangeSet [", set.arn(), "] cannot be executed in its current status of [", set.status, "]"));
    }
    if (set.execution_status != "AVAILABLE") {
      throw errors::invalid_change_set_status_exception(
          cat("ChangeSet [", set.arn(), "] cannot be executed in its current execution status of [",
              set.execution_status, "]"));
    }
    const auto text = co_await load_template(txn, set.stack, set.uuid);
    if (!stack || !text) throw errors::change_set_not_found_exception(cat("ChangeSet [", set.arn(), "] does not exist"));
    note_token(*stack, kExecute, request.client_request_token);
    stack->change_set = set.arn();
    stack->on_failure = set.on_failure;
    stack->disable_rollback = request.disable_rollback.value_or(set.on_failure == "DO_NOTHING");
    stack->retain_except_on_create = request.retain_except_on_create.value_or(false);
    set.execution_status = "EXECUTE_COMPLETE";
    if (set.is_creation) {
      if (stack->status != status::kReview) {
        throw errors::validation_error(cat("Stack [", stack->id.name, "] already exists"));
      }
      stack->updated = context.now();
      co_await begin_creation(txn, context, *stack, set.settings, *text);
    } else {
      require_updatable(*stack);
      co_await begin_update(txn, context, *stack, set.settings, *text);
    }
    // As on AWS, the others go with the one that is executed.
    for (const ChangeSet& other : co_await change_sets_of(txn, set.stack)) {
      if (other.uuid != set.uuid) erase_change_set(txn, other);
    }
    put_change_set(txn, set);
  });
  co_return shapes::ExecuteChangeSetOutput();
}

Task<shapes::DeleteChangeSetOutput> delete_change_set(Service& service, wire::Context& context,
                                                      const shapes::DeleteChangeSetInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto set = co_await find_change_set(txn, context, request.change_set_name, request.stack_name);
    if (set) erase_change_set(txn, *set);
  });
  co_return shapes::DeleteChangeSetOutput();
}

}  // namespace tidemill::cloudformation
