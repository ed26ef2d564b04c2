// DeleteStack. Of a stack that is not there it succeeds, as on AWS.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/exports.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/role.h"
#include "services/cloudformation/running.h"
#include "services/cloudformation/tokens.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr std::string_view kOperation = "DeleteStack";

Task<bool> is_parent_changing(store::Transaction& txn, const Stack& stack) {
  const auto parent = co_await find_stack(txn, stack.place(), stack.parent);
  co_return parent && (parent->status == status::kUpdating || parent->status == status::kUndoing);
}

// What an earlier deletion has left alone may be named again; all others are there.
Task<void> check_retained(store::Transaction& txn, const Stack& stack, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto resource = co_await find_resource(txn, stack.id, name);
    if (resource && resource->status != status::kDeleted) continue;
    throw errors::validation_error(
        "The specified resources to retain must be in a valid state. Do not specify resources that are in the "
        "DELETE_COMPLETE state.");
  }
}

Task<void> check_deletion(store::Transaction& txn, const Stack& stack, const shapes::DeleteStackInput& request) {
  if (co_await is_protected(txn, stack)) {
    throw errors::validation_error(
        cat("Stack [", stack.id.name, "] cannot be deleted while TerminationProtection is enabled"));
  }
  if (request.retain_resources && !request.retain_resources->empty() && stack.status != status::kDeleteFailed) {
    throw errors::validation_error(
        cat("Invalid operation on stack [", stack.id.arn(),
            "]. Specify RetainResources only when the stack is in the DELETE_FAILED state."));
  }
  if (request.retain_resources) co_await check_retained(txn, stack, *request.retain_resources);
  if (is_at_work(stack) && stack.status != status::kCreating && stack.status != status::kRollingBack) {
    throw errors::validation_error(
        cat("Stack [", stack.id.name, "] cannot be deleted while in status ", stack.status));
  }
  if (is_held(stack) && co_await is_parent_changing(txn, stack)) {
    throw errors::validation_error(
        cat("Stack [", stack.id.name, "] cannot be deleted while in status ", stack.status));
  }
}

// It has begun, and that was all: as on AWS its events tell it, and the request succeeds.
Task<void> turn_back(store::Transaction& txn, const wire::Context& context, Stack stack, std::string reason) {
  const std::string before = stack.status;
  co_await put_status(txn, context, stack, status::kDeleting, "User Initiated");
  co_await put_status(txn, context, stack, before, std::move(reason));
}

// It has nothing to remove.
Task<void> delete_reviewed(store::Transaction& txn, const wire::Context& context, const Stack& stack) {
  co_await erase_hierarchies(txn, stack.id, "", context.now());
  co_await end_review(txn, stack, context.now());
}

}  // namespace

Task<shapes::DeleteStackOutput> delete_stack(Service& service, wire::Context& context,
                                             const shapes::DeleteStackInput& request) {
  if (request.deletion_mode == std::optional<std::string>("FORCE_DELETE_STACK")) {
    throw errors::validation_error(
        "Tidemill does not support DeletionMode FORCE_DELETE_STACK; name what is to stay in RetainResources.");
  }
  require_supported(request.deployment_config);
  {
    const auto snapshot = service.store().snapshot();
    const auto stack = co_await find_stack(*snapshot, place_of(context), request.stack_name);
    if (stack && stack->status != status::kReview && stack->status != status::kDeleted) {
      co_await require_role_of(context, *stack, request.role_arn);
    }
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto stack = co_await find_stack(txn, place_of(context), request.stack_name);
    if (!stack || stack->status == status::kDeleted || stack->status == status::kDeleting) co_return;
    if (was_begun(*stack, kOperation, request.client_request_token)) co_return;
    co_await check_deletion(txn, *stack, request);
    note_token(*stack, kOperation, request.client_request_token);
    if (stack->status == status::kReview) co_return co_await delete_reviewed(txn, context, *stack);
    stack->retained = request.retain_resources.value_or(std::vector<std::string>());
    const std::string problem = co_await take_exports(txn, *stack);
    if (!problem.empty()) co_return co_await turn_back(txn, context, *stack, problem);
    give_role(*stack, request.role_arn);
    ++stack->operation;
    note_caller(*stack, context);  // a creation that this cuts off goes no step further
    stack->deadline.reset();
    co_await erase_hierarchies(txn, stack->id, "", context.now());
    co_await announce(txn, context, *stack, status::kDeleting, "User Initiated");
  });
  co_return shapes::DeleteStackOutput();
}

}  // namespace tidemill::cloudformation
