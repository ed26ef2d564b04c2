// CreateChangeSet, ExecuteChangeSet and DeleteChangeSet.
#include "base/text.h"
#include "base/uuid.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/draft.h"
#include "services/cloudformation/imports.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/role.h"
#include "services/cloudformation/tokens.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr std::string_view kExecute = "ExecuteChangeSet";

// Of an update that has failed and was kept so much is left to be taken back or cleaned up: an import would end it.
void require_importable(const Stack& stack) {
  if (stack.status != status::kUpdateFailed && stack.status != status::kCreateFailed) return;
  throw errors::validation_error(cat("Stack:", stack.id.arn(), " is in ", stack.status, " state and can not be updated."));
}

// The stack that is to be changed, as it stands; nothing: it is to be made. Throws for what does not fit the type.
Task<std::optional<Stack>> find_base(store::Snapshot& reader, const wire::Context& context,
                                     const shapes::CreateChangeSetInput& request) {
  auto stack = co_await find_stack(reader, place_of(context), request.stack_name);
  if (stack && stack->status == status::kDeleted) stack.reset();
  const bool is_by_arn = request.stack_name.starts_with("arn:");  // which is no name for a new one
  if (!stack && is_by_arn) throw errors::validation_error(cat("Stack [", request.stack_name, "] does not exist"));
  const std::string type = request.change_set_type.value_or("UPDATE");
  if (type == "IMPORT" && (!stack || stack->status == status::kReview)) co_return stack;
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
  if (type == "IMPORT") require_importable(*stack);
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

void check_on_failure(const shapes::CreateChangeSetInput& request) {
  if (request.on_stack_failure != std::optional<std::string>("DELETE")) return;
  if (request.change_set_type == std::optional<std::string>("CREATE")) return;
  throw errors::validation_error("OnStackFailure DELETE is only for change sets of the type CREATE.");
}

// As it is asked for; what it comes to, others say.
ChangeSet requested_set(const wire::Context& context, const shapes::CreateChangeSetInput& request) {
  check_on_failure(request);
  ChangeSet set;
  set.name = request.change_set_name;
  set.token = request.client_token.value_or("");
  set.uuid = base::new_uuid();
  set.description = request.description.value_or("");
  set.created = context.now();
  set.status = "CREATE_COMPLETE";
  set.execution_status = "AVAILABLE";
  set.include_nested = request.include_nested_stacks.value_or(false);
  set.on_failure = request.on_stack_failure.value_or("");
  set.importing = requested_imports(request);
  set.import_existing = request.import_existing_resources.value_or(false);
  return set;
}

Task<void> put_draft(store::Transaction& txn, const wire::Context& context, Draft draft) {
  if (draft.is_new) {
    Stack created = co_await new_stack(txn, context, draft.stack.id.name, draft.stack.id.uuid);
    created.parent = draft.stack.parent;
    created.root = draft.stack.root;
    created.target = draft.set.settings;
    co_await announce(txn, context, created, status::kReview, "User Initiated");
  }
  draft.set.stack = draft.stack.id;
  co_await put_new_change_set(txn, draft.set);
  put_template(txn, draft.set.stack, draft.set.uuid, draft.text);
}

// The stack around them is another one.
void move_below(std::vector<Draft>& drafts, const StackId& from, const StackId& to) {
  for (Draft& one : drafts) {
    if (one.stack.parent == from.arn()) one.stack.parent = to.arn();
    if (one.stack.root == from.arn()) one.stack.root = to.arn();
  }
}

// A nested stack's is executed and deleted with what is around it.
void require_root(const ChangeSet& set) {
  if (set.parent.empty()) return;
  throw errors::invalid_change_set_status_exception(
      cat("ChangeSet [", set.arn(), "] belongs to a nested stack; its root is ChangeSet [", set.root, "]"));
}

}  // namespace

