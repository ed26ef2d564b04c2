// CreateStack.
#include "base/text.h"
#include "base/uuid.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/stack_policy.h"
#include "services/cloudformation/tokens.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr std::string_view kOperation = "CreateStack";

struct Existing {
  std::optional<Stack> stack;  // under review, that is to be created now
  bool is_repeated = false;    // or that this very request has created
};

// Throws AlreadyExistsException.
Task<Existing> find_existing(store::Snapshot& reader, const wire::Context& context, const shapes::CreateStackInput& request) {
  Existing result;
  result.stack = co_await find_stack(reader, place_of(context), request.stack_name);
  if (!result.stack) co_return result;
  result.is_repeated = was_begun(*result.stack, kOperation, request.client_request_token);
  if (result.stack->status != status::kReview && !result.is_repeated) {
    throw errors::already_exists_exception(cat("Stack [", request.stack_name, "] already exists"));
  }
  co_return result;
}

void apply_options(Stack& stack, const shapes::CreateStackInput& request) {
  if (request.on_failure && request.disable_rollback) {
    throw errors::validation_error("You can specify either DisableRollback or OnFailure, but not both.");
  }
  stack.on_failure = request.on_failure.value_or("");
  stack.disable_rollback = request.disable_rollback.value_or(false);
  stack.timeout_minutes = request.timeout_in_minutes.value_or(0);
  stack.termination_protection = request.enable_termination_protection.value_or(false);
  stack.retain_except_on_create = request.retain_except_on_create.value_or(false);
  note_token(stack, kOperation, request.client_request_token);
}

}  // namespace

Task<shapes::CreateStackOutput> create_stack(Service& service, wire::Context& context,
                                             const shapes::CreateStackInput& request) {
  shapes::CreateStackOutput out;
  StackId id{place_of(context), request.stack_name, base::new_uuid()};
  Asked asked = asked_of(request);
  {
    const auto snapshot = service.store().snapshot();
    const Existing existing = co_await find_existing(*snapshot, context, request);
    if (existing.stack) id = existing.stack->id;
    out.stack_id = id.arn();
    if (existing.is_repeated) co_return out;
    if (existing.stack) {
      take_text(asked, co_await ordered_template(*snapshot, *existing.stack, request.client_request_token));
    }
  }
  Definition definition;
  std::string problem;
  try {
    definition = co_await define(service.template_work(), context, std::move(asked), id, nullptr, false);
  } catch (const TemplateRefused& error) {
    problem = error.what();
  }
  if (!problem.empty()) throw errors::validation_error(problem);
  const auto policy = co_await stack_policy_of(context, request.stack_policy_body, request.stack_policy_url, "StackPolicy",
                                               definition.plan.get());

  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Existing existing = co_await find_existing(txn, context, request);
    if (existing.is_repeated) {
      out.stack_id = existing.stack->id.arn();
      co_return;
    }
    Stack stack;
    base::json::TextMap importing;
    if (existing.stack) {
      stack = *std::move(existing.stack);
      importing = co_await take_order(txn, stack, request.client_request_token);
      co_await make_obsolete(txn, stack.id);
    } else {
      stack = co_await new_stack(txn, context, request.stack_name, id.uuid);
    }
    apply_options(stack, request);
    if (policy) stack.policy = *policy;
    co_await begin_creation(txn, context, stack, definition.settings, definition.text, std::move(importing));
    out.stack_id = stack.id.arn();
  });
  co_return out;
}

}  // namespace tidemill::cloudformation
