// SetStackPolicy and GetStackPolicy.
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/describing.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/stack_policy.h"

namespace tidemill::cloudformation {

namespace errors = shapes::errors;

Task<shapes::SetStackPolicyOutput> set_stack_policy(Service& service, wire::Context& context,
                                                    const shapes::SetStackPolicyInput& request) {
  std::unique_ptr<Plan> plan;
  {
    const auto snapshot = service.store().snapshot();
    const Stack stack = co_await require_stack_in_brackets(*snapshot, context, request.stack_name);
    if (stack.current) {
      plan = co_await load_plan(service.template_work(), *snapshot, stack.id, kCurrentTemplate, *stack.current);
    }
  }
  const auto policy = co_await stack_policy_of(context, request.stack_policy_body, request.stack_policy_url, "StackPolicy",
                                               plan.get());
  if (!policy) throw errors::validation_error("You must specify either StackPolicyURL or StackPolicyBody");
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    stack.policy = *policy;
    put_stack(txn, stack);
  });
  co_return shapes::SetStackPolicyOutput();
}

Task<shapes::GetStackPolicyOutput> get_stack_policy(Service& service, wire::Context& context,
                                                    const shapes::GetStackPolicyInput& request) {
  const auto snapshot = service.store().snapshot();
  const Stack stack = co_await require_stack_in_brackets(*snapshot, context, request.stack_name);
  shapes::GetStackPolicyOutput out;
  out.stack_policy_body = shown(stack.policy);
  co_return out;
}

}  // namespace tidemill::cloudformation