Task<shapes::CreateChangeSetOutput> create_change_set(Service& service, wire::Context& context,
                                                      const shapes::CreateChangeSetInput& request) {
  shapes::CreateChangeSetOutput out;
  std::vector<Draft> drafts;
  {
    const auto snapshot = service.store().snapshot();
    if (const auto made = co_await find_repeated(*snapshot, context, request)) co_return answer_of(*made);
    Draft root{.set = requested_set(context, request)};
    if (auto base = co_await find_base(*snapshot, context, request)) {
      root.stack = *std::move(base);
    } else {
      root.stack.id = {place_of(context), request.stack_name, base::new_uuid()};
      root.is_new = true;
    }
    root.set.stack = root.stack.id;
    root.set.is_creation = root.is_new || root.stack.status == status::kReview;
    drafts = co_await draft_change_sets(service.template_work(), *snapshot, context, std::move(root), asked_of(request));
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (const auto made = co_await find_repeated(txn, context, request)) {
      out = answer_of(*made);
      co_return;
    }
    Draft root = drafts.front();
    if (const auto base = co_await find_base(txn, context, request)) {
      if (root.is_new) {  // another request has made it meanwhile: it is under review
        root.is_new = false;
        move_below(drafts, root.stack.id, base->id);
        root.stack.id = base->id;
      }
      if (!root.set.is_creation) require_unchanged(*base, root.stack);
      if (co_await txn.get(change_set_key(base->place(), base->id.uuid, root.set.name))) {
        throw errors::already_exists_exception(
            cat("ChangeSet ", root.set.name, " cannot be created due to a mismatch with existing attribute Template"));
      }
    }
    root.set.stack = root.stack.id;
    out = answer_of(root.set);
    co_await put_draft(txn, context, std::move(root));
    for (size_t i = 1; i < drafts.size(); ++i) co_await put_draft(txn, context, drafts[i]);
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
    require_root(set);
    if (set.status != "CREATE_COMPLETE") {
      throw errors::invalid_change_set_status_exception(
          cat("ChangeSet [", set.arn(), "] cannot be executed in its current status of [", set.status, "]"));
    }
    if (set.execution_status != "AVAILABLE") {
      throw errors::invalid_change_set_status_exception(
          cat("ChangeSet [", set.arn(), "] cannot be executed in its current execution status of [",
              set.execution_status, "]"));
    }
    if (request.disable_rollback && !set.on_failure.empty()) {
      throw errors::validation_error(cat("DisableRollback cannot be given to ChangeSet [", set.arn(),
                                         "], which was made with OnStackFailure."));
    }
    const auto text = co_await load_template(txn, set.stack, set.uuid);
    if (!stack || !text) throw errors::change_set_not_found_exception(cat("ChangeSet [", set.arn(), "] does not exist"));
    note_token(*stack, kExecute, request.client_request_token);
    stack->change_set = set.arn();
    (void)co_await take_order(txn, *stack, std::nullopt);
    stack->on_failure = set.on_failure;
    stack->disable_rollback = request.disable_rollback.value_or(set.on_failure == "DO_NOTHING");
    stack->retain_except_on_create = request.retain_except_on_create.value_or(false);
    set.execution_status = "EXECUTE_COMPLETE";
    if (set.is_creation) {
      if (stack->status != status::kReview) {
        throw errors::validation_error(cat("Stack [", stack->id.name, "] already exists"));
      }
      stack->updated = context.now();
    } else {
      require_updatable(*stack);
      if (set.is_import()) require_importable(*stack);
    }
    if (set.is_import()) {
      co_await begin_import(txn, context, *stack, set.settings, *text, set.importing);
    } else if (set.is_creation) {
      co_await begin_creation(txn, context, *stack, set.settings, *text, set.importing);
    } else {
      co_await begin_update(txn, context, *stack, set.settings, *text, {}, set.importing);
    }
    // As on AWS, the others go with the one that is executed.
    co_await erase_hierarchies(txn, set.stack, set.uuid, context.now());
    set.operation = stack->operation;
    put_change_set(txn, set);
  });
  co_return shapes::ExecuteChangeSetOutput();
}

Task<shapes::DeleteChangeSetOutput> delete_change_set(Service& service, wire::Context& context,
                                                      const shapes::DeleteChangeSetInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto set = co_await find_change_set(txn, context, request.change_set_name, request.stack_name);
    if (!set) co_return;
    require_root(*set);
    co_await erase_hierarchy(txn, *set, context.now());
  });
  co_return shapes::DeleteChangeSetOutput();
}

}  // namespace tidemill::cloudformation
