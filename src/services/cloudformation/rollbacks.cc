// CancelUpdateStack, ContinueUpdateRollback and RollbackStack.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/role.h"
#include "services/cloudformation/running.h"
#include "services/cloudformation/tokens.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {
constexpr std::string_view kCancel = "CancelUpdateStack";
constexpr std::string_view kContinue = "ContinueUpdateRollback";
constexpr std::string_view kRollback = "RollbackStack";
}  // namespace

Task<shapes::CancelUpdateStackOutput> cancel_update_stack(Service& service, wire::Context& context,
                                                          const shapes::CancelUpdateStackInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    if (was_begun(stack, kCancel, request.client_request_token)) co_return;
    if (stack.status != status::kUpdating) {
      throw errors::validation_error("CancelUpdateStack cannot be called from current stack status");
    }
    stack.cancelled = true;
    if (request.client_request_token) note_token(stack, kCancel, request.client_request_token);
    put_stack(txn, stack);
    txn.signal(stack_topic(stack.id.uuid));
  });
  co_return shapes::CancelUpdateStackOutput();
}

namespace {

Task<void> check_role(Service& service, wire::Context& context, std::string name, std::optional<std::string> given) {
  const auto snapshot = service.store().snapshot();
  const Stack stack = co_await require_stack_in_brackets(*snapshot, context, name);
  co_await require_role_of(context, stack, given);
}

// "Queue" of this stack, or "CHILD.Queue" of the stack CHILD below it, whose rollback has failed too. Nothing: it is of
// neither.
Task<std::optional<Resource>> find_skipped(store::Transaction& txn, const Stack& stack, std::string name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) co_return co_await find_resource(txn, stack.id, name);
  const auto child = co_await find_stack(txn, stack.place(), name.substr(0, dot));
  if (!child || child->status != status::kUndoFailed) co_return std::nullopt;
  auto above = child;
  while (above && !above->parent.empty() && above->parent != stack.id.arn()) {
    above = co_await find_stack(txn, stack.place(), above->parent);
  }
  if (!above || above->parent.empty()) co_return std::nullopt;
  co_return co_await find_resource(txn, child->id, name.substr(dot + 1));
}

// A nested stack as a whole is skipped only where it is gone, or is going.
Task<bool> stands(store::Transaction& txn, const Resource& resource) {
  const auto id = resource.type == kStackType ? parse_stack_arn(resource.now.physical_id) : std::nullopt;
  const auto stack = id ? co_await load_stack(txn, id->place, id->uuid) : std::nullopt;
  co_return stack && !stack->status.starts_with("DELETE_");
}

Task<void> check_skipped(store::Transaction& txn, const Stack& stack, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto resource = co_await find_skipped(txn, stack, name);
    if (!resource || resource->status != "UPDATE_FAILED") {
      throw errors::validation_error(
          cat("The following resource(s) cannot be skipped because they are not in UPDATE_FAILED state: [", name, "]"));
    }
    if (co_await stands(txn, *resource)) {
      throw errors::validation_error(
          cat("The nested stack ", name, " cannot be skipped because it is not in a DELETE_* state; name its resources, as "
              "NestedStackName.ResourceLogicalID"));
    }
  }
}

}  // namespace

Task<shapes::ContinueUpdateRollbackOutput> continue_update_rollback(
    Service& service, wire::Context& context, const shapes::ContinueUpdateRollbackInput& request) {
  co_await check_role(service, context, request.stack_name, request.role_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    if (was_begun(stack, kContinue, request.client_request_token)) co_return;
    if (stack.status != status::kUndoFailed) {
      throw errors::validation_error(cat("Stack:", stack.id.arn(), " is in ", stack.status,
                                         " state and can not continue rolling back."));
    }
    stack.retained = request.resources_to_skip.value_or(std::vector<std::string>());
    co_await check_skipped(txn, stack, stack.retained);
    note_token(stack, kContinue, request.client_request_token);
    give_role(stack, request.role_arn);
    note_caller(stack, context);
    co_await announce(txn, context, stack, status::kUndoing, "User Initiated");
  });
  co_return shapes::ContinueUpdateRollbackOutput();
}

Task<shapes::RollbackStackOutput> rollback_stack(Service& service, wire::Context& context,
                                                 const shapes::RollbackStackInput& request) {
  shapes::RollbackStackOutput out;
  co_await check_role(service, context, request.stack_name, request.role_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    out.stack_id = stack.id.arn();
    if (was_begun(stack, kRollback, request.client_request_token)) co_return;
    if (stack.status != status::kCreateFailed && stack.status != status::kUpdateFailed) {
      throw errors::validation_error(
          cat("RollbackStack cannot be called from current stack status: ", stack.status));
    }
    note_token(stack, kRollback, request.client_request_token);
    give_role(stack, request.role_arn);
    if (request.retain_except_on_create) stack.retain_except_on_create = *request.retain_except_on_create;
    note_caller(stack, context);
    const bool is_creation = stack.status == status::kCreateFailed;
    if (is_creation) {
      ++stack.operation;
    } else {
      co_await begin_undoing(txn, stack);
    }
    co_await announce(txn, context, stack, is_creation ? status::kRollingBack : status::kUndoing, "User Initiated");
  });
  co_return out;
}

}  // namespace tidemill::cloudformation
