// UpdateStack.
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/stack_policy.h"
#include "services/cloudformation/tokens.h"

namespace tidemill::cloudformation {

namespace errors = shapes::errors;

namespace {

constexpr std::string_view kOperation = "UpdateStack";

Task<UpdatePolicies> policies_of(wire::Context& context, const shapes::UpdateStackInput& request, const Plan& plan) {
  const auto of_update = co_await stack_policy_of(context, request.stack_policy_during_update_body,
                                                  request.stack_policy_during_update_url, "StackPolicyDuringUpdate", &plan);
  const auto to_be =
      co_await stack_policy_of(context, request.stack_policy_body, request.stack_policy_url, "StackPolicy", &plan);
  co_return UpdatePolicies{of_update.value_or(""), to_be.value_or("")};
}

}  // namespace

Task<shapes::UpdateStackOutput> update_stack(Service& service, wire::Context& context,
                                             const shapes::UpdateStackInput& request) {
  const auto snapshot = service.store().snapshot();
  const Stack before = co_await require_stack_in_brackets(*snapshot, context, request.stack_name);
  shapes::UpdateStackOutput out;
  out.stack_id = before.id.arn();
  if (was_begun(before, kOperation, request.client_request_token)) co_return out;
  if (!is_ordered_again(before, request.client_request_token)) require_updatable(before);
  const auto text = co_await load_template(*snapshot, before.id, kCurrentTemplate);
  const TemplateText old_text = text.value_or(TemplateText());
  const Previous previous{before, old_text};
  Asked asked = asked_of(request);
  take_text(asked, co_await ordered_template(*snapshot, before, request.client_request_token));
  Definition definition;
  std::string problem;
  try {
    definition = co_await define(service.template_work(), context, std::move(asked), before.id, &previous, false);
    require_kept_types(*definition.plan, co_await load_resources(*snapshot, before.id));
  } catch (const TemplateRefused& error) {
    problem = error.what();
  }
  if (!problem.empty()) throw errors::validation_error(problem);
  const UpdatePolicies policies = co_await policies_of(context, request, *definition.plan);
  if (is_whole(before) && before.current && !has_nested_stacks(*definition.plan) &&
      co_await is_same(service.template_work(), old_text, *before.current, definition.text, definition.settings)) {
    throw errors::validation_error("No updates are to be performed.");
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    if (was_begun(stack, kOperation, request.client_request_token)) co_return;
    if (!is_ordered_again(stack, request.client_request_token)) require_updatable(stack);
    require_unchanged(stack, before);
    note_token(stack, kOperation, request.client_request_token);
    stack.disable_rollback = request.disable_rollback.value_or(false);
    stack.retain_except_on_create = request.retain_except_on_create.value_or(false);
    auto importing = co_await take_order(txn, stack, request.client_request_token);
    co_await make_obsolete(txn, stack.id);
    co_await begin_update(txn, context, stack, definition.settings, definition.text, policies, std::move(importing));
  });
  co_return out;
}

}  // namespace tidemill::cloudformation
