// UpdateStack.
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/tokens.h"

namespace tidemill::cloudformation {

namespace errors = shapes::errors;

namespace {
constexpr std::string_view kOperation = "UpdateStack";
}

Task<shapes::UpdateStackOutput> update_stack(Service& service, wire::Context& context,
                                             const shapes::UpdateStackInput& request) {
  const auto snapshot = service.store().snapshot();
  const Stack before = co_await require_stack_in_brackets(*snapshot, context, request.stack_name);
  shapes::UpdateStackOutput out;
  out.stack_id = before.id.arn();
  if (was_begun(before, kOperation, request.client_request_token)) co_return out;
  require_updatable(before);
  const auto text = co_await load_template(*snapshot, before.id, kCurrentTemplate);
  const TemplateText old_text = text.value_or(TemplateText());
  const Previous previous{before, old_text};
  Definition definition;
  std::string problem;
  try {
    definition = co_await define(service.template_work(), context, asked_of(request), before.id, &previous, false);
    require_kept_types(*definition.plan, co_await load_resources(*snapshot, before.id));
  } catch (const TemplateRefused& error) {
    problem = error.what();
  }
  if (!problem.empty()) throw errors::validation_error(problem);
  const bool is_whole = before.status != status::kCreateFailed && before.status != status::kUpdateFailed;
  if (is_whole && before.current &&
      co_await is_same(service.template_work(), old_text, *before.current, definition.text, definition.settings)) {
    throw errors::validation_error("No updates are to be performed.");
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    if (was_begun(stack, kOperation, request.client_request_token)) co_return;
    require_updatable(stack);
    require_unchanged(stack, before);
    note_token(stack, kOperation, request.client_request_token);
    stack.disable_rollback = request.disable_rollback.value_or(false);
    stack.retain_except_on_create = request.retain_except_on_create.value_or(stack.retain_except_on_create);
    co_await make_obsolete(txn, stack.id, "");
    co_await begin_update(txn, context, stack, definition.settings, definition.text);
  });
  co_return out;
}

}  // namespace tidemill::cloudformation
